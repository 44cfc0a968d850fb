"""Provide `cond` for graphs: both branches are recorded, and the selected one is computed."""

from __future__ import annotations

import shims
from shims._src.v1.control_flow.blocks import Part, add_outer, begin, finish, passed_on, record
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.flat_structures import flat_tensors
from shims._src.v1.graph.graph import Graph
from shims._src.v1.graph.modes import MODES, executing_eagerly
from shims._src.v1.graph.nodes import Operation, Tensor
from shims._src.v1.graph.shapes import GraphShape


def cond(pred, true_fn=None, false_fn=None, strict=False, name=None, fn1=None, fn2=None):
    """Compute `true_fn()` if `pred` is true when the session runs, otherwise `false_fn()`.

    Args:
      pred: a bool scalar tensor, not a Python bool.
      true_fn: a function without arguments; called once, immediately.
      false_fn: a function that returns the same structure and dtypes.
      strict: whether to return a list of one result as a list, instead of the result itself.
      name: the scope of both branches.
      fn1: an older name of `true_fn`.
      fn2: an older name of `false_fn`.

    Returns:
      Tensors in the structure that both functions return. An operation among the results is replaced by a
      bool.

    Raises:
      TypeError: `pred` is a Python bool or not a bool; a function is missing; the structures
        differ.
      ValueError: a branch returns nothing, or the dtypes differ.

    Differs from TensorFlow:
      The results of both branches may differ in sizes, but must have the same rank.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/cond
    """
    true_fn = _select_argument("true_fn", true_fn, "fn1", fn1)
    false_fn = _select_argument("false_fn", false_fn, "fn2", fn2)
    if executing_eagerly():
        return shims.cond(pred, true_fn, false_fn, name)
    graph = get_default_graph()
    with graph.name_scope(name or "cond") as scope:
        if isinstance(pred, bool):
            raise TypeError("'pred' must not be a Python bool.")
        pred = convert_to_tensor(pred)
        if not pred.dtype.is_bool:
            raise TypeError(
                f"Input 'pred' of 'Switch' Op has type {pred.dtype.name} that does not match "
                "expected type of bool."
            )
        name = scope.rstrip("/") if MODES.control_flow_v2 else graph.unique_name("Switch")
        structures: list = []
        parts = [
            record(graph, lambda f=f, label=label: _call_branch(graph, f, label, structures))
            for label, f in (("true_fn", true_fn), ("false_fn", false_fn))
        ]
        op = _add_operation(graph, name, pred, parts, structures)
        shown = ("Identity", "Identity") if MODES.control_flow_v2 else ("Merge", "Merge")
        merged = passed_on(graph, op.outputs, [shown[0]] * len(op.outputs), shown[1])
    result = structures[0](merged)
    is_one = isinstance(result, (list, tuple)) and len(result) == 1 and not MODES.control_flow_v2
    return result[0] if is_one and not strict and not hasattr(result, "_fields") else result


def _select_argument(name: str, value, old_name: str, old):
    if old is not None:
        if value is not None:
            raise TypeError(f"cond(): '{name}' and '{old_name}' may not be set simultaneously.")
        value = old
    if value is None:
        raise TypeError(f"cond(): '{name}' argument required")
    if not callable(value):
        raise TypeError(f"'{name}' must be callable.")
    return value


def _call_branch(graph: Graph, f, label: str, structures: list) -> list[Tensor]:
    """Call a branch function and return the tensors of its result.

    The function that rebuilds the nested result is appended to `structures`; its structure must be
    that of the other branch, if that was called before.
    """
    result = f()
    if result is None:
        raise ValueError(f"'{label}' must have a return value.")
    tensors, rebuild = flat_tensors(result, done=label == "true_fn")
    if structures and structures[0].shape != rebuild.shape:
        kind = TypeError if structures[0].count == len(tensors) else ValueError
        raise kind(
            "Incompatible return types of 'true_fn' and 'false_fn': The two structures don't have "
            f"the same nested structure.\n  First: {structures[0].shape}\n  Second: {rebuild.shape}"
        )
    structures.append(rebuild)
    return tensors


def _add_operation(
    graph: Graph, name: str, pred: Tensor, parts: list[Part], structures
) -> Operation:
    on_true, on_false = parts
    outputs = []
    for x, y in zip(on_true.outputs, on_false.outputs, strict=True):
        if x.dtype != y.dtype:
            raise ValueError(
                "Outputs of 'true_fn' and 'false_fn' must have the same type(s). Received "
                f"{x.dtype.name} from 'true_fn' and {y.dtype.name} from 'false_fn'."
            )
        outputs.append((either_shape(x.shape, y.shape), x.dtype))
    if not outputs:
        raise ValueError("'true_fn' and 'false_fn' must return at least one result.")
    op = add_outer(graph, "If", name, _compute(parts), [pred], outputs, parts)
    places = {t: i for i, t in enumerate(op.inputs) if i}
    sources = [
        [part.sources(t) for part, t in zip(parts, pair, strict=True)]
        for pair in zip(on_true.outputs, on_false.outputs, strict=True)
    ]
    op.links = tuple(
        frozenset(places[t] for tensors, _ in pair for t in tensors) for pair in sources
    )
    op.attributes["variable_links"] = tuple(
        frozenset(v for _, variables in pair for v in variables) for pair in sources
    )
    return op


def _compute(parts: list[Part]):
    def compute(run, op, values):
        begin(run, op)
        given = dict(zip(op.inputs[1:], values[1:], strict=True))
        thunks = [lambda part=part: part.compute(run, op, given) for part in parts]
        results = shims.cond(values[0], *thunks)
        finish(run, op)
        return results

    return compute


def either_shape(a: GraphShape, b: GraphShape) -> GraphShape:
    """Merge the shapes of two branches' results: sizes that differ become unknown."""
    if a.rank is None or a.rank != b.rank:
        return GraphShape(None)
    return GraphShape(
        [x if x == y else None for x, y in zip(a.as_list(), b.as_list(), strict=True)]
    )
