"""Infer whether expressions are tensors, lists, ragged or static shapes, and their dtypes."""
