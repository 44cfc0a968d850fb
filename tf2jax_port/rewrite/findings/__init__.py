"""Define the results of a rewrite as data."""
