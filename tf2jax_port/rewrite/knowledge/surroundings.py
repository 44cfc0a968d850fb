"""Recognize names of TensorFlow 1 that only make sense in a graph."""

from __future__ import annotations

from tf2jax_port.table.surroundings import OF_GRAPHS

_NEED_GRAPHS = frozenset(n for names, _ in OF_GRAPHS for n in names)
# Namespaces whose names all build parts of a graph.
_NAMESPACES = ("layers.", "nn.rnn_cell.", "metrics.", "contrib.", "train.")


def needs_graph(path: str) -> bool:
    """Return whether a name of TensorFlow 1 only makes sense in a graph."""
    return path in _NEED_GRAPHS or path.startswith(_NAMESPACES)
