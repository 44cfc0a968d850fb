"""Map floating-point numbers to integers of the same order, which sort faster.

XLA's comparison of floating-point numbers handles NaN and the two zeros at every step of a sort;
integer keys that are computed once sort two to three times faster on a CPU, into the same order.
"""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

_INTEGERS = {2: jnp.int16, 4: jnp.int32, 8: jnp.int64}


def has_key(dtype) -> bool:
    """Return whether a dtype has integer keys that sort faster than the numbers themselves."""
    return bool(jnp.issubdtype(dtype, jnp.floating))


def ascending_key(x):
    """Map `x` to integers of the same order: both zeros are equal, NaN is last, as in `lax.sort`.

    Args:
      x: array; arrays of integers, booleans and complex numbers are returned unchanged.
    """
    if not has_key(x.dtype):
        return x
    if x.dtype.itemsize not in _INTEGERS:
        x = x.astype(jnp.float32)  # eight bits and fewer: exact, and their formats differ
    x = jnp.where(x == 0, jnp.zeros_like(x), jnp.where(jnp.isnan(x), jnp.full_like(x, jnp.nan), x))
    integer = _INTEGERS[x.dtype.itemsize]
    bits = lax.bitcast_convert_type(x, integer)
    # The bits after the sign of a negative number grow with its magnitude, so they are flipped.
    return jnp.where(bits < 0, bits ^ jnp.iinfo(integer).max, bits)


def descending_key(x):
    """Map `x` to integers whose ascending order is the descending order of `x`, NaN first."""
    return ~ascending_key(x)
