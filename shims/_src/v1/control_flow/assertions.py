"""Provide `Assert`, `Print` and numeric checks as operations that act when a graph runs."""

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
    """Create an operation that fails if a condition is false.

    Args:
      condition: bool scalar.
      data: tensors, numbers and strings for the error message.
      summarize: the number of elements of each tensor in the error message.
      name: the name of the operation.

    Returns:
      The operation. It runs only if it is fetched, or is a control input of an operation that runs.

    Raises:
      InvalidArgumentError: the condition is false when the operation runs.

    Differs from TensorFlow:
      The error message contains the strings of `data`, but not the values of its tensors.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/Assert
    """
    if executing_eagerly():
        return shims.Assert(condition, data, summarize, name)
    graph = get_default_graph()
    with graph.name_scope(name or "Assert"):
        condition = convert_to_tensor(condition)
        given, fill = _split_data(data)

        def compute(run, op, values):
            del op
            if not run.is_ahead:
                shims.Assert(values[0], fill(values[1:]), summarize)
            return []

        unique = graph.unique_name("Assert")
        controls = graph.present_control_inputs()
        return Operation(graph, "Assert", unique, compute, [condition, *given], (), controls)


def _split_data(data):
    """Split the data of `Print` or `Assert` into tensors and constants.

    Returns the tensors, and a function that takes their values and returns the list of all data.
    String tensors must be static; their values count as constants.
    """
    items = [convert_to_tensor(x) if not isinstance(x, (str, bytes)) else x for x in data]
    items = [_to_text(x) for x in items]
    given = [x for x in items if isinstance(x, Tensor)]

    def fill(values) -> list:
        rest = iter(values)
        return [next(rest) if isinstance(x, Tensor) else x for x in items]

    return given, fill


def _to_text(item):
    """Convert bytes and constant string tensors to text; return anything else unchanged."""
    if isinstance(item, bytes):
        return item.decode(errors="replace")
    if isinstance(item, Tensor) and item.dtype.name == "string":
        known = constant_value(item)
        if known is None:
            raise errors.UnimplementedError(
                errors.message(
                    "Print",
                    "a string cannot be printed if its value is known only in a session.",
                    received=item.name,
                    do="fetch the string, and print the result of `Session.run`",
                )
            )
        parts = [x.decode(errors="replace") for x in np.ravel(known)]
        return parts[0] if not np.ndim(known) else " ".join(parts)
    return item


def Print(input_, data, message=None, first_n=None, summarize=None, name=None):
    """Return a copy of `input_`; data is printed to standard error whenever the copy is computed.

    Args:
      input_: a tensor.
      data: tensors to print.
      message: a text to print first.
      first_n: the maximum number of times to print.
      summarize: the number of elements to print of each tensor; 3 when `None`.
      name: the name of the operation.

    Returns:
      A tensor equal to `input_`.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/Print
    """
    graph = get_default_graph()
    source = convert_to_tensor(input_)
    given, fill = _split_data(data)
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
    """Format the first elements of an array as TensorFlow's kernels do.

    Args:
      array: the array.
      limit: the number of elements; all if negative.
    """
    array = np.asarray(array)
    if not array.ndim:
        return element_text(array[()])
    left = [array.size if limit < 0 else limit]
    more = array.size > left[0]
    return _format_elements(array, left, is_whole=True) + ("..." if more else "")


def _format_elements(array, left: list[int], is_whole: bool) -> str:
    """Format an array; `left[0]` is the number of elements that may still be printed, and is reduced.

    is_whole: whether `array` is the whole array, not a part of it; the caller then adds the `...` for
      missing elements.
    """
    if array.ndim > 1:
        return "".join(f"[{_format_elements(part, left, False)}]" for part in array if left[0] > 0)
    parts = [element_text(x) for x in array[: left[0]]]
    left[0] -= len(parts)
    return " ".join(parts) + ("..." if len(parts) < len(array) and not is_whole else "")


def add_check_numerics_ops() -> Operation:
    """Create an operation that fails if a floating-point tensor of the graph is infinite or NaN.

    Returns:
      A group of checks, one for each such tensor that the default graph has so far.

    Raises:
      ValueError: the graph has branches or loops, whose tensors cannot be checked.

    Differs from TensorFlow:
      TensorFlow's auxiliary tensors, which have no operation here, are not checked.

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
