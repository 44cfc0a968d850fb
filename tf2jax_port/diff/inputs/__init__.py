"""Provide the cases of a comparison from their various sources."""
