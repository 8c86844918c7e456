"""The order of everything, without content."""
