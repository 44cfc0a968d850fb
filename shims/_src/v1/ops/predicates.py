"""Provide `is_tensor` and `tables_initializer`."""

from __future__ import annotations

import jax

from shims._src.types.composite import is_composite
from shims._src.v1.graph.grouping import no_op
from shims._src.v1.graph.modes import executing_eagerly
from shims._src.v1.graph.nodes import Tensor


def is_tensor(x) -> bool:
    """Return whether a value is a tensor, a variable, or a sparse or ragged tensor.

    https://www.tensorflow.org/api_docs/python/tf/is_tensor
    """
    is_graph = isinstance(x, Tensor) or hasattr(x, "graph_value")
    return is_graph or isinstance(x, jax.Array) or is_composite(x)


def tables_initializer(name="init_all_tables"):
    """Create an operation that does nothing: tables are initialized when they are created.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/tables_initializer
    """
    return None if executing_eagerly() else no_op(name=name)
