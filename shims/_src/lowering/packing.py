"""How valid slots are brought to the front: the one place that chooses the strategy."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax


def positions(valid, capacity: int):
    """For each packed slot the place it comes from; int32[capacity], a valid place past the end.

    On CPU one sequential loop beats every parallel form (`benchmarks/packing.py`); elsewhere a
    scatter-add whose indices never decrease beats a scatter of every slot and a sort.
    """
    extent = valid.shape[0]
    if extent == 0:
        return jnp.zeros((capacity,), jnp.int32)
    room = max(extent, capacity)
    places = _by_loop(valid, room) if jax.default_backend() == "cpu" else _by_scatter(valid, room)
    return places if capacity == room else lax.slice(places, (0,), (capacity,))


def _by_loop(valid, room):
    def step(slot, state):
        places, count = state
        places = lax.dynamic_update_slice(places, slot[None], (count,))
        return places, count + valid[slot].astype(jnp.int32)

    start = (jnp.zeros((room,), jnp.int32), jnp.int32(0))
    return lax.fori_loop(0, valid.shape[0], step, start)[0]


def _by_scatter(valid, room):
    source = jnp.where(valid, lax.iota(jnp.int32, valid.shape[0]), 0)
    zeros = jnp.zeros((room,), jnp.int32)
    return zeros.at[ranks(valid)].add(source, indices_are_sorted=True, mode="drop")


def ranks(valid):
    """The packed position of each valid slot (that of its predecessor for the others, at least 0)."""
    return lax.max(jnp.cumsum(valid, dtype=jnp.int32) - 1, jnp.int32(0))


def take(array, places, axis: int):
    """`array` with the slots `places` along `axis`."""
    if array.shape[axis] == 0:
        # Nothing can be read; zeros will do in slots that do not count.
        return jnp.zeros(
            (*array.shape[:axis], *places.shape, *array.shape[axis + 1 :]), array.dtype
        )
    return jnp.take(array, places, axis=axis, mode="clip")
