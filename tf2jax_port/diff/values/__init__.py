"""Represent arguments, results, gradients and failures as plain data."""
