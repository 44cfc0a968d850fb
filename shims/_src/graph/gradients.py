"""`gradients` in a graph: an operation that differentiates what the session computes before it."""

from __future__ import annotations

from collections.abc import Sequence

import jax.numpy as jnp

from shims._src import graph_gradients
from shims._src.connectivity import is_differentiable
from shims._src.graph.conversion import convert_to_tensor
from shims._src.graph.graph import Graph, current_graph
from shims._src.graph.modes import executing_eagerly
from shims._src.graph.operation import Operation
from shims._src.graph.tensor import Tensor
from shims._src.graph.variables import GraphVariable
from shims._src.unconnected_gradients import UnconnectedGradients, check_unconnected


def gradients(
    ys,
    xs,
    grad_ys=None,
    name="gradients",
    colocate_gradients_with_ops=False,
    gate_gradients=False,
    aggregation_method=None,
    stop_gradients=None,
    unconnected_gradients=UnconnectedGradients.NONE,
):
    """The gradients of the sum of all elements of `ys` by each of `xs`.

    Args:
      ys: a tensor or a list of them.
      xs: a tensor or variable, or a list of them.
      grad_ys: weights of the elements of `ys`, a tensor for each or `None`.
      name: the scope of the operation.
      colocate_gradients_with_ops: accepted.
      gate_gradients: accepted.
      aggregation_method: accepted.
      stop_gradients: tensors behind which nothing is differentiated.
      unconnected_gradients: what stands for an `x` that no `y` depends on.

    Returns:
      A list with a tensor for each of `xs`, or `None` where no `y` depends on it.

    Raises:
      RuntimeError: eager execution is on.
      ValueError: `grad_ys` do not fit.

    Differs from TensorFlow:
      One operation stands for all operations of the way back.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/gradients
    """
    del colocate_gradients_with_ops, gate_gradients, aggregation_method
    if executing_eagerly():
        raise RuntimeError(
            "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape "
            "instead."
        )
    ys = [convert_to_tensor(y) for y in _listed(ys)]
    xs = [x if isinstance(x, GraphVariable) else convert_to_tensor(x) for x in _listed(xs)]
    stops = [x if isinstance(x, GraphVariable) else convert_to_tensor(x) for x in _listed(stop_gradients)]
    weights = [None] * len(ys) if grad_ys is None else _listed(grad_ys)
    if len(weights) != len(ys):
        raise ValueError(f"Must specify one grad_y for each y; {len(weights)} vs {len(ys)}")
    graph = current_graph()
    with graph.name_scope(name or "gradients") as scope:
        weights = [None if g is None else convert_to_tensor(g) for g in weights]
        zero = check_unconnected(unconnected_gradients) == UnconnectedGradients.ZERO
        reached = connected(ys, xs, stops)
        kept = [x for x, ok in zip(xs, reached, strict=True) if ok or zero]
        kept = list(dict.fromkeys(kept))
        if not kept:
            return [None] * len(xs)
        found = _operation(graph, scope, ys, kept, weights, stops)
        by_source = dict(zip(kept, found.outputs, strict=True))
    return [by_source.get(x) for x in xs]


def _operation(graph: Graph, scope, ys, xs, weights, stops) -> Operation:
    """The operation whose outputs are the gradients by `xs`."""
    given = [w for w in weights if w is not None]
    tensors = [x for x in [*xs, *stops] if isinstance(x, Tensor)]

    def compute(run, op, values):
        of_ys, rest = values[: len(ys)], iter(values[len(ys) + len(tensors) :])
        cotangents = [None if w is None else next(rest) for w in weights]
        sources = [_source(run, x) for x in xs]
        found = graph_gradients.gradients(
            [jnp.asarray(y) for y in of_ys],
            sources,
            cotangents,
            stop_gradients=[_source(run, x) for x in stops],
            unconnected_gradients=UnconnectedGradients.ZERO,
        )
        return [jnp.asarray(g) for g in found]

    op = Operation(
        graph,
        "Gradients",
        graph.unique_name("gradients") if not scope else f"{scope}{_last(ys)}_grad",
        compute,
        [*ys, *tensors, *given],
        [(x.shape, x.dtype) for x in xs],
        graph.present_control_inputs(),
    )
    op.attributes["copied"] = tuple(tensors)
    op.attributes["variables"] = tuple(x for x in [*xs, *stops] if isinstance(x, GraphVariable))
    every = frozenset(range(len(op.inputs)))
    op.links = tuple(every if is_differentiable(t) else frozenset() for t in op.outputs)
    return op


def _last(ys) -> str:
    return ys[-1].op.name.replace("/", "_")


def _source(run, x):
    """The value by which something is differentiated."""
    if isinstance(x, Tensor):
        return run.values[x] if x.read_of is None else run.first_read(x.read_of)
    return run.first_read(x)


def connected(ys: Sequence[Tensor], xs, stops=()) -> list[bool]:
    """Which of `xs` some of `ys` depend on in a way that TensorFlow differentiates."""
    ends = set(stops)
    seen: set = set()
    waiting = [y for y in ys if is_differentiable(y)]
    wanted = set(xs)
    while waiting:
        tensor = waiting.pop()
        if tensor in seen:
            continue
        seen.add(tensor)
        if tensor.read_of is not None:
            seen.add(tensor.read_of)
        if tensor in ends or tensor.read_of in ends:
            continue
        op = tensor.op
        links = op.links[tensor.value_index] if op.links else range(len(op.inputs))
        waiting.extend(op.inputs[i] for i in links if is_differentiable(op.inputs[i]))
    del wanted
    return [_is_source(x) and x in seen for x in xs]


def _is_source(x) -> bool:
    return is_differentiable(x)


def _listed(values) -> list:
    if values is None:
        return []
    return list(values) if isinstance(values, (list, tuple)) else [values]
