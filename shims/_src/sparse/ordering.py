"""Sort coordinates in row-major order and merge duplicate entries."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from shims._src.math.segment_reducers import total
from shims._src.sizes import primitives
from shims._src.sparse.tensor import SparseTensor, columns, unchecked
from shims._src.tracing.dispatch import operator


def order_of(keys):
    """Return the stable permutation that sorts by the first key, then by the second, and so on."""
    places = jnp.arange(keys[0].shape[0], dtype=jnp.int32)
    return lax.sort((*keys, places), num_keys=len(keys) + 1)[-1]


def permuted(sp: SparseTensor, order) -> SparseTensor:
    """Return a sparse tensor with its entries permuted."""
    indices = jnp.take(sp.indices, order, axis=0, mode="clip")
    return unchecked(indices, jnp.take(sp.values, order, mode="clip"), sp.dense_shape)


def sorted_entries(sp: SparseTensor) -> SparseTensor:
    """Sort the entries of a sparse tensor in row-major order."""
    if not columns(sp):
        return sp
    if isinstance(sp.indices.shape[0], int) and sp.indices.shape[0] == 0:
        return sp
    return permuted(sp, order_of(columns(sp)))


@operator
def reorder(sp_input, name=None):
    """Sort the entries in row-major order.

    Args:
      sp_input: sparse tensor.
      name: ignored.

    Returns:
      A `SparseTensor`.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sorts the coordinates.

    https://www.tensorflow.org/api_docs/python/tf/sparse/reorder
    """
    return sorted_entries(sp_input)


def compared(indices):
    """Compare each entry's coordinates with those before it; return the masks `(falls, repeats)`.

    `falls` marks entries that are out of order, `repeats` those that are equal.
    """
    before, here = indices[:-1], indices[1:]
    falls = jnp.zeros((here.shape[0],), bool)
    same = jnp.ones((here.shape[0],), bool)
    for i in range(indices.shape[1]):
        falls = falls | (same & (here[:, i] < before[:, i]))
        same = same & (here[:, i] == before[:, i])
    return falls, same


def combined(sp: SparseTensor) -> SparseTensor:
    """Sort the entries of a sparse tensor in row-major order, and sum those at equal coordinates."""
    sp = sorted_entries(sp)
    first = firsts(sp.indices)
    ids = jnp.cumsum(first.astype(jnp.int32)) - 1
    indices = primitives.compress(sp.indices, first)
    return unchecked(indices, total(sp.values, ids, indices.shape[0]), sp.dense_shape)


def firsts(indices):
    """Return the mask of the first entry at each coordinate; entries are in row-major order."""
    places = jnp.arange(indices.shape[0], dtype=jnp.int32)
    if isinstance(indices.shape[0], int) and indices.shape[0] == 0:
        return jnp.zeros((0,), bool)
    before = jnp.take(indices, jnp.maximum(places - 1, 0), axis=0, mode="clip")
    return jnp.any(indices != before, axis=1) | (places == 0)
