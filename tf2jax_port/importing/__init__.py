"""Convert frozen graphs and SavedModels to Python programs, without TensorFlow."""

from tf2jax_port.importing.loading import import_graph

__all__ = ["import_graph"]
