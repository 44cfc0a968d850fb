"""Add operator calls that Python computes during a run: operators of strings, files and records.

The operators compute on values. The dtypes and static shapes of their results come from calls with
made-up operands that differ in values and in unknown sizes: what is equal in all results is known.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import numpy as np

from shims._src.data.function_specs import made_up
from shims._src.data.specs import TensorSpec
from shims._src.errors import errors
from shims._src.types.dtypes import as_dtype
from shims._src.types.dtypes import string as string_dtype
from shims._src.types.host_tensor import host
from shims._src.v1.graph.modes import graph_scope
from shims._src.v1.graph.nodes import Operation, Tensor
from shims._src.v1.graph.shapes import GraphShape

# A made-up text that every separator splits.
_SEPARATORS = (bytes([c]) for c in range(32, 127) if not chr(c).isalnum())
_MANY_PARTS = b"a" + b"a".join(_SEPARATORS) + b"a"


@dataclasses.dataclass(frozen=True)
class HostOutline:
    """The results of a call: their structure, and the shape and dtype of each leaf."""

    tree: Any
    outputs: tuple[tuple[Any, Any], ...]


def is_text(tensor: Tensor) -> bool:
    """Return whether a tensor holds strings."""
    return bool(tensor.dtype == string_dtype)


def at_once(f: Callable, *args) -> Any:
    """Call `f` on values, with operators that run at once and 64-bit dtypes on."""
    with graph_scope(None), jax.enable_x64(True):
        return f(*args)


def host_outline(f: Callable, operands: Sequence[Tensor], sparse: Sequence = ()) -> HostOutline:
    """Infer the structure, dtypes and shapes of `f(*operands)` from calls with made-up values.

    Args:
      f: a function of the values of the operands.
      operands: tensors.
      sparse: the sparse tensors whose parts are operands; their made-up values fit each other.

    Raises:
      Exception: what the operator raises for all of them.
    """
    found: list[tuple[Any, list]] = []
    error: Exception | None = None
    for values in _trials(operands, sparse):
        try:
            leaves, tree = jax.tree.flatten(at_once(f, *values))
        except Exception as raised:  # noqa: BLE001 - other made-up values may be accepted
            error = raised
            continue
        found.append((tree, [np.asarray(leaf) for leaf in leaves]))
    if not found:
        assert error is not None
        raise error
    tree = found[0][0]
    columns = zip(*(leaves for _, leaves in found), strict=True)
    # One accepted call tells nothing of the sizes that it made up.
    is_certain = all(t.shape.is_fully_defined() for t in operands)
    return HostOutline(tree, tuple(_common(arrays, is_certain) for arrays in columns))


def _trials(operands: Sequence[Tensor], sparse: Sequence) -> Iterator[list]:
    known = [t.op.attributes.get("value") for t in operands]
    for number in (0, 1, 2):
        parts = _made_up_parts(sparse, number)
        yield [
            parts.get(t, _trial(t, number)) if value is None else host(value)
            for t, value in zip(operands, known, strict=True)
        ]
        if not operands or all(value is not None for value in known):
            return


def _made_up_parts(sparse: Sequence, number: int) -> dict[Tensor, Any]:
    """Return values of the parts of sparse tensors: one element, in a shape that grows by trials."""
    found: dict[Tensor, Any] = {}
    for tensor in sparse:
        sizes = tensor.dense_shape.shape.as_list()
        rank = 2 + number if sizes[0] is None else sizes[0]
        found[tensor.indices] = np.zeros([1, rank], np.int64)
        found[tensor.values] = made_up(TensorSpec([1], tensor.values.dtype.dtype), 1)
        found[tensor.dense_shape] = np.full(rank, 1 + number, np.int64)
    return found


def _trial(tensor: Tensor, number: int) -> Any:
    """Return a made-up value: zeros, ones of other sizes, or texts of many parts."""
    sizes = [None] * min(number, 1) if tensor.shape.rank is None else tensor.shape.as_list()
    value = made_up(TensorSpec(sizes, tensor.dtype.dtype), min(number, 1))
    if number == 2 and is_text(tensor):
        return host(np.full(np.shape(value), _MANY_PARTS, object))
    return value


def _common(arrays: Sequence[np.ndarray], is_certain: bool) -> tuple[Any, Any]:
    """Return the shape and dtype that the results of all trials have."""
    first = arrays[0]
    dtype = string_dtype if first.dtype.hasobject else as_dtype(first.dtype)
    if len({a.ndim for a in arrays}) > 1 or (not is_certain and len(arrays) < 2):
        return None, dtype
    sizes = zip(*(a.shape for a in arrays), strict=True)
    return [n[0] if len(set(n)) == 1 else None for n in sizes], dtype


def with_outline(outline: Callable) -> Callable:
    """Make an operator one that Python computes during a run.

    Args:
      outline: a function of the operator's arguments without `name`, tensors among them; it returns the
        structure of the results, with a `TensorSpec` for each tensor.
    """

    def mark(f):
        @functools.wraps(f)
        def call(*args, **kwargs):
            return f(*args, **kwargs)

        vars(call)["host_outline"] = outline
        return call

    return mark


def declared_outline(f: Any, args, kwargs) -> HostOutline:
    """Return the outline that an operator declares for arguments."""
    leaves, tree = jax.tree.flatten(f.host_outline(*args, **kwargs))
    dtypes = [string_dtype if s.dtype == object else as_dtype(s.dtype) for s in leaves]
    shapes = [None if s.shape.rank is None else s.shape.as_list() for s in leaves]
    return HostOutline(tree, tuple(zip(shapes, dtypes, strict=True)))


def host_operation(
    graph,
    type_: str,
    name: str,
    f: Callable,
    operands: Sequence[Tensor],
    outputs: Sequence[tuple[Any, Any]],
) -> Operation:
    """Add an operation whose results `f` computes from the values of its operands during a run.

    Args:
      graph: the graph.
      type_: TensorFlow's type of the operation.
      name: the name, which is already unique.
      f: a function that takes the values of the inputs, and returns a structure with as many leaves
        as there are outputs.
      operands: the operands.
      outputs: the shape and dtype of each result.
    """

    def compute(session, op, values):
        del session
        with errors.at_place(op.place):
            found = jax.tree.leaves(at_once(f, *map(host, values)))
        return [_of_dtype(x, t) for x, t in zip(found, op.outputs, strict=True)]

    shapes = [(GraphShape(shape), dtype) for shape, dtype in outputs]
    controls = graph.present_control_inputs()
    operation = Operation(graph, type_, name, compute, operands, shapes, controls)
    operation.on_host = True
    operation.links = (frozenset(),) * len(outputs)
    return operation


def _of_dtype(value, tensor: Tensor) -> np.ndarray:
    array = np.asarray(value)
    return array if is_text(tensor) else array.astype(tensor.dtype.dtype, copy=False)
