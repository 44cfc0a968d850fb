"""Compute `jnp.unique` in dynamic traces, where the size of the result is data-dependent."""

from __future__ import annotations

import jax.numpy as jnp

from shims._src.sizes import primitives


def unique(x, return_index=False, return_inverse=False, return_counts=False):
    """Return the sorted distinct values, and optionally first indices, inverse indices and counts."""
    shape = x.shape
    flat = jnp.asarray(x).reshape(-1)
    order = jnp.argsort(flat, stable=True)
    ordered = flat[order]
    places = jnp.arange(flat.shape[0], dtype=jnp.int32)
    before = ordered[jnp.maximum(places - 1, 0)]
    same = (ordered == before) | ((ordered != ordered) & (before != before))
    first = (places == 0) | ~same
    values = primitives.compress(ordered, first)
    outs = [values]
    dtype = jnp.result_type(int)  # 64 bits, if JAX has them
    group = jnp.cumsum(first.astype(jnp.int32)) - 1
    if return_index:
        outs.append(primitives.compress(order, first).astype(dtype))
    if return_inverse:
        inverse = jnp.zeros(flat.shape, jnp.int32).at[order].set(group)
        outs.append(inverse.reshape(shape).astype(dtype))
    if return_counts:
        ones = jnp.ones(flat.shape, jnp.int32)
        counts = jnp.zeros(values.shape, jnp.int32).at[group].add(ones)
        outs.append(counts.astype(dtype))
    return outs[0] if len(outs) == 1 else tuple(outs)
