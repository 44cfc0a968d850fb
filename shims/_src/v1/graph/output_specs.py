"""Infer the results of an operator call: structure, shapes, dtypes, and differentiability.

The operator is traced with symbolic sizes. A size of a result is known if it is a number, unknown
if it is symbolic. If the rank of an operand is unknown, several ranks are tried; sizes on which all
attempts agree are known.
"""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Any

import jax
import numpy as np

from shims._src.errors import errors, refusals
from shims._src.platform import jax_private as jp
from shims._src.random import streams
from shims._src.recording import connectivity, state
from shims._src.recording.row_gathers import only_rows
from shims._src.sizes import trace
from shims._src.tracing import hooks
from shims._src.tracing.program import trace_program
from shims._src.types.dtypes import DType, as_dtype
from shims._src.v1.graph.nodes import Tensor
from shims._src.v1.graph.shapes import GraphShape

# Ranks to try for an unknown rank, the most likely first.
_RANKS = (2, 1, 3, 4, 0)
# Ranks to try if the operator rejects all of these; convolutions, which TensorFlow 1 defines for one rank,
# would accept them, too.
_HIGH_RANKS = (5, 6, 7, 8)
# Example sizes for unknown sizes of a program that cannot be traced with symbolic sizes. The later pairs have
# many divisors, for operators that divide a size, such as `reshape`.
_EXAMPLES = ((6, 9), (120, 240), (5040, 10080))
# The errors of operators that do not support the operands.
_REFUSALS = (ArithmeticError, IndexError, TypeError, ValueError, errors.OpError)
# The errors of programs that cannot be traced with symbolic sizes.
_NOT_SYMBOLIC = (
    errors.UnimplementedError,
    errors.FreshSizeError,
    errors.CapacityError,
    jax.errors.JAXTypeError,
)
_MAX_KNOWN_ELEMENTS = 16
_MAX_CACHED = 20000


@dataclasses.dataclass(frozen=True)
class Outline:
    """The inferred properties of an operator call's results.

    Attributes:
      tree: the structure of the results.
      shapes: the shape of each array, a tuple with `None` for unknown sizes; `None` if the rank is
        unknown.
      dtypes: the dtype of each array.
      links: for each array the positions of the operands with respect to which it is
        differentiable.
      draws: the kernel and seed of each random operator inside the call.
      rows: the indices of the operands from which rows are gathered, and which are not used
        otherwise.
    """

    tree: Any
    shapes: tuple
    dtypes: tuple[DType, ...]
    links: tuple[frozenset[int], ...]
    draws: tuple = ()
    rows: frozenset[int] = frozenset()


_CACHE: dict[Any, Outline] = {}


def outline(f, operands: list[Tensor], key=None, coordinates=()) -> Outline:
    """Infer the properties of the results of `f(*operands)`, without computing them.

    Args:
      f: a function of arrays.
      operands: the graph tensors of its arguments.
      key: a hashable cache key, equal for calls of equal meaning; `None` disables the cache.
      coordinates: pairs of operands: the indices and the shape of a sparse tensor of unknown rank.

    Raises:
      ValueError, TypeError: the operator does not support operands of these shapes and dtypes.
    """
    whole = {t: known_producers(t) for t in operands if _may_be_known(t)}
    whole = {t: producers for t, producers in whole.items() if producers is not None}
    if key is not None and not whole:
        key = (key, tuple((t.shape._dims, t.dtype.name) for t in operands))
        found = _CACHE.get(key)
        if found is not None:
            return found
    result = _infer_outline(f, operands, whole, coordinates)
    if key is not None and not whole and len(_CACHE) < _MAX_CACHED:
        _CACHE[key] = result
    return result


def _infer_outline(f, operands, whole, coordinates) -> Outline:
    leaves = list(dict.fromkeys(leaf for t in operands for leaf in _leaves_of(t, whole)))

    def traced(*values):
        known = dict(zip(leaves, values, strict=True))
        for producers in whole.values():
            for op in producers:
                known.update(zip(op.outputs, op.compute(_NoRun, op, [known[t] for t in op.inputs])))
        return f(*(known[t] for t in operands))

    with jax.enable_x64(True), state.state_scope(state.Overlay()):
        found = _trace_over_ranks(traced, leaves, coordinates)
    taken: dict[Tensor, set[int]] = {}
    for k, t in enumerate(operands):
        taken.setdefault(t, set()).add(k)
    places = {i: frozenset(taken.get(leaf, ())) for i, leaf in enumerate(leaves)}
    none: frozenset[int] = frozenset()
    links = tuple(none.union(*(places.get(i, none) for i in link)) for link in found.links)
    rows = none.union(*(places.get(i, none) for i in found.rows))
    return dataclasses.replace(found, links=links, rows=rows)


