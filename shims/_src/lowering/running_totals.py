"""Compute cumulative sums of integers in blocks, since XLA computes them sequentially on CPU."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from shims._src.platform import accelerators

_BLOCK = 16  # the fastest block size for a million elements; 8 takes twice as long
_WORTH = 1 << 16  # below it the gain is less than what its compilation costs
_LEAST = 1000


def pays(eqn, array=None) -> bool:
    """Return whether a cumulative sum may be faster in blocks: for a long integer vector.

    Blocks change the order of the additions, which is exact for integers only.
    """
    if eqn.primitive.name != "cumsum" or eqn.params["reverse"]:
        return False
    if array.ndim != 1 or array.shape[0] < _WORTH:
        return False
    return jnp.issubdtype(array.dtype, jnp.integer)


def totals(array):
    """Compute `lax.cumsum` of an integer vector, on CPU in blocks."""
    return accelerators.chosen(array, cpu=_in_blocks, default=lax.cumsum)


def _in_blocks(array):
    """Compute `lax.cumsum` of an integer vector: within blocks, and over the blocks' totals."""
    extent = array.shape[0]
    if extent < _LEAST:
        return lax.cumsum(array)
    whole = extent // _BLOCK * _BLOCK
    blocks = array[:whole].reshape(-1, _BLOCK)
    columns = [blocks[:, 0]]
    for i in range(1, _BLOCK):
        columns.append(columns[-1] + blocks[:, i])
    before = _in_blocks(columns[-1]) - columns[-1]
    found = (jnp.stack(columns, 1) + before[:, None]).reshape(-1)
    if whole == extent:
        return found
    return jnp.concatenate([found, lax.cumsum(array[whole:]) + found[-1]])
