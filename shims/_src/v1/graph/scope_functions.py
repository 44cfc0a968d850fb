"""Provide functions that open name scopes and other scopes of the default graph.

Also provide functions that access the collections of the graph.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from shims._src.random import global_seed
from shims._src.recording import contexts
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.graph import Graph
from shims._src.v1.graph.modes import executing_eagerly


def graph_of(values) -> Graph:
    """Return the graph of the first tensor or variable in `values`, or the default graph."""
    for value in values:
        graph = getattr(value, "graph", None)
        if isinstance(graph, Graph):
            return graph
    return get_default_graph()


class name_scope:
    """Context manager that prefixes the names of the operations in its block.

    Args:
      name: the name; a name that ends in `/` is an absolute path.
      default_name: the name if `name` is `None`.
      values: tensors whose graph is used.

    Raises:
      ValueError: `values` is given without a name.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/name_scope
    """

    __module__ = "shims.compat.v1"

    def __init__(self, name, default_name=None, values=None):
        self._name = default_name if name is None else name
        self._values = values
        self._open: list[contextlib.ExitStack] = []

    @property
    def name(self) -> str | None:
        """The name that was passed to the constructor."""
        return self._name

    def __enter__(self) -> str:
        if self._name is None and self._values is not None:
            raise ValueError("At least one of name (None) and default_name (None) is needed.")
        with contextlib.ExitStack() as stack:
            if executing_eagerly():
                scope = stack.enter_context(contexts.name_scope(self._name or ""))
            else:
                graph = graph_of(self._values or ())
                stack.enter_context(graph.as_default())
                scope = stack.enter_context(graph.name_scope(self._name))
            self._open.append(stack.pop_all())
        return scope

    def __exit__(self, *error) -> None:
        self._open.pop().__exit__(*error)


@contextlib.contextmanager
def op_scope(values, name, default_name=None) -> Iterator[str]:
    """Open a `name_scope`, whose arguments are given in a different order.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/op_scope
    """
    with name_scope(name, default_name, values) as scope:
        yield scope


def control_dependencies(control_inputs):
    """Make the operations of a `with` block run after the given operations.

    Args:
      control_inputs: operations, tensors and variables; `None` clears the outer control dependencies.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/control_dependencies
    """
    if executing_eagerly():
        return contextlib.nullcontext()
    return get_default_graph().control_dependencies(control_inputs)


def device(device_name_or_function):
    """Record a device for the operations of a `with` block; JAX decides the actual placement.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/device
    """
    return get_default_graph().device(device_name_or_function)


def colocate_with(op, ignore_existing=False):
    """Open a block without effect: JAX decides the placement of operations.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/colocate_with
    """
    return get_default_graph().colocate_with(op, ignore_existing)


def container(container_name):
    """Open a block without effect: containers do not exist, the session holds all variables.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/container
    """
    return get_default_graph().container(container_name)


# ---- collections ---------------------------------------------------------------------------------


def add_to_collection(name, value) -> None:
    """Append a value to a collection of the default graph.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     tf.add_to_collection("losses", 0.5)
      ...     print(tf.get_collection("losses"))
      [0.5]

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/add_to_collection
    """
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names, value) -> None:
    """Append a value to several collections of the default graph.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/add_to_collections
    """
    get_default_graph().add_to_collections(names, value)


def get_collection(key, scope=None) -> list:
    """Return a copy of a collection of the default graph.

    Args:
      key: the name of the collection.
      scope: a regular expression that must match the beginning of the names.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     tf.add_to_collection("outputs", "probabilities")
      ...     print(tf.get_collection("outputs"))
      ['probabilities']

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/get_collection
    """
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key) -> list:
    """Return a collection of the default graph itself, not a copy.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/get_collection_ref
    """
    return get_default_graph().get_collection_ref(key)


# ---- seeds ---------------------------------------------------------------------------------------


def get_seed(op_seed):
    """Return the graph seed and the operation seed that a random operation uses.

    Returns `(None, None)` if neither the graph seed nor `op_seed` is set.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/get_seed
    """
    graph = get_default_graph()
    return global_seed.pair(op_seed, graph.seed, graph.next_seed) or (None, None)