class _NoRun:
    """A placeholder for the `Run` of a session, used to compute static values while a graph is built."""


def _may_be_known(tensor: Tensor) -> bool:
    """Return whether to look for the static value of a tensor: few elements, integers or bools."""
    if not (tensor.dtype.is_integer or tensor.dtype.is_bool):
        return False
    sizes = tensor.shape._dims
    return (
        sizes is not None
        and len(sizes) <= 1
        and (not sizes or 0 <= (sizes[0] or 0) <= _MAX_KNOWN_ELEMENTS)
    )


def known_producers(tensor: Tensor):
    """Return the operations that compute a small tensor from static shapes and constants only.

    Returns `None` if the tensor depends on other values.
    """
    found: dict = {}
    return list(found) if _collect_producers(tensor, found) else None


def _collect_producers(tensor: Tensor, found: dict) -> bool:
    op = tensor.op
    if op in found:
        return True
    if op.on_host:  # it is of texts, which are not traced
        return False
    if op.type in ("Shape", "Size", "Rank"):
        found[op] = None
        return True
    if not op.attributes.get("pure") or len(found) > 64:
        return False
    for given in op.inputs:
        if not _may_be_known(given) or not _collect_producers(given, found):
            return False
    found[op] = None
    return True


def _leaves_of(tensor: Tensor, whole) -> list[Tensor]:
    producers = whole.get(tensor)
    if producers is None:
        return [tensor]
    made = {t for op in producers for t in op.outputs}
    return [t for op in producers for t in op.inputs if t not in made]


def _trace_over_ranks(f, leaves, coordinates) -> Outline:
    unknown = [t for t in leaves if t.shape.rank is None]
    if not unknown and not coordinates:
        return _trace(f, leaves, {})

    def sizes(rank: int) -> dict[Tensor, tuple]:
        known = dict.fromkeys(unknown, (None,) * rank)
        known.update({t: (None, rank) for t, _ in coordinates})
        return {**known, **{t: (rank,) for _, t in coordinates}}

    try:
        return _trace_with_every_size(_trace, f, leaves, [sizes(rank) for rank in _RANKS])
    except _REFUSALS as error:
        refused = error
    try:
        return _trace_with_every_size(_trace, f, leaves, [sizes(rank) for rank in _HIGH_RANKS])
    except _REFUSALS:
        raise refused from None


def _trace_with_every_size(trace_with, f, leaves, every_sizes) -> Outline:
    """Trace an operator once for each choice of its unknown sizes; combine the inferred results.

    Sizes on which the traces differ are unknown. Choices that the operator rejects are skipped.
    """
    found, first = [], None
    for sizes in every_sizes:
        try:
            found.append(trace_with(f, leaves, sizes))
        except _REFUSALS as error:  # other sizes may work
            first = first or error
    if not found:
        assert first is not None
        raise first
    same = [o for o in found if o.tree == found[0].tree and o.dtypes == found[0].dtypes]
    shapes = tuple(_common_shape(shapes) for shapes in zip(*(o.shapes for o in same), strict=True))
    return dataclasses.replace(same[0], shapes=shapes)


def _common_shape(shapes):
    """Return the shape with the sizes on which all shapes agree; `None` if the ranks differ."""
    if any(s is None or len(s) != len(shapes[0]) for s in shapes):
        return None
    return tuple(sizes[0] if len(set(sizes)) == 1 else None for sizes in zip(*shapes, strict=True))


def _trace(f, leaves, ranks) -> Outline:
    try:
        return _trace_symbolically(f, leaves, ranks)
    except _NOT_SYMBOLIC as error:
        refused = error
    for examples in _EXAMPLES:
        with contextlib.suppress(*_REFUSALS):
            found = [_trace_with_example_sizes(f, leaves, ranks, size) for size in examples]
            every = zip(*(o.shapes for o in found), strict=True)
            return dataclasses.replace(found[0], shapes=tuple(map(_common_shape, every)))
    return _trace_over_lengths(f, leaves, ranks, refused)


