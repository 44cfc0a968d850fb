"""Infer properties of expressions: tensor or list, dtype, size, raggedness."""
