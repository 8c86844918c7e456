"""The command `earshot`. It loads Django only for what needs it."""
