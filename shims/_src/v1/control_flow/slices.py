"""`map_fn`, `scan`, `foldl`, `foldr` in a graph: a function of slices is made once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax

import shims
from shims._src.types.dtypes import as_dtype
from shims._src.v1.control_flow.blocks import (
    add_outer,
    begin,
    finish,
    link,
    parameter,
    passed_on,
    record,
)
from shims._src.v1.graph.composites import flat_tensors
from shims._src.v1.graph.default_graph import get_default_graph
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
        sliced = _Sliced(elems, "map_fn")
        made = _Made(lambda given: fn(sliced.rebuild(given)))
        made.record(sliced.rows())
        _check_outputs(made, elems if signature is None else signature, sliced)
        compute = _compute(made, "map_fn", 0, len(sliced.tensors))
        outputs = [(sliced.count.concatenate(t.shape), t.dtype) for t in made.part.outputs]
        op = add_outer(
            graph, "Map", graph.unique_name("while"), compute, sliced.tensors, outputs, [made.part]
        )
        link(op, made.part, made.places(), back_prop=back_prop)
        return made.rebuild(_stacks(graph, op))


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
        sliced = _Sliced(elems, "vectorized_map")
        made = _Made(lambda given: fn(sliced.rebuild(given)))
        made.record(sliced.rows())
        compute = _compute(made, "vectorized_map", 0, len(sliced.tensors))
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
    return _accumulated("scan", fn, elems, initializer, back_prop, name, reverse)


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
    return _accumulated("foldl", fn, elems, initializer, back_prop, name)


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
    return _accumulated("foldr", fn, elems, initializer, back_prop, name)


def _accumulated(kind: str, fn, elems, initializer, back_prop, name, reverse: bool = False):
    if not callable(fn):
        raise TypeError(f"{kind}: the provided function is not callable. fn must be callable.")
    graph = get_default_graph()
    with graph.name_scope(name or kind):
        sliced = _Sliced(elems, kind)
        start: list[Tensor] = []
        if initializer is None:
            rebuild, first = sliced.rebuild, [_specs(t) for t in sliced.rows()]
        else:
            start, rebuild = flat_tensors(initializer)
            first = [_specs(t) for t in start]
        count = len(first)
        made = _Made(lambda given: fn(rebuild(given[:count]), sliced.rebuild(given[count:])))
        made.record([*first, *(_specs(t) for t in sliced.rows())])
        _check_kept(kind, made, rebuild, first)
        options = {"reverse": reverse} if kind == "scan" else {}
        compute = _compute(made, kind, len(start), len(sliced.tensors), options)
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
            return rebuild(_stacks(graph, op))
        shown, counters = ("while/Identity", 3) if MODES.control_flow_v2 else ("while/Exit", 2)
        for _ in range(counters):
            graph.unique_name(shown)
        return rebuild(passed_on(graph, op.outputs, [shown] * count, "Exit"))


class _Sliced:
    """The tensors whose slices a function gets.

    Args:
      elems: nested tensors.
      label: how messages call the function.

    Attributes:
      tensors: the tensors.
      rebuild: how flat slices become nested.
      count: the number of slices, as a shape of one axis.
    """

    def __init__(self, elems, label: str):
        self.tensors, self.rebuild = flat_tensors(elems)
        if not self.tensors:
            raise ValueError(
                "elems must be a Tensor or (possibly nested) sequence of Tensors. Got "
                f"{elems}, which does not contain any Tensors."
            )
        self.count = GraphShape([None])
        for tensor in self.tensors:
            if tensor.shape.rank == 0:
                raise ValueError(
                    f"{label}: elements in elems must be 1+ dimensional Tensors, not scalars"
                )
            self.count = self.count.merge_with(tensor.shape[:1])

    def rows(self) -> list[tuple]:
        """Shape and dtype of one slice of each."""
        return [(t.shape[1:], t.dtype) for t in self.tensors]


def _specs(tensor) -> tuple:
    return tensor if isinstance(tensor, tuple) else (tensor.shape, tensor.dtype)


class _Made:
    """A function of slices, called once.

    Args:
      call: the function of a flat list of slices.

    Attributes:
      parameters: what stands for the slices.
      part: what it made.
      rebuild: how its flat results become nested.
    """

    def __init__(self, call: Callable):
        self._call = call

    def record(self, specs: Sequence[tuple]) -> None:
        """Call the function with parameters of some shapes and dtypes."""
        graph = get_default_graph()

        def called() -> list[Tensor]:
            self.parameters = [
                parameter(graph, graph.unique_name("TensorArrayReadV3"), *spec) for spec in specs
            ]
            tensors, self.rebuild = flat_tensors(self._call(self.parameters))
            return tensors

        self.part = record(graph, called)

    def places(self, first_again: bool = False) -> dict[Tensor, int]:
        """Which input each parameter comes from.

        Args:
          first_again: the accumulators come from the slices, too.
        """
        count = len(self.parameters)
        half = count // 2
        return {t: i % half if first_again else i for i, t in enumerate(self.parameters[:count])}


def _compute(made: _Made, kind: str, starts: int, count: int, options: Any = None):
    """The computation of an operation over slices."""
    part, parameters = made.part, made.parameters
    known = starts + count
    dtypes = [t.dtype for t in part.outputs]

    def compute(run, op, values):
        begin(run, op)
        captured = dict(zip(op.inputs[known:], values[known:], strict=True))

        def of(*slices):
            given = dict(zip(parameters, jax.tree.leaves(slices), strict=True))
            return part.compute(run, op, {**captured, **given})

        start, elems = list(values[:starts]), list(values[starts:known])
        if kind == "map_fn":
            results = shims.map_fn(of, elems, fn_output_signature=dtypes)
        elif kind == "vectorized_map":
            results = shims.vectorized_map(of, elems)
        else:
            results = getattr(shims, kind)(of, elems, start or None, **(options or {}))
        finish(run, op)
        return results

    return compute


def _stacks(graph, op) -> list[Tensor]:
    """The outputs under the names of the stacked lists that TensorFlow makes."""
    v2 = MODES.control_flow_v2
    found = []
    for tensor in op.outputs:
        with graph.name_scope("TensorArrayV2Stack" if v2 else "TensorArrayStack"):
            name = "TensorListStack" if v2 else "TensorArrayGatherV3"
            found.append(passed_on(graph, [tensor], [name], name)[0])
    return found


def _check_outputs(made: _Made, wanted, sliced: _Sliced) -> None:
    """Refuse a function that gives another structure or other dtypes than was said."""
    leaves, tree = jax.tree.flatten(wanted, is_leaf=_is_spec)
    if str(tree) != made.rebuild.shape:
        kind = ValueError if len(leaves) != made.rebuild.count else TypeError
        raise kind(
            "The two structures don't have the same nested structure.\n"
            f"  First: {tree}\n  Second: {made.rebuild.shape}"
        )
    specs = sliced.tensors if wanted is not None and not leaves else leaves
    for spec, tensor in zip(specs, made.part.outputs, strict=True):
        dtype = as_dtype(getattr(spec, "dtype", spec))
        if dtype != tensor.dtype:
            raise ValueError(
                f"Error in map_fn:\n  Expected `fn` to return a:\n    {dtype.name}\n  But it "
                f"returned a:\n    {tensor.dtype.name}\n  To fix, update the "
                "`fn_output_signature` (or `dtype`) argument to `map_fn`."
            )


def _is_spec(value) -> bool:
    return not isinstance(value, (list, tuple, dict)) or hasattr(value, "dtype")


def _check_kept(kind: str, made: _Made, rebuild, first) -> None:
    """Refuse a function that gives another structure, shape or dtype than it was given."""
    if made.rebuild.shape != rebuild.shape:
        raise ValueError(
            "The two structures don't have the same nested structure.\n"
            f"  First: {rebuild.shape}\n  Second: {made.rebuild.shape}"
        )
    for (shape, dtype), tensor in zip(first, made.part.outputs, strict=True):
        if tensor.dtype != dtype:
            raise TypeError(
                f"{kind}: the accumulator has the dtype {dtype.name}, and `fn` gives "
                f"{tensor.dtype.name}."
            )
        if not tensor.shape.is_compatible_with(shape):
            raise ValueError(
                f"{kind}: the accumulator has the shape {shape}, and `fn` gives {tensor.shape}."
            )
