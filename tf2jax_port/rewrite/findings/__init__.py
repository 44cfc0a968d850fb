"""Represent the result of a rewrite as data."""
