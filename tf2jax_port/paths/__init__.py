"""Paths: patterns as git has them, what is excluded, where modules are."""
