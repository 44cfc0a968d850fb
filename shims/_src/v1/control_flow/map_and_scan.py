"""Provide `map_fn`, `scan`, `foldl` and `foldr` for graphs; `fn` is called and recorded once."""

from __future__ import annotations

import shims
from shims._src.v1.control_flow.blocks import add_outer, link, passed_on
from shims._src.v1.control_flow.row_functions import (
    RecordedFunction,
    Rows,
    check_accumulators,
    check_outputs,
    row_computation,
    spec_of,
    stacked_outputs,
)
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.flat_structures import flat_tensors
from shims._src.v1.graph.modes import MODES, executing_eagerly
from shims._src.v1.graph.nodes import Tensor
from shims._src.v1.graph.shapes import GraphShape


def map_fn(
    fn,
    elems,
    dtype=None,
    parallel_iterations=None,
    back_prop=True,
    swap_memory=False,
    infer_shape=True,
    name=None,
    fn_output_signature=None,
):
    """Apply `fn` to each slice of `elems` along axis 0, and stack the results.

    Args:
      fn: a function of one slice of `elems`, in the structure of `elems`; called once,
        immediately.
      elems: nested tensors `[n, ...]`.
      dtype: the dtypes of the results of `fn`, in its structure; the dtypes of `elems` when `None`.
      parallel_iterations: accepted and ignored; iterations run sequentially.
      back_prop: whether the results are differentiable.
      swap_memory: accepted and ignored.
      infer_shape: accepted and ignored.
      name: the scope of the function.
      fn_output_signature: another name of `dtype`, which also accepts specs.

    Returns:
      Tensors `[n, ...]` in the structure that `fn` returns.

    Raises:
      TypeError: `fn` is not a function.
      ValueError: `elems` is empty or contains scalars; `fn` returns a different structure or dtype.

    Differs from TensorFlow:
      Ragged and sparse tensors are not supported.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/map_fn
    """
    signature = dtype if fn_output_signature is None else fn_output_signature
    if not callable(fn):
        raise TypeError("The provided function is not callable. fn must be callable.")
    if executing_eagerly():
        return shims.map_fn(fn, elems, fn_output_signature=signature)
    del parallel_iterations, swap_memory, infer_shape
    graph = get_default_graph()
    with graph.name_scope(name or "map"):
        sliced = Rows(elems, "map_fn")
        made = RecordedFunction(lambda given: fn(sliced.rebuild(given)))
        made.record(sliced.rows())
        check_outputs(made, elems if signature is None else signature, sliced)
        compute = row_computation(made, "map_fn", 0, len(sliced.tensors))
        outputs = [(sliced.count.concatenate(t.shape), t.dtype) for t in made.part.outputs]
        op = add_outer(
            graph, "Map", graph.unique_name("while"), compute, sliced.tensors, outputs, [made.part]
        )
        op.attributes["loop"] = ("map_fn", (tuple(made.parameters),))
        link(op, made.part, made.places(), back_prop=back_prop)
        return made.rebuild(stacked_outputs(graph, op))


def vectorized_map(fn, elems, fallback_to_while_loop=True, warn=True):
    """Apply `fn` to all slices of `elems` along axis 0 in parallel, and stack the results.

    Args:
      fn: a function of one slice of `elems`, in the structure of `elems`; called once,
        immediately.
      elems: nested tensors `[n, ...]`.
      fallback_to_while_loop: accepted and ignored.
      warn: accepted and ignored.

    Returns:
      Tensors `[n, ...]` in the structure that `fn` returns.

    Differs from TensorFlow:
      If `fn` assigns a variable, running the session raises an error.

    https://www.tensorflow.org/api_docs/python/tf/vectorized_map
    """
    del fallback_to_while_loop, warn
    if executing_eagerly():
        return shims.vectorized_map(fn, elems)
    graph = get_default_graph()
    with graph.name_scope("loop_body"):
        sliced = Rows(elems, "vectorized_map")
        made = RecordedFunction(lambda given: fn(sliced.rebuild(given)))
        made.record(sliced.rows())
        compute = row_computation(made, "vectorized_map", 0, len(sliced.tensors))
        outputs = [(sliced.count.concatenate(t.shape), t.dtype) for t in made.part.outputs]
        op = add_outer(
            graph,
            "VectorizedMap",
            graph.unique_name("pfor"),
            compute,
            sliced.tensors,
            outputs,
            [made.part],
        )
        op.attributes["loop"] = ("map_fn", (tuple(made.parameters),))
        link(op, made.part, made.places())
        return made.rebuild(op.outputs)


