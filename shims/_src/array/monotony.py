"""Check whether elements increase, and invert permutations."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.operands import operand
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator


def _holds_for_neighbors(x, compare):
    """Return whether `compare` is true for all pairs of adjacent elements, as a scalar array."""
    x = x.reshape(-1)
    after = lax.pad(x, jnp.zeros((), x.dtype), [(-1, 1, 0)])
    is_last = jnp.arange(x.shape[0], dtype=jnp.int32) == primitives.as_size(x.shape[0]) - 1
    return jnp.all(is_last | compare(x, after))


@operator
def is_non_decreasing(x, name=None):
    """Check that no element is less than the one before it.

    Args:
      x: array of real numbers, flattened in row-major order.
      name: ignored.

    Returns:
      A bool scalar; True for fewer than two elements, False if a NaN is compared.

    Raises:
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time; padding is moved to the end first.

    https://www.tensorflow.org/api_docs/python/tf/math/is_non_decreasing
    """
    return _holds_for_neighbors(operand(x), jnp.less_equal)


@operator
def is_strictly_increasing(x, name=None):
    """Check that every element is greater than the one before it.

    Args:
      x: array of real numbers, flattened in row-major order.
      name: ignored.

    Returns:
      A bool scalar; True for fewer than two elements, False if a NaN is compared.

    Raises:
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time; padding is moved to the end first.

    https://www.tensorflow.org/api_docs/python/tf/math/is_strictly_increasing
    """
    return _holds_for_neighbors(operand(x), jnp.less)


@operator
def invert_permutation(x, name=None):
    """Invert a permutation.

    Args:
      x: int32 or int64 vector that contains every number from 0 to its size - 1 once.
      name: ignored.

    Returns:
      The vector `y` with `y[x[i]] == i`.

    Raises:
      InvalidArgumentError: `x` is not a permutation, or not a vector.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      A vector that is not a permutation raises an error after the call.

    https://www.tensorflow.org/api_docs/python/tf/math/invert_permutation
    """
    x = operand(x)
    checks.check_vector("invert_permutation", "x", x)
    size = x.shape[0]
    checks.check_positions("invert_permutation", "x", x, size)
    places = jnp.arange(size, dtype=x.dtype)
    times = jnp.zeros_like(x).at[x].add(1)
    checks.check_data(
        times > 1,
        "invert_permutation",
        "a number is duplicated in `x`.",
        required="every number once",
    )
    return jnp.zeros_like(x).at[x].set(places)
