"""The only sources of data-dependent sizes; every operator is composed from these and JAX."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np


def compress(x, mask, axis: int = 0):
    """The slices of `x` along `axis` where the vector `mask` is True."""
    return jnp.take(x, np.nonzero(np.asarray(mask))[0], axis=axis)


def fresh_range(count, *, bound=None, dtype=jnp.int32):
    """`[0, 1, ..., count - 1]` for a count that may be traced."""
    return jnp.arange(max(int(count), 0), dtype=dtype)


def as_size(d):
    """A dimension as an int32 scalar."""
    return jnp.asarray(d, jnp.int32)


def same_size(a, b):
    """`a` and `b` (dimensions) stated to be equal."""
    return a
