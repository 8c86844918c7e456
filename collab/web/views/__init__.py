"""Pages. Each view parses, calls one action or reading function, and renders."""
