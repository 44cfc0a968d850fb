"""Provide the operators whose names have a different meaning in TensorFlow 1."""

from __future__ import annotations

import jax.numpy as jnp

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import describe, matching, operand
from shims._src.array import select
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator


def where(condition, x=None, y=None, name=None):
    """Find the nonzero elements of a condition, or select between two arrays of the same shape.

    Args:
      condition: bool array, which is a scalar, has the shape of `x`, or is a vector that selects
        rows. Without `x` and `y`, any array.
      x: array, selected where the condition is true.
      y: array of the same shape and dtype, which is selected where the condition is false.
      name: ignored.

    Returns:
      With one argument, the int64 coordinates `[n, rank]` of the nonzero elements, in row-major
      order; otherwise the selected elements, in the shape of `x`.

    Raises:
      ValueError: one of `x` and `y` is missing.
      InvalidArgumentError: the dtypes or shapes differ; nothing is broadcast.

    Differs from TensorFlow:
      int64 becomes int32 unless `jax_enable_x64` is on.

    Under jit:
      With one argument the number of rows depends on data.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/where
    """
    if x is None and y is None:
        return select.where(condition)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return _select(condition, x, y)


@operator
def _select(condition, x, y):
    """Select elements from `x` and `y` by a condition; a vector condition selects rows."""
    condition = operand(condition)
    x, y = matching("where", x=x, y=y)
    if condition.dtype != jnp.bool_:
        raise checks.invalid(
            "where", "`condition` must have dtype bool.", received=describe(condition)
        )
    by_rows = condition.ndim == 1 and x.ndim > 1
    scalar = condition.ndim == 0
    if x.ndim != y.ndim or not (scalar or by_rows or condition.ndim == x.ndim):
        raise _shape_error(condition, x, y)
    y = _require_shape(y, x.shape, condition, x, y)
    if not scalar:
        there = x.shape[:1] if by_rows else x.shape
        condition = _require_shape(condition, there, condition, x, y)
    if by_rows:
        condition = condition.reshape((*condition.shape, *[1] * (x.ndim - 1)))
    return jnp.where(condition, x, y)


def _require_shape(array, shape, condition, x, y):
    """Check that an array has a shape, at run time for symbolic sizes, and return it."""
    for axis, (have, want) in enumerate(zip(array.shape, shape, strict=True)):
        if is_known(have) and is_known(want):
            if have != want:
                raise _shape_error(condition, x, y)
        else:
            array = primitives.unify_axis(array, axis, want, label="where")
    return array


def _shape_error(condition, x, y):
    """Return the error for incompatible shapes of the condition and the operands."""
    return checks.invalid(
        "where",
        "the shapes do not match, and TensorFlow 1's `where` does not broadcast.",
        required=(
            "x and y of equal shape; a condition of that shape, or a scalar, or a vector with "
            "one element per row"
        ),
        received=f"condition {describe(condition)}, x {describe(x)}, y {describe(y)}",
        do="`shims.where` broadcasts",
    )
