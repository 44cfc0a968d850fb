"""Frozen graphs and SavedModels as Python programs, read without TensorFlow."""

from tf2jax_port.importing.loading import import_graph

__all__ = ["import_graph"]
