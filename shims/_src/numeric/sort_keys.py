"""Integers that stand in the order of the numbers they are made of.

XLA compares floating-point numbers with care for NaN and for the two zeros at every step of a sort;
integers made of them once sort two to three times faster on a CPU, into the same order.
"""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

_INTEGERS = {2: jnp.int16, 4: jnp.int32, 8: jnp.int64}


def has_key(dtype) -> bool:
    """Whether there are faster keys than the numbers themselves."""
    return bool(jnp.issubdtype(dtype, jnp.floating))


def ascending_key(x):
    """Integers in the order of `x`: both zeros are equal, NaN comes last, as `lax.sort` has it.

    Args:
      x: array; of integers, booleans and complex numbers it is its own key.
    """
    if not has_key(x.dtype):
        return x
    if x.dtype.itemsize not in _INTEGERS:
        x = x.astype(jnp.float32)  # eight bits and fewer: exact, and their formats differ
    x = jnp.where(x == 0, jnp.zeros_like(x), jnp.where(jnp.isnan(x), jnp.full_like(x, jnp.nan), x))
    integer = _INTEGERS[x.dtype.itemsize]
    bits = lax.bitcast_convert_type(x, integer)
    # Of negative numbers the bits behind the sign grow downwards.
    return jnp.where(bits < 0, bits ^ jnp.iinfo(integer).max, bits)


def descending_key(x):
    """Integers whose ascending order is the descending order of `x`; NaN comes first."""
    return ~ascending_key(x)
