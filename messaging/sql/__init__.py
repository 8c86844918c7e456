"""Statements for many rows, where the ORM's own would cost more than the database's work."""
