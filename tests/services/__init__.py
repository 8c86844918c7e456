"""Throwaway servers for tests: on free ports, in folders of their own, ended by their own ids."""