def scan(
    fn,
    elems,
    initializer=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    infer_shape=True,
    reverse=False,
    name=None,
):
    """Accumulate over the slices of `elems`, and stack all intermediate accumulators.

    Args:
      fn: a function of the accumulator and one slice of `elems` that returns the next
        accumulator; called once, immediately.
      elems: nested tensors `[n, ...]`.
      initializer: the initial accumulator; the first slice if missing.
      parallel_iterations: accepted and ignored.
      back_prop: whether the results are differentiable.
      swap_memory: accepted and ignored.
      infer_shape: accepted and ignored.
      reverse: whether to go from the last slice to the first.
      name: the scope of the function.

    Returns:
      Tensors `[n, ...]` in the structure of the accumulator.

    Raises:
      TypeError: `fn` is not a function.
      ValueError: the structure, shape or dtype of the result of `fn` differs from the
        accumulator's.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/scan
    """
    if executing_eagerly():
        return shims.scan(fn, elems, initializer, reverse=reverse)
    del parallel_iterations, swap_memory, infer_shape
    return _accumulate("scan", fn, elems, initializer, back_prop, name, reverse)


def foldl(
    fn,
    elems,
    initializer=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    name=None,
):
    """Accumulate over the slices of `elems` from the first to the last.

    Args:
      fn: a function of the accumulator and one slice of `elems` that returns the next
        accumulator; called once, immediately.
      elems: nested tensors `[n, ...]`.
      initializer: the initial accumulator; the first slice if missing.
      parallel_iterations: accepted and ignored.
      back_prop: whether the results are differentiable.
      swap_memory: accepted and ignored.
      name: the scope of the function.

    Returns:
      The final accumulator.

    Raises:
      TypeError: `fn` is not a function.
      ValueError: the structure, shape or dtype of the result of `fn` differs from the
        accumulator's.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/foldl
    """
    if executing_eagerly():
        return shims.foldl(fn, elems, initializer)
    del parallel_iterations, swap_memory
    return _accumulate("foldl", fn, elems, initializer, back_prop, name)


def foldr(
    fn,
    elems,
    initializer=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    name=None,
):
    """Accumulate over the slices of `elems` from the last to the first.

    Arguments, result and errors are those of `foldl`.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/foldr
    """
    if executing_eagerly():
        return shims.foldr(fn, elems, initializer)
    del parallel_iterations, swap_memory
    return _accumulate("foldr", fn, elems, initializer, back_prop, name)


def _accumulate(kind: str, fn, elems, initializer, back_prop, name, reverse: bool = False):
    if not callable(fn):
        raise TypeError(f"{kind}: the provided function is not callable. fn must be callable.")
    graph = get_default_graph()
    with graph.name_scope(name or kind):
        sliced = Rows(elems, kind)
        start: list[Tensor] = []
        if initializer is None:
            rebuild, first = sliced.rebuild, [spec_of(t) for t in sliced.rows()]
        else:
            start, rebuild = flat_tensors(initializer)
            first = [spec_of(t) for t in start]
        count = len(first)
        made = RecordedFunction(
            lambda given: fn(rebuild(given[:count]), sliced.rebuild(given[count:]))
        )
        made.record([*first, *(spec_of(t) for t in sliced.rows())])
        check_accumulators(kind, made, rebuild, first)
        options = {"reverse": reverse} if kind == "scan" else {}
        compute = row_computation(made, kind, len(start), len(sliced.tensors), options)
        more = sliced.count if kind == "scan" else GraphShape([])
        outputs = [(more.concatenate(t.shape), t.dtype) for t in made.part.outputs]
        inputs = [*start, *sliced.tensors]
        op = add_outer(
            graph,
            kind.capitalize(),
            graph.unique_name("while"),
            compute,
            inputs,
            outputs,
            [made.part],
        )
        named = f"reversed {kind}" if reverse else kind
        op.attributes["loop"] = (named, (tuple(made.parameters),))
        link(op, made.part, made.places(first_again=not start), count, back_prop)
        if kind == "scan":
            return rebuild(stacked_outputs(graph, op))
        shown, counters = ("while/Identity", 3) if MODES.control_flow_v2 else ("while/Exit", 2)
        for _ in range(counters):
            graph.unique_name(shown)
        return rebuild(passed_on(graph, op.outputs, [shown] * count, "Exit"))
