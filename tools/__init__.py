"""Provide the development commands that the Makefile runs; not part of the distribution."""
