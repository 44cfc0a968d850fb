"""`no_op`, `group` and `tuple`: operations that stand for others being done."""

from __future__ import annotations

from typing import Any

from shims._src.recording.indexed_slices import IndexedSlices
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.modes import executing_eagerly
from shims._src.v1.graph.nodes import Operation, Tensor
from shims._src.v1.graph.standard_operators import identity


def no_op(name=None) -> Operation:
    """An operation that does nothing.

    Args:
      name: its name.

    Returns:
      The operation; it waits for the control dependencies of this place.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/no_op
    """
    graph = get_default_graph()
    name = name or "NoOp"
    full = name[:-1] if name.endswith("/") else graph.unique_name(name)
    return Operation(graph, "NoOp", full, _nothing, (), (), graph.present_control_inputs())


def group(*inputs, **kwargs) -> Any:
    """One operation that is done when all of the given ones are.

    Args:
      *inputs: operations, tensors, variables, and nested lists of these.
      **kwargs: `name`, its name.

    Returns:
      The operation; `None` where operators run at once.

    Raises:
      ValueError: there are other keyword arguments.
      TypeError: something is no operation.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/group
    """
    name = kwargs.pop("name", None)
    if kwargs:
        raise ValueError("Unknown keyword arguments: " + ", ".join(kwargs))
    if executing_eagerly():
        return None
    graph = get_default_graph()
    found = list(_flat(inputs))
    for x in found:
        if not isinstance(x, (Operation, Tensor)) and not _is_element(x):
            raise TypeError(
                "'inputs' should be zero or more (nested) Tensors. Received "
                f"'{x}' with type '{type(x)}'."
            )
    with graph.control_dependencies(found):
        return no_op(name=name or "group_deps")


def tuple(tensors, name=None, control_inputs=None):
    """The tensors, each of which is there when all of them are.

    Args:
      tensors: tensors or `IndexedSlices`; `None` among them stays.
      name: the scope of the operations.
      control_inputs: what has to be done as well.

    Returns:
      A list of as many tensors.

    Raises:
      ValueError: there is no tensor among them.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/tuple
    """
    graph = get_default_graph()
    with graph.name_scope(name or "tuple"):
        gates = [t for t in tensors if t is not None]
        if not gates:
            raise ValueError(f"Must have at least one Tensor: {tensors}")
        gate = group(*gates, *(control_inputs or ()))
        with graph.control_dependencies([gate]):
            return [None if t is None else _passed(t) for t in tensors]


def _passed(t):
    if isinstance(t, IndexedSlices):
        return IndexedSlices(_passed(t.values), t.indices, t.dense_shape)
    if isinstance(t, Operation):
        return no_op()
    return identity(convert_to_tensor(t), name="control_dependency")


def _nothing(run, op, values):
    del run, op, values
    return []


def _flat(inputs):
    for x in inputs:
        if isinstance(x, (list, _TUPLE)):
            yield from _flat(x)
        elif isinstance(x, dict):
            yield from _flat(x.values())
        elif isinstance(x, IndexedSlices):
            yield from (x.values, x.indices)
        else:
            yield x


_TUPLE = type(())


def _is_element(x) -> bool:
    return hasattr(x, "_as_graph_element") or hasattr(x, "graph_leaves")
