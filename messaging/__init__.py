"""Earshot's substance: who may hear what, kept so by the shape of data, processes and database."""
