"""Infer properties of expressions: whether they are tensors, lists, static shapes, ragged; dtypes."""
