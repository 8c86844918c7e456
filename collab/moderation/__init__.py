"""The back office in Django admin."""
