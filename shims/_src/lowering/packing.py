"""How valid slots are brought to the front: the one place that chooses the strategy."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax


def positions(valid, capacity: int):
    """For each packed slot the place it comes from; int32[capacity], 0 past the end.

    A scatter-add whose indices never decrease beats a scatter of every slot, `nonzero(size=)` and
    a sort on CPU, and is no slower on accelerators.
    """
    extent = valid.shape[0]
    if extent == 0:
        return jnp.zeros((capacity,), jnp.int32)
    rank = ranks(valid)
    source = jnp.where(valid, lax.iota(jnp.int32, extent), 0)
    zeros = jnp.zeros((capacity,), jnp.int32)
    return zeros.at[rank].add(source, indices_are_sorted=True, mode="drop")


def ranks(valid):
    """The packed position of each valid slot (that of its predecessor for the others, at least 0)."""
    return lax.max(jnp.cumsum(valid, dtype=jnp.int32) - 1, jnp.int32(0))


def take(array, places, valid, axis: int):
    """`array` with the slots `places` along `axis`."""
    del valid
    return jnp.take(array, places, axis=axis, mode="clip")
