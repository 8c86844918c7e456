"""The browser's face: pages that work as forms and links, with small custom elements on top."""
