"""Provide `gradients` and `hessians` for graphs, as operations that differentiate with JAX."""

from __future__ import annotations

import warnings

import jax.numpy as jnp

from shims._src.errors import errors
from shims._src.gradients import graph_gradients
from shims._src.gradients.unconnected_gradients import UnconnectedGradients, check_unconnected
from shims._src.recording.connectivity import is_differentiable
from shims._src.recording.contexts import inside_function
from shims._src.recording.indexed_slices import IndexedSlices
from shims._src.sizes.primitives import as_size
from shims._src.types.dtypes import int32
from shims._src.v1.gradients.gradient_dependence import depends
from shims._src.v1.gradients.gradient_paths import GradientPaths, mark_loops
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.graph import Graph
from shims._src.v1.graph.modes import executing_eagerly
from shims._src.v1.graph.nodes import Operation, Tensor, variable_behind
from shims._src.v1.session.execution_plan import every_operation
from shims._src.v1.variables.variables import GraphVariable


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
    """Compute the gradients of the sum of all elements of `ys` with respect to each of `xs`.

    Args:
      ys: a tensor or a list of them.
      xs: a tensor or variable, or a list of them.
      grad_ys: the cotangent of each of the `ys`, a tensor or `None`. `None` stands for ones.
      name: the scope of the operation.
      colocate_gradients_with_ops: accepted and ignored.
      gate_gradients: accepted and ignored.
      aggregation_method: accepted and ignored.
      stop_gradients: tensors through which no gradient flows.
      unconnected_gradients: the gradient of an `x` that no `y` depends on, which is `NONE` or `ZERO`.

    Returns:
      A list with a tensor for each `x` of `xs`, or `None` for an `x` on which no `y` depends.

    Raises:
      RuntimeError: eager execution is on.
      ValueError: `grad_ys` does not match `ys` in number or shapes.

    Differs from TensorFlow:
      One operation computes the whole backward pass. Inside a branch, loop or function, the
      gradient of gathered rows is dense.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/gradients
    """
    del colocate_gradients_with_ops, gate_gradients, aggregation_method
    if executing_eagerly() and inside_function():
        return graph_gradients.gradients(
            *(ys, xs, grad_ys),
            stop_gradients=stop_gradients,
            unconnected_gradients=unconnected_gradients,
        )
    if executing_eagerly():
        raise RuntimeError(
            "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape "
            "instead."
        )
    ys = [convert_to_tensor(y) for y in _as_list(ys)]
    sources = [_as_source(x) for x in _as_list(xs)]
    stops = [_as_source(x) for x in _as_list(stop_gradients)]
    weights = [None] * len(ys) if grad_ys is None else _as_list(grad_ys)
    if len(weights) != len(ys):
        raise ValueError(f"Must specify one grad_y for each y; {len(weights)} vs {len(ys)}")
    graph = get_default_graph()
    with graph.name_scope(name or "gradients") as scope:
        weights = [
            None if g is None else _as_cotangent(g, y) for g, y in zip(weights, ys, strict=True)
        ]
        zero = check_unconnected(unconnected_gradients) == UnconnectedGradients.ZERO
        paths = GradientPaths(ys, stops)
        mark_loops(paths.operations)
        reached = _sources_with_gradient(graph, ys, list(dict.fromkeys(sources)), paths)
        kept = list(dict.fromkeys(x for x in sources if x in reached or zero))
        if not kept:
            return [None] * len(sources)
        rows = [x in reached and paths.takes_only_rows(x) for x in kept]
        for x, is_rows in zip(kept, rows, strict=True):
            if not is_rows:
                _warn_of_rows_inside(x, paths.operations)
        found = _add_operation(graph, scope, ys, kept, weights, stops, rows)
        by_source = dict(zip(kept, _combine_rows(found.outputs, rows), strict=True))
    return [by_source.get(x) for x in sources]


