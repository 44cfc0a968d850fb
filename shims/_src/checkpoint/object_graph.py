"""Map variable names to the object-based checkpoint keys that TensorFlow 2 writes."""

from __future__ import annotations

from shims._src.checkpoint.tensor_reader import TensorReader
from shims._src.checkpoint.trackable_graph import read_graph


def keys_by_name(bundle: TensorReader) -> dict[str, str] | None:
    """Return the checkpoint key of each variable name; `None` for a TensorFlow 1 checkpoint.

    Args:
      bundle: the reader of the checkpoint.

    Raises:
      DataLossError: the object graph is damaged.
    """
    nodes = read_graph(bundle)
    if nodes is None:
        return None
    return {a.full_name: a.key for node in nodes for a in node.attributes}
