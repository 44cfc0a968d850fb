"""What a graph states and prints when it runs: `Assert`, `Print`, checks of all operations."""

from __future__ import annotations

import sys

import jax
import jax.numpy as jnp
import numpy as np

import shims
from shims._src.debugging.numerics import check_numerics
from shims._src.debugging.printing import element_text
from shims._src.errors import errors
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.deferred_operators import operation_of
from shims._src.v1.graph.grouping import group
from shims._src.v1.graph.modes import executing_eagerly
from shims._src.v1.graph.nodes import Operation, Tensor
from shims._src.v1.graph.output_specs import constant_value


def Assert(condition, data, summarize=None, name=None):
    """An operation that fails where a condition does not hold.

    Args:
      condition: bool scalar.
      data: tensors, numbers and text for the error.
      summarize: how many elements of each tensor the error shows.
      name: the name of the operation.

    Returns:
      The operation. It runs where something is run that waits for it.

    Raises:
      InvalidArgumentError: when it runs, the condition does not hold.

    Differs from TensorFlow:
      The error shows the text in `data`, and not the values.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/Assert
    """
    if executing_eagerly():
        return shims.Assert(condition, data, summarize, name)
    graph = get_default_graph()
    with graph.name_scope(name or "Assert"):
        condition = convert_to_tensor(condition)
        given, fill = _split(data)

        def compute(run, op, values):
            del op
            if not run.is_ahead:
                shims.Assert(values[0], fill(values[1:]), summarize)
            return []

        unique = graph.unique_name("Assert")
        controls = graph.present_control_inputs()
        return Operation(graph, "Assert", unique, compute, [condition, *given], (), controls)


def _split(data):
    """Tensors of data, and what puts their values back; text is known or left out."""
    items = [convert_to_tensor(x) if not isinstance(x, (str, bytes)) else x for x in data]
    items = [_text_of(x) for x in items]
    given = [x for x in items if isinstance(x, Tensor)]

    def fill(values) -> list:
        rest = iter(values)
        return [next(rest) if isinstance(x, Tensor) else x for x in items]

    return given, fill


def _text_of(item):
    """The text of a constant of text."""
    if isinstance(item, bytes):
        return item.decode(errors="replace")
    if isinstance(item, Tensor) and item.dtype.name == "string":
        known = constant_value(item)
        if known is None:
            raise errors.UnimplementedError(
                errors.message(
                    "Print",
                    "text that only a session knows cannot be shown.",
                    received=item.name,
                    do="fetch it, and print what `Session.run` gives",
                )
            )
        parts = [x.decode(errors="replace") for x in np.ravel(known)]
        return parts[0] if not np.ndim(known) else " ".join(parts)
    return item


def Print(input_, data, message=None, first_n=None, summarize=None, name=None):
    """`input_`, and data on the standard error output whenever it is computed.

    Args:
      input_: a tensor.
      data: tensors to print.
      message: text before them.
      first_n: print only so many times.
      summarize: how many elements of each tensor; 3 if `None`.
      name: the name of the operation.

    Returns:
      A tensor like `input_`.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/Print
    """
    graph = get_default_graph()
    source = convert_to_tensor(input_)
    given, fill = _split(data)
    limit, printed = 3 if summarize is None else summarize, [0]

    def emit(*values):
        printed[0] += 1
        if first_n is None or first_n < 0 or printed[0] <= first_n:
            parts = [x if isinstance(x, str) else summarized(x, limit) for x in fill(values)]
            sys.stderr.write((message or "") + "".join(f"[{p}]" for p in parts) + "\n")
            sys.stderr.flush()

    def compute(run, op, values):
        del op
        if not run.is_ahead:
            jax.debug.callback(emit, *map(jnp.asarray, values[1:]), ordered=True)
        return values[:1]

    op = Operation(
        graph,
        "Print",
        graph.unique_name(name or "Print"),
        compute,
        [source, *given],
        [(source.shape, source.dtype)],
        graph.present_control_inputs(),
    )
    op.links = (frozenset([0]),)
    return op.outputs[0]


def summarized(array, limit: int) -> str:
    """The first elements of an array as TensorFlow's kernels show them.

    Args:
      array: the array.
      limit: how many elements; all where negative.
    """
    array = np.asarray(array)
    if not array.ndim:
        return element_text(array[()])
    left = [array.size if limit < 0 else limit]
    more = array.size > left[0]
    return _shown(array, left, is_whole=True) + ("..." if more else "")


def _shown(array, left: list[int], is_whole: bool) -> str:
    """What is shown of an array while elements are left."""
    if array.ndim > 1:
        return "".join(f"[{_shown(part, left, False)}]" for part in array if left[0] > 0)
    parts = [element_text(x) for x in array[: left[0]]]
    left[0] -= len(parts)
    return " ".join(parts) + ("..." if len(parts) < len(array) and not is_whole else "")


def add_check_numerics_ops() -> Operation:
    """An operation that fails where any floating-point tensor of the graph is infinite or NaN.

    Returns:
      A group of a check of each tensor of the default graph so far.

    Raises:
      ValueError: the graph has branches or loops, whose tensors cannot be looked at.

    Differs from TensorFlow:
      Tensors that this library makes no operations for are not looked at.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/add_check_numerics_ops
    """
    graph = get_default_graph()
    checks = []
    for op in graph.get_operations():
        if op.attributes.get("blocks"):
            raise ValueError(
                "`tf.add_check_numerics_ops() is not compatible with TensorFlow control flow "
                "operations such as `tf.cond()` or `tf.while_loop()`."
            )
        for tensor in op.outputs:
            if tensor.dtype.is_floating and tensor.read_of is None and op.block is graph.root:
                text = tensor.name
                check = lambda x, text=text: check_numerics(x, text)
                checks.append(operation_of(check, (tensor,), {}, public="check_numerics"))
    return group(*checks)
