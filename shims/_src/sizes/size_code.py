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
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

_BITS = 32
_COLUMNS = 16
_FIXED = 8
_LARGE = 1.5 * 2.0**127


class _Layout(NamedTuple):
    """For each float of a code: its number, its bit, and whether it is set when the bit is not.

    The number after the last one is the constant 255.
    """

    number: np.ndarray
    bit: np.ndarray
    is_inverse: np.ndarray


@functools.cache
def _layout(count: int) -> _Layout:
    bits = [(i, bit) for i in range(count) for bit in range(_BITS)]
    bits += [(count, bit) for bit in range(_FIXED)]
    pairs = np.array([(i, bit, inverse) for inverse in (0, 1) for i, bit in bits], np.int32)
    return _Layout(*np.random.RandomState(count).permutation(pairs).T)


@functools.cache
def _weights(count: int) -> np.ndarray:
    """Return the value of each float in each number and in each complement, `[floats, 2, numbers]`."""
    number, bit, is_inverse = _layout(count)
    weights = np.zeros((number.size, 2, count + 1), np.int32)
    values = np.left_shift(np.uint32(1), bit.astype(np.uint32)).astype(np.int32)
    weights[np.arange(number.size), is_inverse, number] = values
    return weights


def shape_of(count: int) -> tuple[int, int]:
    """Return the shape of the code of `count` numbers."""
    return 2 * (_BITS * count + _FIXED) // _COLUMNS, _COLUMNS


@jax.jit
def encode(numbers: tuple[jax.Array, ...]) -> jax.Array:
    """Return the code of int32 numbers of equal shape, `[*shape, rows, columns]`."""
    count = len(numbers)
    number, bit, is_inverse = _layout(count)
    owner = jnp.full(number.shape, 2**_FIXED - 1, jnp.int32)
    for i, n in enumerate(jnp.broadcast_arrays(*numbers)):
        owner = jnp.where(number == i, n.astype(jnp.int32)[..., None], owner)
    is_set = ((owner >> bit) & 1) ^ is_inverse
    is_large = (number == count) & (bit < 2)
    code = is_set.astype(jnp.float32) * np.where(is_large, np.float32(_LARGE), np.float32(1))
    return code.reshape(*code.shape[:-1], *shape_of(count))


def decode_on_host(code: np.ndarray, count: int) -> tuple[tuple[Any, ...], Any]:
    """Return the numbers of a code, and whether it is whole."""
    is_set = (code != 0).reshape(*code.shape[:-2], -1)
    return _numbers_of(np, np.tensordot(is_set.astype(np.int32), _weights(count), 1))


@functools.partial(jax.jit, static_argnums=1)
def decode(code: jax.Array, count: int) -> tuple[tuple[jax.Array, ...], jax.Array]:
    """Return the numbers of a code, and whether it is whole."""
    is_set = (code != 0).reshape(*code.shape[:-2], -1, 1, 1)
    return _numbers_of(jnp, jnp.sum(jnp.where(is_set, _weights(count), 0), -3))


def _numbers_of(xp: Any, sums: Any) -> tuple[tuple[Any, ...], Any]:
    """Split the sums for numbers and complements, `[*shape, 2, numbers]`.

    A code is whole if exactly one float of each pair is set.
    """
    numbers, complements = sums[..., 0, :], sums[..., 1, :]
    *given, fixed = (numbers[..., i] for i in range(numbers.shape[-1]))
    whole = np.full(numbers.shape[-1], -1, np.int32)
    whole[-1] = 2**_FIXED - 1
    is_whole = xp.all(numbers ^ complements == whole, -1) & (fixed == 2**_FIXED - 1)
    return tuple(given), is_whole


def is_code(leaf: Any, count: int) -> bool:
    """Return whether a leaf has the shape and the kind of dtype of a code of `count` numbers."""
    shape, dtype = getattr(leaf, "shape", ()), getattr(leaf, "dtype", None)
    return (
        tuple(shape[-2:]) == shape_of(count)
        and dtype is not None
        and jax.dtypes.issubdtype(dtype, np.inexact)
    )
