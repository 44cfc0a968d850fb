"""Clip arrays by value or by norm."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from shims._src.arguments import checks
from shims._src.arguments.checks import axes_of, check_kind, is_known
from shims._src.arguments.operands import broadcasting, describe, matching, operand
from shims._src.elementwise.elementwise import is_inexact, larger, smaller
from shims._src.linalg.linalg_ops import global_norm
from shims._src.recording.indexed_slices import values_of, with_values
from shims._src.tracing.dispatch import operator


@operator(compiled=True)
def clip_by_value(t, clip_value_min, clip_value_max, name=None):
    """Clip values to a range.

    Args:
      t: array of numbers, or `IndexedSlices`, whose values are clipped.
      clip_value_min: the lower limit, a scalar or an array that broadcasts.
      clip_value_max: the upper limit.
      name: ignored.

    Returns:
      The clipped array, in the shape of `t`. Where the lower limit exceeds the upper limit, the result
      is the lower limit.

    Raises:
      InvalidArgumentError: the dtypes differ.

    Differs from TensorFlow:
      For a zero and a limit of 0, the sign of TensorFlow's result depends on the position in the
      array; here the position has no effect. At a limit, `t` receives the whole gradient, whereas
      `jnp.clip` passes on half of the gradient.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    Example:
      >>> import shims
      >>> print(shims.clip_by_value([-3.0, 0.5, 9.0], 0.0, 1.0))
      [0.  0.5 1. ]

    https://www.tensorflow.org/api_docs/python/tf/clip_by_value
    """
    given, t = t, values_of(t)
    names = {"t": t, "clip_value_min": clip_value_min, "clip_value_max": clip_value_max}
    t, low, high = broadcasting("clip_by_value", *matching("clip_by_value", **names))
    if _is_wider(low, t) or _is_wider(high, t):
        raise checks.invalid(
            "clip_by_value",
            "a clipping limit has more elements than `t`.",
            required="limits that broadcast to the shape of `t`",
            received=f"t {describe(t)}, limits {describe(low)} and {describe(high)}",
        )
    if not is_inexact(t):
        return with_values(given, jnp.maximum(jnp.minimum(t, high), low))
    return with_values(given, larger(smaller(t, high), low))


def _is_wider(limit, t) -> bool:
    """Return whether broadcasting `t` with a limit would enlarge `t`."""
    pairs = zip(limit.shape[::-1], t.shape[::-1], strict=False)
    return limit.ndim > t.ndim or any(
        is_known(size) and is_known(wide) and size == 1 != wide for wide, size in pairs
    )


@operator(compiled=True)
def clip_by_norm(t, clip_norm, axes=None, name=None):
    """Scale vectors down to a maximum Euclidean norm.

    Args:
      t: floating-point array, or `IndexedSlices`, whose values are scaled as one array.
      clip_norm: the largest norm.
      axes: the axes of a vector; all when `None`.
      name: ignored.

    Returns:
      `t * clip_norm / max(norm, clip_norm)`.

    Differs from TensorFlow:
      Nothing. The gradient at 0 is 1.

    Under jit:
      Sizes may be known only at run time; padding is ignored.

    https://www.tensorflow.org/api_docs/python/tf/clip_by_norm
    """
    given, t = t, operand(values_of(t))
    limit = operand(clip_norm, t.dtype)
    axes = axes_of("clip_by_norm", axes, t.ndim, name="axes")
    squares = jnp.sum(t * t, axis=axes, keepdims=True)
    some = squares > 0
    norm = jnp.where(some, jnp.sqrt(jnp.where(some, squares, 1)), squares)
    t, limit = broadcasting("clip_by_norm", t, limit)
    if _is_wider(limit, t):
        raise checks.invalid(
            "clip_by_norm",
            "`clip_norm` has more elements than `t`.",
            required="a norm that broadcasts to the shape of `t`",
            received=f"t {describe(t)}, clip_norm {describe(limit)}",
        )
    norm = larger(*jnp.broadcast_arrays(*broadcasting("clip_by_norm", norm, limit)))
    return with_values(given, t * limit / norm)


@operator(compiled=True)
def clip_by_global_norm(t_list, clip_norm, use_norm=None, name=None):
    """Scale several arrays down together to a maximum Euclidean norm.

    Args:
      t_list: list of arrays and `IndexedSlices` (of which the values are used); `None` elements are kept.
      clip_norm: the largest allowed norm of all arrays together.
      use_norm: the norm, if it is already known.
      name: ignored.

    Returns:
      `(list, norm)`: the scaled arrays, with their shapes unchanged, and the norm before scaling
      (a scalar). The arrays are NaN if the norm is not finite.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time; padding is ignored.

    Example:
      >>> import shims
      >>> clipped, norm = shims.clip_by_global_norm([[3.0], [4.0]], 1.0)
      >>> print(clipped[0], clipped[1], norm)
      [0.6] [0.8] 5.0

    https://www.tensorflow.org/api_docs/python/tf/clip_by_global_norm
    """
    norm = global_norm(t_list) if use_norm is None else operand(use_norm)
    limit = operand(clip_norm, norm.dtype)
    scale = limit * smaller(1 / norm, jnp.ones_like(limit) / limit)
    # An infinite norm must give NaN, not silently scale the finite arrays to 0.
    scale = scale + (norm - norm)
    return [None if t is None else _scale(t, scale) for t in t_list], norm


def _scale(t, scale):
    values = operand(values_of(t))
    return with_values(t, values * scale.astype(values.dtype))


@jax.custom_jvp
def halved_square(t):
    """Compute half the sum of squares."""
    return jnp.sum(jnp.square(t)) / 2


@halved_square.defjvp
def _halved_square_jvp(primals, tangents):
    (t,), (dt,) = primals, tangents
    return halved_square(t), jnp.sum(t * dt)


@operator(compiled=True)
def l2_loss(t, name=None):
    """Compute half the sum of squares.

    Args:
      t: floating-point array.
      name: ignored.

    Returns:
      A scalar, of shape `[]`.

    Raises:
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time; padding is ignored.

    Example:
      >>> import shims
      >>> print(shims.nn.l2_loss([3.0, 4.0]))
      12.5

    https://www.tensorflow.org/api_docs/python/tf/nn/l2_loss
    """
    t = operand(t)
    check_kind("l2_loss", "inexact", t)
    return halved_square(t)
