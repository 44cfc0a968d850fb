"""Represent located differences as data and as text."""
