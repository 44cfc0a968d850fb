"""The result of rewriting as data."""
