"""Locate the first divergence: the first operation with equal inputs and a different result."""