def _sources_with_gradient(graph: Graph, ys, sources, paths: GradientPaths) -> set:
    """Return the sources for which TensorFlow's gradient of `ys` is not `None`."""
    found = [x for x in sources if paths.reaches(x)]
    if not any(op.type == "Gradients" for op in paths.operations):
        return set(found)
    used = depends(graph, ys, found, paths.operations)
    return {x for x, is_used in zip(found, used, strict=True) if is_used}


def _warn_of_rows_inside(x, operations) -> None:
    """Warn if rows of `x` are gathered in a branch or loop: the gradient of `x` is then dense.

    In TensorFlow it is an `IndexedSlices`.
    """
    inside = [op for op in every_operation(operations) if op.block is not op.graph.root]
    if any(op.inputs[i].read_of is x for op in inside for i in op.attributes.get("rows", ())):
        warnings.warn(
            errors.message(
                "gradients",
                f"rows of {x.name} are gathered inside a branch or a loop: here, the gradient of {x.name} is dense, "
                "but in TensorFlow it is `IndexedSlices`.",
                do=(
                    "gather the rows before the loop, or use an optimizer that does not change "
                    "rows without a gradient: gradient descent, Adagrad, Adam"
                ),
            ),
            stacklevel=3,
        )


def _as_source(x):
    if isinstance(x, GraphVariable):
        return x
    found = variable_behind(x)
    return convert_to_tensor(x) if found is None else found


def _as_cotangent(weight, y: Tensor) -> Tensor:
    """Convert the cotangent of a result to a tensor, and check its dtype and shape."""
    tensor = convert_to_tensor(weight, None if hasattr(weight, "dtype") else y.dtype)
    if tensor.dtype != y.dtype:
        raise TypeError(
            f"Gradient type {tensor.dtype.name} generated for real or complex-valued tensor {y} "
            f"with type {y.dtype.name} must be of the same type."
        )
    if not tensor.shape.is_compatible_with(y.shape):
        raise ValueError(
            f"Shapes {tensor.shape} and {y.shape} of `grad_ys` and `ys` are not compatible."
        )
    return tensor


def _add_operation(graph: Graph, scope, ys, xs, weights, stops, rows) -> Operation:
    """Create the operation whose outputs are the gradients with respect to `xs`."""
    given = [w for w in weights if w is not None]
    tensors = [x for x in [*xs, *stops] if isinstance(x, Tensor)]
    of_rows = [i for i, is_rows in enumerate(rows) if is_rows]

    def compute(run, op, values):
        of_ys, rest = values[: len(ys)], iter(values[len(ys) + len(tensors) :])
        cotangents = [None if w is None else next(rest) for w in weights]
        sources = [jnp.asarray(_source_value(run, x)) for x in xs]
        found = graph_gradients.gradients_with_rows(
            [jnp.asarray(y) for y in of_ys],
            sources,
            cotangents,
            [_source_value(run, x) for x in stops],
            of_rows,
        )
        return _flatten_gradients(found, sources, rows)

    op = Operation(
        graph,
        "Gradients",
        graph.unique_name("gradients") if not scope else f"{scope}{_last_name(ys)}_grad",
        compute,
        [*ys, *tensors, *given],
        [spec for x, is_rows in zip(xs, rows, strict=True) for spec in _gradient_specs(x, is_rows)],
        graph.present_control_inputs(),
    )
    op.attributes["copied"] = tuple(tensors)
    op.attributes["gradients"] = (tuple(ys), tuple(xs), tuple(rows), tuple(weights))
    kinds = [x for x, is_rows in zip(xs, rows, strict=True) for x in [x] * (3 if is_rows else 1)]
    op.attributes["shapes"] = {i: x.shape for i, x in enumerate(kinds)}
    op.attributes["variables"] = tuple(x for x in [*xs, *stops] if isinstance(x, GraphVariable))
    every = frozenset(range(len(op.inputs)))
    op.links = tuple(every if is_differentiable(t) else frozenset() for t in op.outputs)
    return op


