"""Sparse tensors: values and their coordinates."""
