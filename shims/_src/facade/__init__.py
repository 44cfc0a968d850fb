"""Provide the public names of `shims`, generated from the table."""