def _gradient_specs(x, is_rows: bool) -> list[tuple]:
    """Return the shape and dtype of the gradient of `x`.

    If `is_rows` is set, return those of the three tensors of an `IndexedSlices`.
    """
    if not is_rows:
        return [(x.shape, x.dtype)]
    sizes = x.shape.as_list()
    return [([None, *sizes[1:]], x.dtype), ([None], int32), ([len(sizes)], int32)]


def _flatten_gradients(found, sources, rows) -> list:
    """Convert gradients to a flat list of arrays: three for `IndexedSlices`, otherwise one.

    The gradient of a source that is not connected is zero.
    """
    flat: list = []
    for gradient, x, is_rows in zip(found, sources, rows, strict=True):
        if not is_rows:
            flat.append(jnp.zeros_like(x) if gradient is None else jnp.asarray(gradient))
            continue
        if not isinstance(gradient, IndexedSlices):
            whole = jnp.zeros_like(x) if gradient is None else gradient
            gradient = IndexedSlices(whole, jnp.arange(x.shape[0], dtype=jnp.int32), x.shape)
        shape = jnp.stack([as_size(d) for d in x.shape]).astype(jnp.int32)
        flat += [gradient.values, gradient.indices.astype(jnp.int32), shape]
    return flat


def hessians(
    ys,
    xs,
    name="hessians",
    colocate_gradients_with_ops=False,
    gate_gradients=False,
    aggregation_method=None,
):
    """Compute the second derivatives of the sum of `ys` with respect to each of `xs`.

    Args:
      ys: a tensor or a list of them.
      xs: a tensor or variable, or a list of them.
      name: the name of the operation.
      colocate_gradients_with_ops: accepted and ignored.
      gate_gradients: accepted and ignored.
      aggregation_method: accepted and ignored.

    Returns:
      A list with a tensor `x.shape + x.shape` for each of `xs`.

    Raises:
      ValueError: no `y` depends on some `x`.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/hessians
    """
    del colocate_gradients_with_ops, gate_gradients, aggregation_method
    ys = [convert_to_tensor(y) for y in _as_list(ys)]
    sources = [_as_source(x) for x in _as_list(xs)]
    paths = GradientPaths(ys)
    if not all(map(paths.reaches, sources)):
        raise ValueError("hessians: an `x` has no gradient, because no `y` depends on it.")
    mark_loops(paths.operations)
    graph = get_default_graph()
    tensors = [x for x in sources if isinstance(x, Tensor)]

    def compute(run, op, values):
        del op
        return graph_gradients.hessians(values[: len(ys)], [_source_value(run, x) for x in sources])

    op = Operation(
        graph,
        "Hessians",
        graph.unique_name(name or "hessians"),
        compute,
        [*ys, *tensors],
        [(x.shape.concatenate(x.shape), x.dtype) for x in sources],
        graph.present_control_inputs(),
    )
    op.attributes["copied"] = tuple(tensors)
    op.attributes["variables"] = tuple(x for x in sources if isinstance(x, GraphVariable))
    return op.outputs


def _combine_rows(tensors, rows) -> list:
    """Combine each three tensors of a sparse gradient to an `IndexedSlices`; keep dense gradients.

    rows: for each gradient whether it is sparse.
    """
    rest = iter(tensors)
    return [
        IndexedSlices(next(rest), next(rest), next(rest)) if is_rows else next(rest)
        for is_rows in rows
    ]


def _last_name(ys) -> str:
    return ys[-1].op.name.replace("/", "_")


def _source_value(run, x):
    """Return the value of a source at which gradients are computed.

    For a variable this is the value at the start of the run.
    """
    if isinstance(x, Tensor):
        return run.values[x] if x.read_of is None else run.first_read(x.read_of)
    return run.first_read(x)


def _as_list(values) -> list:
    if values is None:
        return []
    return list(values) if isinstance(values, (list, tuple)) else [values]
