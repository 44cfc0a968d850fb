"""Define `gradients` and `hessians`, which compute derivatives inside a traced function."""

from __future__ import annotations

import jax.numpy as jnp

from shims._src.arguments.conversion import as_array
from shims._src.errors import errors
from shims._src.gradients.backpropagation import (
    Backpropagation,
    initial_cotangents,
    operations_behind,
)
from shims._src.gradients.basis import basis_of, pull_basis
from shims._src.gradients.unconnected_gradients import (
    UnconnectedGradients,
    check_unconnected,
    filled,
)
from shims._src.platform import jax_private as jp
from shims._src.recording.connectivity import is_differentiable
from shims._src.recording.indexed_slices import dense
from shims._src.recording.operation import conjugate
from shims._src.recording.row_gathers import with_rows


def gradients(
    ys,
    xs,
    grad_ys=None,
    name="gradients",
    gate_gradients=False,
    aggregation_method=None,
    stop_gradients=None,
    unconnected_gradients=UnconnectedGradients.NONE,
):
    """Compute the gradients of the sum of `ys` with respect to each of `xs`, while a program is traced.

    Args:
      ys: an array or a list of arrays.
      xs: an array or variable, or a list of them.
      grad_ys: the weights of the elements of `ys`, as an array for each of `ys`; or `None`.
      name: accepted and ignored.
      gate_gradients: accepted and ignored.
      aggregation_method: accepted and ignored.
      stop_gradients: arrays that count as constants.
      unconnected_gradients: the result for an `x` that no `y` depends on.

    Returns:
      A list with an array for each of `xs`, or `None`.

    Raises:
      RuntimeError: the call is outside of a compiled function; use `shims.GradientTape` there.
      UnimplementedError: the call is inside of `jax.grad` or `jax.vmap`, which hide the computation.
      ValueError: the number or shapes of `grad_ys` differ from `ys`, or `unconnected_gradients` is unknown.

    Differs from TensorFlow:
      The gradient of gathered rows is dense.

    Under jit:
      This function can be called only while `shims.function` or `jax.jit` traces a program.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     x = tf.constant(3.0)
      ...     (slope,) = tf.gradients(x * x, [x])
      ...     print(session.run(slope))
      6.0

    https://www.tensorflow.org/api_docs/python/tf/gradients
    """
    del name, gate_gradients, aggregation_method
    unconnected = check_unconnected(unconnected_gradients)
    values = [as_array(x) for x in _as_list(xs)]
    pulled = gradients_with_rows(ys, values, grad_ys, stop_gradients, ())
    return [filled(g, x, unconnected) for g, x in zip(pulled, values, strict=True)]


def gradients_with_rows(ys, xs, grad_ys, stop_gradients, of_rows) -> list:
    """Compute gradients, some of which may be `IndexedSlices`.

    Args:
      ys: an array or a list of arrays.
      xs: a list of arrays.
      grad_ys: weights of the elements of `ys`, or `None`.
      stop_gradients: arrays that count as constants, or `None`.
      of_rows: the indices of the `xs` whose gradients are `IndexedSlices` if rows of them are gathered.
    """
    ys = [as_array(y) for y in _as_list(ys)]
    stopped = [as_array(x) for x in _as_list(stop_gradients or [])]
    _check_traced("gradients", [*ys, *xs])
    weights = None if grad_ys is None else _as_list(grad_ys)
    kept = [y for y in ys if is_differentiable(y)]
    cotangents = initial_cotangents(ys, weights)
    cotangents = [c for c, y in zip(cotangents, ys, strict=True) if is_differentiable(y)]
    rows = [jp.key_of(xs[i]) for i in of_rows]
    pulled = _backpropagation(kept, xs, stopped, rows).pull(kept, cotangents)
    return [conjugate(g if i in of_rows else dense(g)) for i, g in enumerate(pulled)]


def hessians(ys, xs, gate_gradients=False, aggregation_method=None, name="hessians"):
    """Compute the second derivatives of the sum of `ys` with respect to each of `xs`.

    Args:
      ys: an array or a list of arrays.
      xs: an array or a list of arrays.
      gate_gradients: accepted and ignored.
      aggregation_method: accepted and ignored.
      name: accepted and ignored.

    Returns:
      A list with an array `x.shape + x.shape` for each of `xs`.

    Raises:
      RuntimeError: outside of a traced function.
      UnimplementedError: the call is inside of `jax.grad` or `jax.vmap`, which hide the computation.
      ValueError: no `y` depends on an `x`.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      This function can be called only while `shims.function` or `jax.jit` traces a program.

    https://www.tensorflow.org/api_docs/python/tf/hessians
    """
    del gate_gradients, aggregation_method, name
    values = [as_array(x) for x in _as_list(xs)]
    found = []
    for x, gradient in zip(values, gradients(ys, values), strict=True):
        if gradient is None:
            raise ValueError("hessians: an `x` has no gradient, because no `y` depends on it.")
        way = _backpropagation([gradient], [x], ())
        pull = lambda ct, way=way, gradient=gradient: way.pull([gradient], [ct])
        (rows,) = pull_basis(pull, basis_of(gradient), 1)
        shape = (*x.shape, *x.shape)
        found.append(jnp.zeros(shape, x.dtype) if rows is None else jnp.reshape(rows, shape))
    return found


def _backpropagation(ys, xs, stopped, of_rows=()) -> Backpropagation:
    ends = {jp.key_of(x) for x in stopped}
    operations = operations_behind(ys)
    if of_rows:
        operations = with_rows(operations, of_rows)
    kept = [op for op in operations if not ends.intersection(op.output_keys)]
    return Backpropagation(kept, [(jp.key_of(x),) if is_differentiable(x) else () for x in xs])


def _as_list(values) -> list:
    return list(values) if isinstance(values, (list, tuple)) else [values]


def _check_traced(function: str, arrays) -> None:
    if jp.ambient_is_eager() and not any(jp.is_tracer(x) for x in arrays):
        raise RuntimeError(
            errors.message(
                function,
                "arrays outside of a trace do not record how they were computed.",
                do="use `shims.GradientTape`, or call this function inside a `shims.function`",
            )
        )
    if any(jp.is_tracer(x) and not jp.is_jaxpr_tracer(x) for x in arrays):
        raise errors.UnimplementedError(
            errors.message(
                function,
                "`jax.grad`, `jax.vmap` and similar transformations hide how an array was computed.",
                do=(
                    "use `shims.GradientTape` here, or call a `shims.function` that contains "
                    "this call"
                ),
            )
        )
