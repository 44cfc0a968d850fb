"""Provide `no_op`, `group` and `tuple`, which group operations by control dependencies."""

from __future__ import annotations

from typing import Any

from shims._src.recording.indexed_slices import IndexedSlices
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.modes import executing_eagerly
from shims._src.v1.graph.nodes import Operation, Tensor
from shims._src.v1.graph.standard_operators import identity


def no_op(name=None) -> Operation:
    """Create an operation that does nothing.

    Args:
      name: its name.

    Returns:
      The operation; it runs after the control dependencies that are in effect.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/no_op
    """
    graph = get_default_graph()
    name = name or "NoOp"
    full = name[:-1] if name.endswith("/") else graph.unique_name(name)
    return Operation(graph, "NoOp", full, _compute_nothing, (), (), graph.present_control_inputs())


def with_dependencies(dependencies, output_tensor, name=None) -> Tensor:
    """Return `output_tensor`, computed after `dependencies` (a function of `tensorflow.python`).

    Args:
      dependencies: operations and tensors.
      output_tensor: the value.
      name: the name of the identity operation.
    """
    with get_default_graph().control_dependencies(list(dependencies)):
        return identity(convert_to_tensor(output_tensor), name=name or "control_dependency")


def group(*inputs, **kwargs) -> Any:
    """Create an operation that completes when all given operations have completed.

    Args:
      *inputs: operations, tensors, variables, and nested lists of these.
      **kwargs: `name`, the name of the group.

    Returns:
      The operation; `None` in eager execution.

    Raises:
      ValueError: there are other keyword arguments.
      TypeError: an input is not an operation, tensor or variable.

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
    found = list(_flatten(inputs))
    for x in found:
        if not isinstance(x, (Operation, Tensor)) and not _is_element(x):
            raise TypeError(
                "'inputs' should be zero or more (nested) Tensors. Received "
                f"'{x}' with type '{type(x)}'."
            )
    with graph.control_dependencies(found):
        return no_op(name=name or "group_deps")


def tuple(tensors, name=None, control_inputs=None):
    """Return tensors that become available only when all of them are computed.

    Args:
      tensors: tensors or `IndexedSlices`; a `None` among them stays `None`.
      name: the scope of the operations.
      control_inputs: operations that must complete as well.

    Returns:
      A list of the same length.

    Raises:
      ValueError: `tensors` contains no tensor.

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
            return [None if t is None else _identity_or_no_op(t) for t in tensors]


def _identity_or_no_op(t):
    if isinstance(t, IndexedSlices):
        return IndexedSlices(_identity_or_no_op(t.values), t.indices, t.dense_shape)
    if isinstance(t, Operation):
        return no_op()
    return identity(convert_to_tensor(t), name="control_dependency")


def _compute_nothing(run, op, values):
    del run, op, values
    return []


def _flatten(inputs):
    for x in inputs:
        if isinstance(x, (list, _TUPLE)):
            yield from _flatten(x)
        elif isinstance(x, dict):
            yield from _flatten(x.values())
        elif isinstance(x, IndexedSlices):
            yield from (x.values, x.indices)
        else:
            yield x


_TUPLE = type(())


def _is_element(x) -> bool:
    return hasattr(x, "_as_graph_element") or hasattr(x, "graph_leaves")
