"""Names of TensorFlow 1 that mean something in a graph only."""

from __future__ import annotations

from tf2jax_port.table.surroundings import OF_GRAPHS

_NEED_GRAPHS = frozenset(n for names, _ in OF_GRAPHS for n in names)
# Namespaces of which every name builds a part of a graph.
_NAMESPACES = ("layers.", "nn.rnn_cell.", "metrics.", "contrib.", "train.")


def needs_graph(path: str) -> bool:
    """Whether a name of TensorFlow 1 means something in a graph only."""
    return path in _NEED_GRAPHS or path.startswith(_NAMESPACES)
