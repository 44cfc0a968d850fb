"""Record a function of slices once, and apply the recorded operations to all slices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax

import shims
from shims._src.types.dtypes import as_dtype
from shims._src.v1.control_flow.blocks import begin, finish, parameter, passed_on, record
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.flat_structures import flat_tensors
from shims._src.v1.graph.modes import MODES
from shims._src.v1.graph.nodes import Tensor
from shims._src.v1.graph.shapes import GraphShape


class Rows:
    """The tensors that `map_fn` and similar functions split into slices along the first axis.

    Args:
      elems: nested tensors.
      label: the name of the function in messages.

    Attributes:
      tensors: the flat tensors.
      rebuild: the function that restores the nested structure from flat tensors.
      count: the number of slices, as a shape of rank 1.
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
        """Return, for each tensor, the shape and dtype of one slice."""
        return [(t.shape[1:], t.dtype) for t in self.tensors]


def spec_of(tensor) -> tuple:
    """Return the shape and dtype of a tensor; return a pair of shape and dtype unchanged."""
    return tensor if isinstance(tensor, tuple) else (tensor.shape, tensor.dtype)


class RecordedFunction:
    """A function of slices whose operations were recorded by calling it once.

    Args:
      call: the function of a flat list of slices.

    Attributes:
      parameters: the placeholders of the slices.
      part: the recorded operations.
      rebuild: the function that restores the nested structure of the results.
    """

    def __init__(self, call: Callable):
        self._call = call

    def record(self, specs: Sequence[tuple]) -> None:
        """Record the operations of the function by calling it with placeholders.

        specs: the shapes and dtypes of the placeholders.
        """
        graph = get_default_graph()

        def called() -> list[Tensor]:
            self.parameters = [
                parameter(graph, graph.unique_name("TensorArrayReadV3"), *spec) for spec in specs
            ]
            tensors, self.rebuild = flat_tensors(self._call(self.parameters))
            return tensors

        self.part = record(graph, called)

    def places(self, first_again: bool = False) -> dict[Tensor, int]:
        """Return, for each parameter, the index of the operation's input that holds its first value.

        Args:
          first_again: whether no initial accumulators are given, so the first slices of `elems`
            replace them; an accumulator then has the same input as its slice.
        """
        count = len(self.parameters)
        half = count // 2
        return {t: i % half if first_again else i for i, t in enumerate(self.parameters[:count])}


def row_computation(
    made: RecordedFunction, kind: str, starts: int, count: int, options: Any = None
):
    """Return the `compute` function of an operation that applies a recorded function to all slices."""
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


def stacked_outputs(graph, op) -> list[Tensor]:
    """Pass an operation's outputs through identities with TensorFlow's names of stacked tensors."""
    v2 = MODES.control_flow_v2
    found = []
    for tensor in op.outputs:
        with graph.name_scope("TensorArrayV2Stack" if v2 else "TensorArrayStack"):
            name = "TensorListStack" if v2 else "TensorArrayGatherV3"
            found.append(passed_on(graph, [tensor], [name], name)[0])
    return found


def check_outputs(made: RecordedFunction, wanted, sliced: Rows) -> None:
    """Check that the results of the recorded `fn` of `map_fn` have the declared structure and dtypes."""
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


def check_accumulators(kind: str, made: RecordedFunction, rebuild, first) -> None:
    """Check that the recorded `fn` returns the structure, shapes and dtypes of its accumulator."""
    if made.rebuild.shape != rebuild.shape:
        raise ValueError(
            "The two structures don't have the same nested structure.\n"
            f"  First: {rebuild.shape}\n  Second: {made.rebuild.shape}"
        )
    for (shape, dtype), tensor in zip(first, made.part.outputs, strict=True):
        if tensor.dtype != dtype:
            raise TypeError(
                f"{kind}: the accumulator has the dtype {dtype.name}, but `fn` returns "
                f"{tensor.dtype.name}."
            )
        if not tensor.shape.is_compatible_with(shape):
            raise ValueError(
                f"{kind}: the accumulator has shape {shape}, but the result of `fn` has shape {tensor.shape}."
            )
