"""Add operator calls to a graph: find the operands, infer the results, choose the names."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.errors import errors, shape_mismatches
from shims._src.random import streams
from shims._src.random.global_seed import pair
from shims._src.types.composite import is_composite
from shims._src.types.dimension import Dimension
from shims._src.types.dtypes import int32, string, uint8
from shims._src.v1.graph import naming
from shims._src.v1.graph.call_features import call_features, without_defaults
from shims._src.v1.graph.host_calls import (
    HostOutline,
    declared_outline,
    host_operation,
    host_outline,
    is_text,
)
from shims._src.v1.graph.nodes import Operation, Tensor, is_graph_value
from shims._src.v1.graph.output_specs import Outline, outline
from shims._src.v1.graph.output_views import separate
from shims._src.v1.graph.shapes import GraphShape

_LARGE = 64
# The dtype that stands for texts where an operator of numbers tells the shapes of its results.
_STAND_IN = uint8
# Operators whose results are strings, whatever their operands are.
_TEXT_FUNCTIONS = ("strings.", "as_string")
# Operators that return the operand itself if it already has the dtype of the result.
_ITSELF = frozenset(["cast", "conj", "real"])


def add_call(graph, f, args, kwargs, *, public: str, name=None, type_: str | None = None):
    """Add the operation for a call of an operator to a graph, and return its results.

    Args:
      graph: the graph.
      f: an operator of shims.
      args: the positional arguments: pytrees of tensors, variables and numbers.
      kwargs: the keyword arguments.
      public: the operator's name in TensorFlow 1.
      name: the name that the caller chose for the operation.
      type_: TensorFlow's type of the operation.

    Returns:
      The structure that `f` returns, with tensors instead of arrays; the operation itself if `f`
      returns nothing.

    Raises:
      ValueError, TypeError: the operator rejects operands of these shapes and dtypes.
    """
    leaves, tree = jax.tree.flatten((args, kwargs), is_leaf=_is_leaf)
    leaves = [as_leaf(x) for x in leaves]
    operands = list(dict.fromkeys(x for x in leaves if isinstance(x, Tensor)))
    typed = _typed_elements((args, kwargs), operands)

    def structured(*values):
        known = dict(zip(operands, values, strict=True))
        full = [known[x] if isinstance(x, Tensor) else x for x in leaves]
        for i in typed:
            full[i] = _keeps_its_dtype(full[i])
        given, named = jax.tree.unflatten(tree, full)
        return f(*given, **named)

    def compute(run, operation, values):
        del run, operation
        return jax.tree.leaves(structured(*values))

    features = functools.partial(_features_of_call, f, jax.tree.unflatten(tree, leaves))
    if hasattr(f, "host_outline"):
        known = declared_outline(f, args, kwargs)
        return _add_host_call(graph, structured, operands, known, public, name, type_, features)
    if public.startswith(_TEXT_FUNCTIONS) or any(map(is_text, operands)):
        parts = list(_sparse_tensors((args, kwargs)))
        known = _outline_of_texts(graph, public, structured, operands, parts)
        return _add_host_call(graph, structured, operands, known, public, name, type_, features)
    unranked = [
        (s.indices, s.dense_shape) for s in _sparse_tensors((args, kwargs)) if _is_unranked(s)
    ]
    found = _outline_or_raise(structured, operands, _cache_key(f, tree, leaves, operands), unranked)
    if public in _ITSELF and len(operands) == 1 and (operands[0].dtype,) == found.dtypes:
        return operands[0]
    if type_ is not None and name:
        public = ""  # the caller knows the whole name
    named = naming.named(graph, public, name, features, len(found.shapes))
    operation = _add_operation(graph, named.names[0], type_ or named.type, compute, operands, found)
    operation.attributes["call"] = (f, *jax.tree.unflatten(tree, leaves))
    if not operation.outputs:
        return operation
    return jax.tree.unflatten(found.tree, separate(operation, named))


def _typed_elements(call, operands: list) -> tuple[int, ...]:
    """Return the places of the leaves of a call that are integers in a list, of a dtype other than int32.

    If such a tensor is a constant, its value is a NumPy scalar, which an operator takes for a Python number.
    """
    if any(map(is_text, operands)) or all(
        t.dtype == int32 or not t.dtype.is_integer for t in operands
    ):
        return ()
    leaves, _ = jax.tree_util.tree_flatten_with_path(call, is_leaf=_is_leaf)
    found = ((i, len(path), as_leaf(x)) for i, (path, x) in enumerate(leaves))
    return tuple(i for i, depth, x in found if depth > 2 and isinstance(x, Tensor))


def _keeps_its_dtype(value):
    is_number = isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "iu"
    return jnp.asarray(value) if is_number else value


def _outline_of_texts(graph, public: str, f, operands, parts) -> HostOutline:
    """Infer the results of an operator of texts.

    An operator that only moves elements has results of the same shapes for numbers, and what it does with
    numbers is known for all sizes. Others are called with made-up texts.
    """
    found = None
    if not public.startswith(_TEXT_FUNCTIONS) and all(t.dtype != _STAND_IN for t in operands):
        stands = [_stand_in(graph, t) if is_text(t) else t for t in operands]
        with contextlib.suppress(Exception):
            found = outline(f, stands)
    if found is None or found.draws:
        return host_outline(f, operands, parts)
    dtypes = [string if dtype == _STAND_IN else dtype for dtype in found.dtypes]
    return HostOutline(found.tree, tuple(zip(found.shapes, dtypes, strict=True)))


def _stand_in(graph, text: Tensor) -> Tensor:
    """Return a tensor of numbers of the shape of a text, in a graph of its own."""
    other = type(graph)()

    def compute(run, op, values):
        raise NotImplementedError

    return Operation(
        other, "Placeholder", "text", compute, [], [(text.shape, _STAND_IN)], []
    ).outputs[0]


def _add_host_call(graph, f, operands, found, public, name, type_, features):
    """Add a call that Python computes during a run, and return its results."""
    named = naming.named(graph, public, name, features, len(found.outputs))
    type_ = type_ or named.type
    operation = host_operation(graph, type_, named.names[0], f, operands, found.outputs)
    operation.attributes["pure"] = True
    if not operation.outputs:
        return operation
    return jax.tree.unflatten(found.tree, separate(operation, named))


def _add_operation(graph, name: str, type_: str, compute, operands, found: Outline) -> Operation:
    """Create the operation for a call with the inferred results `found`, and add it to the graph."""
    operation = Operation(
        graph,
        type_,
        name,
        compute,
        operands,
        list(zip(found.shapes, found.dtypes, strict=True)),
        graph.present_control_inputs(),
    )
    operation.links = found.links
    operation.attributes["pure"] = all(kernel is None for kernel, _ in found.draws)
    operation.attributes["rows"] = found.rows
    if found.draws:
        _assign_seeds(operation, found.draws)
    return operation


def _features_of_call(f, call) -> frozenset[str]:
    """Return the features of a call that select its operation names.

    There are none if the arguments do not match the signature.
    """
    args, kwargs = call
    signature = inspect.signature(f)
    try:
        arguments = signature.bind(*args, **kwargs).arguments
    except TypeError:
        return frozenset()
    defaults = {name: p.default for name, p in signature.parameters.items()}
    return call_features(without_defaults(arguments, defaults), _static_sizes)


def _static_sizes(value):
    if not isinstance(value, (Tensor, np.ndarray)):
        raise LookupError
    if isinstance(value, np.ndarray):
        return value.shape
    return None if value.shape.rank is None else value.shape.as_list()


def _sparse_tensors(value) -> Iterator[Any]:
    """Yield the sparse tensors of a graph in nested arguments."""
    if is_composite(value) and hasattr(value, "dense_shape"):
        if isinstance(value.dense_shape, Tensor):
            yield value
    elif isinstance(value, (list, tuple)):
        for v in value:
            yield from _sparse_tensors(v)
    elif isinstance(value, dict):
        for v in value.values():
            yield from _sparse_tensors(v)


def _is_unranked(sparse) -> bool:
    return bool(sparse.dense_shape.shape.as_list() == [None])


def _outline_or_raise(f, operands, key, unranked) -> Outline:
    try:
        return outline(f, operands, key, unranked)
    except errors.OpError as error:
        # TensorFlow already raises here for errors that a kernel reports only when it runs.
        kind = TypeError if isinstance(error, errors.DtypeMismatchError) else ValueError
        raise kind(str(error)) from error
    except TypeError as error:
        if shape_mismatches.is_marked(error):
            raise ValueError(str(error)) from error
        raise


def _assign_seeds(operation: Operation, draws) -> None:
    """Assign a pair of seeds to each random call inside an operation; skip the seeds that are only consumed.

    Whenever the operation runs, its random calls draw from the streams of these seeds, not from the
    global streams.
    """
    graph = operation.graph
    compute = operation.compute
    pairs = [(kernel, pair(seed, graph.seed, graph.next_seed)) for kernel, seed in draws]
    found = [seeds for kernel, seeds in pairs if kernel is not None]
    if not found:
        return
    operation.attributes["seeds"] = found

    def drawing(run, op, values):
        with streams.drawn_from(run.stream(op)):
            return compute(run, op, values)

    def outlined(run, op, values):
        return drawing(run, op, values) if hasattr(run, "stream") else compute(run, op, values)

    operation.compute = outlined


def as_leaf(value: Any):
    """Convert an argument to the form that an operation stores.

    This is the tensor of a variable, the number or list of a static size or shape, or a copy of an
    array.
    """
    value = getattr(value, "graph_value", value)
    if isinstance(value, Dimension):
        return value.value
    if isinstance(value, GraphShape):
        return value.as_list() if value.rank is not None else value
    if isinstance(value, np.ndarray):
        return value.copy()
    return value


def _is_leaf(value) -> bool:
    """Return whether an argument, such as a list of numbers, contains no tensors and no sizes.

    Such an argument is passed to the operator as a whole.
    """
    return not isinstance(value, Tensor) and not _holds_tensor(value)


def _holds_tensor(value) -> bool:
    if is_graph_value(value) or isinstance(value, (Dimension, GraphShape)):
        return True
    if isinstance(value, (list, tuple)):
        return any(map(_holds_tensor, value))
    if isinstance(value, dict):
        return any(map(_holds_tensor, value.values()))
    return is_composite(value)


def _cache_key(f, tree, leaves: Sequence, operands: list) -> Any:
    """Return a cache key for the inferred results of a call; equal keys imply equal results.

    Returns `None` if an argument is large or not hashable: the results are then not cached.
    """
    places = {t: i for i, t in enumerate(operands)}
    found: list[tuple] = []
    for x in leaves:
        if isinstance(x, Tensor):
            found.append(("tensor", places[x]))
        elif isinstance(x, np.ndarray):
            if x.size > _LARGE:
                return None
            found.append((x.shape, x.dtype.str, x.tobytes()))
        elif isinstance(x, (list, tuple, dict)):
            if not _is_plain(x):
                return None
            found.append((type(x), repr(x)))
        else:
            found.append((type(x), x))
    key = (f, tree, tuple(found))
    try:
        hash(key)
    except TypeError:
        return None
    return key


def _is_plain(value) -> bool:
    """Return whether nested containers hold only `None`, numbers, strings and bytes.

    The `repr` of such a value can be part of a cache key.
    """
    if isinstance(value, dict):
        return all(_is_plain(v) for v in value.values())
    if isinstance(value, (list, tuple)):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, (int, float, complex, str, bytes))
