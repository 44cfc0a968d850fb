"""Compute cross products and unit vectors."""

from __future__ import annotations

import jax.numpy as jnp

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import agreeing, describe, matching, operand
from shims._src.errors import errors
from shims._src.linalg.linalg_ops import norm
from shims._src.numeric.exact_quotient import quotient
from shims._src.sizes.primitives import as_size, unify_axis
from shims._src.tracing.dispatch import operator


@operator(compiled=True)
def cross(a, b, name=None):
    """Compute the cross product of vectors of three elements.

    Args:
      a: array of real numbers `[..., 3]`.
      b: array of the same shape and dtype.
      name: ignored.

    Returns:
      An array `[..., 3]`.

    Raises:
      InvalidArgumentError: the shapes differ, or the dtype is complex.
      FailedPreconditionError: the vectors do not have three elements.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The leading axes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/cross
    """
    a, b = matching("cross", a=a, b=b)
    known = [s for s in zip(a.shape, b.shape, strict=False) if all(map(is_known, s))]
    if a.ndim != b.ndim or any(d != e for d, e in known):
        raise checks.invalid(
            "cross",
            "the shapes differ.",
            required="a.shape == b.shape",
            received=f"a {describe(a)}, b {describe(b)}",
        )
    if not a.ndim or (is_known(a.shape[-1]) and a.shape[-1] != 3):
        raise errors.FailedPreconditionError(
            errors.message(
                "cross",
                "cross products are defined for vectors of three elements.",
                required="a.shape[-1] == 3",
                received=f"a {describe(a)}",
            )
        )
    a, b = agreeing("cross", (a, b), range(a.ndim - 1))
    if not is_known(a.shape[-1]):
        checks.check_data(
            as_size(a.shape[-1]) != 3,
            "cross",
            "cross products are defined for vectors of three elements.",
            required="a.shape[-1] == 3",
            error=errors.FailedPreconditionError,
        )
    a, b = (unify_axis(x, x.ndim - 1, 3, label="cross") for x in (a, b))
    (a0, a1, a2), (b0, b1, b2) = ((x[..., 0], x[..., 1], x[..., 2]) for x in (a, b))
    return jnp.stack([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], axis=-1)


@operator(compiled=True)
def normalize(tensor, ord="euclidean", axis=None, name=None):
    """Divide vectors or matrices by their norm.

    Args:
      tensor: floating-point array.
      ord: the norm, as in `shims.norm`.
      axis: one axis for vectors, two for matrices, `None` for all elements as one vector.
      name: ignored.

    Returns:
      `(normalized, norm)`; the norm keeps the reduced axes with size 1.

    Raises:
      ValueError: the norm is unknown.

    Differs from TensorFlow:
      Nothing. The result for a vector of norm 0 is NaN.

    Under jit:
      Sizes may be known only at run time; padding is ignored.

    https://www.tensorflow.org/api_docs/python/tf/linalg/normalize
    """
    x = operand(tensor)
    length = norm(x, ord=ord, axis=axis, keepdims=True)
    return quotient(x, length.astype(x.dtype)), length