def _trace_over_lengths(f, leaves, ranks, refused) -> Outline:
    """Trace an operator several times, with other lengths of its integer vectors of unknown length.

    Such a vector may hold a shape, so its length is the rank of a result.
    """
    vectors = [t for t in leaves if t.dtype.is_integer and _sizes(t, ranks) == (None,)]
    every = [{**ranks, **dict.fromkeys(vectors, (n,))} for n in _RANKS]
    if not vectors:
        raise refused
    try:
        return _trace_with_every_size(_trace_symbolically, f, leaves, every)
    except _REFUSALS:
        raise refused from None


def specs_of(traced: trace.DynamicTrace, leaves, ranks) -> list[jax.ShapeDtypeStruct]:
    """Return a `ShapeDtypeStruct` for each tensor, with a new symbol for each unknown size.

    Args:
      traced: the trace that owns the symbols.
      leaves: the tensors.
      ranks: a dict from tensors, such as those of unknown rank, to the shapes to use for them.
    """
    count = iter(range(10**6))

    def size(d):
        if d is not None:
            return d
        return traced.declare_fresh(f"p{next(count)}")

    shapes = [tuple(size(d) for d in _sizes(t, ranks)) for t in leaves]
    return [
        jax.ShapeDtypeStruct(shape, t.dtype.dtype) for shape, t in zip(shapes, leaves, strict=True)
    ]


def _trace_symbolically(f, leaves, ranks) -> Outline:
    traced = trace.DynamicTrace(may_assume=True)
    specs = specs_of(traced, leaves, ranks)
    draws: list = []
    with refusals.translating(), streams.outlined(draws):
        program = trace_program(traced, f, specs)
    return _outline_of_jaxpr(program.jaxpr, program.out_tree, draws)


def _trace_with_example_sizes(f, leaves, ranks, example: int) -> Outline:
    box: dict[str, Any] = {}

    def flat(*values):
        leaves, box["tree"] = jax.tree.flatten(f(*values))
        return leaves

    specs = [
        jax.ShapeDtypeStruct(
            tuple(example if d is None else d for d in _sizes(t, ranks)), t.dtype.dtype
        )
        for t in leaves
    ]
    draws: list = []
    hooks.install()  # they mark errors
    with streams.outlined(draws):
        closed = jax.make_jaxpr(flat)(*specs)
    return _outline_of_jaxpr(closed, box["tree"], draws)


def _sizes(tensor, ranks) -> tuple:
    return ranks.get(tensor, tensor.shape._dims)


def _outline_of_jaxpr(closed, tree, draws) -> Outline:
    jaxpr, _ = jp.open_jaxpr(closed)
    avals = [v.aval for v in jaxpr.outvars]
    shapes = tuple(tuple(None if jp.is_symbolic(d) else int(d) for d in a.shape) for a in avals)
    dtypes = tuple(as_dtype(a.dtype) for a in avals)
    links = connectivity.links_through(closed)
    return Outline(tree, shapes, dtypes, links, tuple(draws), only_rows(closed))


def constant_value(tensor, partial: bool = False):
    """Return the value of a tensor if it is statically known, otherwise `None`.

    https://www.tensorflow.org/api_docs/python/tf/get_static_value
    """
    del partial
    if not isinstance(tensor, Tensor):
        return np.asarray(tensor)
    known = tensor.op.attributes.get("value")
    if known is not None:
        return known
    if not _may_be_known(tensor):
        return None
    producers = known_producers(tensor)
    if producers is None or any(t.op not in producers for op in producers for t in op.inputs):
        return None
    values: dict = {}
    with jax.enable_x64(True), state.state_scope(None), streams.outlined():
        for op in producers:
            values.update(zip(op.outputs, op.compute(_NoRun, op, [values[t] for t in op.inputs])))
    found = values[tensor]
    return None if jp.is_tracer(found) else np.asarray(found)


def constant_value_as_shape(tensor) -> GraphShape:
    """Convert a vector tensor to a shape; elements that are not static become unknown sizes."""
    known = tensor.op.attributes.get("shapes", {}).get(tensor.value_index)
    if known is not None:
        return known
    value = constant_value(tensor)
    if value is not None:
        return GraphShape([None if d < 0 else int(d) for d in value])
    op = tensor.op
    if op.type == "Shape" and op.inputs:
        return op.inputs[0].shape
    rank = (tensor.shape._dims or (None,))[0]
    return GraphShape(None if rank is None else [None] * rank)
