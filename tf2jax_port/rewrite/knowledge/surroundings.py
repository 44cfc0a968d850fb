"""Recognize TensorFlow 1 names that only make sense in a graph."""

from __future__ import annotations

from tf2jax_port.table.surroundings import OF_GRAPHS

_NEED_GRAPHS = frozenset(n for names, _ in OF_GRAPHS for n in names)
# Namespaces whose names all build parts of a graph.
_NAMESPACES = ("layers.", "nn.rnn_cell.", "metrics.", "contrib.", "train.")


def needs_graph(path: str) -> bool:
    """Return whether a TensorFlow 1 name, or the object of this attribute, only makes sense in a graph."""
    parts = path.split(".")
    owners = (".".join(parts[:n]) for n in range(len(parts), 0, -1))
    return path.startswith(_NAMESPACES) or any(owner in _NEED_GRAPHS for owner in owners)
