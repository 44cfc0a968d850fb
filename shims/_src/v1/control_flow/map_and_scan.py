"""`map_fn`, `scan`, `foldl`, `foldr` in a graph: a function of slices is made once."""

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
    """The results of `fn` for each slice of `elems` along axis 0, stacked.

    Args:
      fn: a function of one slice of `elems`, in the structure of `elems`; called once, now.
      elems: tensors `[n, ...]`, nested.
      dtype: the dtypes that `fn` gives, in its structure; those of `elems` if `None`.
      parallel_iterations: accepted; iterations run one after the other.
      back_prop: False lets nothing be differentiated by what comes out.
      swap_memory: accepted.
      infer_shape: accepted.
      name: the scope of the function.
      fn_output_signature: another name of `dtype`; specs are taken, too.

    Returns:
      Tensors `[n, ...]` in the structure that `fn` gives.

    Raises:
      TypeError: `fn` is no function.
      ValueError: there are no elements or scalars; `fn` gives another structure or dtype.

    Differs from TensorFlow:
      Slices of ragged and sparse tensors are refused.

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
        link(op, made.part, made.places(), back_prop=back_prop)
        return made.rebuild(stacked_outputs(graph, op))


def vectorized_map(fn, elems, fallback_to_while_loop=True, warn=True):
    """The results of `fn` for each slice of `elems` along axis 0, computed side by side.

    Args:
      fn: a function of one slice of `elems`, in the structure of `elems`; called once, now.
      elems: tensors `[n, ...]`, nested.
      fallback_to_while_loop: accepted.
      warn: accepted.

    Returns:
      Tensors `[n, ...]` in the structure that `fn` gives.

    Differs from TensorFlow:
      A `fn` that assigns a variable is refused when the session runs.

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
    """Everything that an accumulator becomes on its way through `elems`, stacked.

    Args:
      fn: from the accumulator and one slice of `elems` to the next accumulator; called once, now.
      elems: tensors `[n, ...]`, nested.
      initializer: the accumulator before the first slice; the first slice itself if missing.
      parallel_iterations: accepted.
      back_prop: False lets nothing be differentiated by what comes out.
      swap_memory: accepted.
      infer_shape: accepted.
      reverse: whether to go from the last slice to the first.
      name: the scope of the function.

    Returns:
      Tensors `[n, ...]` in the structure of the accumulator.

    Raises:
      TypeError: `fn` is no function.
      ValueError: `fn` gives another structure, shape or dtype than the accumulator has.

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
    """What an accumulator becomes on its way through `elems`, from the first slice to the last.

    Args:
      fn: from the accumulator and one slice of `elems` to the next accumulator; called once, now.
      elems: tensors `[n, ...]`, nested.
      initializer: the accumulator before the first slice; the first slice itself if missing.
      parallel_iterations: accepted.
      back_prop: False lets nothing be differentiated by what comes out.
      swap_memory: accepted.
      name: the scope of the function.

    Returns:
      The last accumulator.

    Raises:
      TypeError: `fn` is no function.
      ValueError: `fn` gives another structure, shape or dtype than the accumulator has.

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
    """What an accumulator becomes on its way through `elems`, from the last slice to the first.

    The arguments, the result and the errors are those of `foldl`.

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
        link(op, made.part, made.places(first_again=not start), count, back_prop)
        if kind == "scan":
            return rebuild(stacked_outputs(graph, op))
        shown, counters = ("while/Identity", 3) if MODES.control_flow_v2 else ("while/Exit", 2)
        for _ in range(counters):
            graph.unique_name(shown)
        return rebuild(passed_on(graph, op.outputs, [shown] * count, "Exit"))
