"""Sockets on one hub per process."""
