"""Proofs, at the path of what they prove."""
