"""Encode sizes as an array that survives arithmetic on the leaves of a pytree, or shows the damage.

The leaves of a `Padded` meet code that knows nothing of sizes: optimizers, `jax.tree.map`, `lax.psum`,
averages of parameters. Each bit of a number is therefore a pair of floats: a nonzero one and a zero,
whose order is the bit. Sums and multiples of values of the same sizes keep the pairs; values of other
sizes leave a pair of two nonzero floats, and differentiation a pair of zeros, which `decode` reports.
The pairs are scattered over a matrix, so that a transpose, a flip or a sort tears them apart, and two
fixed floats are so large that a norm or a sum over all leaves, which would read padding, is infinite.
"""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

_BITS = 32
_COLUMNS = 16
_LARGE = 1.5 * 2.0**127


@functools.cache
def _layout(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the places of `count` numbers: of the floats for each bit and for its complement.

    The last eight bits are always 1.
    """
    bits = _BITS * count + _COLUMNS // 2
    places = np.random.RandomState(count).permutation(2 * bits)
    return places[:bits], places[bits:]


def shape_of(count: int) -> tuple[int, int]:
    """Return the shape of the code of `count` numbers."""
    return 2 * _BITS * count // _COLUMNS + 1, _COLUMNS


@jax.jit
def encode(numbers: tuple[jax.Array, ...]) -> jax.Array:
    """Return the code of int32 numbers of equal shape, `[*shape, rows, columns]`."""
    vector = jnp.stack(jnp.broadcast_arrays(*numbers), -1).astype(jnp.int32)
    ones, zeros = _layout(len(numbers))
    bits = (vector[..., None] >> np.arange(_BITS, dtype=np.int32)) & 1
    bits = bits.reshape(*vector.shape[:-1], -1).astype(jnp.float32)
    fixed = np.ones(_COLUMNS // 2, np.float32)
    fixed[:2] = _LARGE
    fixed = jnp.broadcast_to(fixed, (*bits.shape[:-1], fixed.size))
    pairs = jnp.concatenate([bits, fixed, 1 - bits, jnp.zeros_like(fixed)], -1)
    order = np.argsort(np.concatenate([ones, zeros]))
    return pairs[..., order].reshape(*bits.shape[:-1], *shape_of(len(numbers)))


def decode_with(xp: Any, code: Any, count: int) -> tuple[Any, Any]:
    """Return the numbers, `[*shape, count]`, and whether the code is whole; `xp` is NumPy or JAX's."""
    is_set = code.reshape(*code.shape[:-2], -1) != 0
    ones, zeros = _layout(count)
    bits, complements = is_set[..., ones], is_set[..., zeros]
    is_whole = xp.all(bits != complements, -1) & xp.all(bits[..., _BITS * count :], -1)
    bits = bits[..., : _BITS * count].reshape(*bits.shape[:-1], count, _BITS)
    weights = np.left_shift(np.uint32(1), np.arange(_BITS, dtype=np.uint32)).astype(np.int32)
    return xp.sum(xp.where(bits, weights, 0), -1, dtype=np.int32), is_whole


@functools.partial(jax.jit, static_argnums=1)
def decode(code: jax.Array, count: int) -> tuple[tuple[jax.Array, ...], jax.Array]:
    """Return the numbers of a code, and whether it is whole."""
    numbers, is_whole = decode_with(jnp, code, count)
    return tuple(numbers[..., i] for i in range(count)), is_whole


def is_code(leaf: Any, count: int) -> bool:
    """Return whether a leaf has the shape and the kind of dtype of a code of `count` numbers."""
    shape, dtype = getattr(leaf, "shape", ()), getattr(leaf, "dtype", None)
    return (
        tuple(shape[-2:]) == shape_of(count)
        and dtype is not None
        and jax.dtypes.issubdtype(dtype, np.inexact)
    )
