"""Encode sizes as floats that survive sums and multiples, or show that they were damaged.

The leaves of a `Padded` meet code that knows nothing of sizes: optimizers, `jax.tree.map`, `lax.psum`,
averages of parameters. So each bit of a size is a pair of floats, a nonzero float and a zero, whose
order is the bit. Sums and multiples of codes of the same sizes keep these pairs. Adding the code of
other sizes leaves a pair of two nonzero floats, and differentiation a pair of zeros, which `decode`
reports. The pairs are scattered over an array, so a transpose, a flip or a sort tears them apart. The
floats are so small that sums and norms over all leaves do not count them. Data never have the shape of
the array: a reduction that is wrong for padding of 0, such as a mean, recognizes a code by its shape.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.platform import jax_private as jp

_BITS = 32
_COLUMNS = 16
_FIXED = 8
# Dimensions of 1 in the middle make the shape one that data do not have; they cost nothing.
_ONES = (1,) * 10
RANK = 2 + len(_ONES)
# Squares of the floats of a code underflow to 0, those of gradients even after steps of optimizers.
_SMALL = 2.0**-76
GRADIENT = 2.0**-96
# What steps of optimizers make of a code that is to be summed, at most.
LARGEST = 2.0**-30


class _Layout(NamedTuple):
    """The meaning of each float of encoded sizes: one bit of one number, or the inverse of a bit.

    The encoded numbers are followed by one more, the constant 255.
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
    """Return the powers of two that decode a code, `[floats, 2, numbers]`.

    Their sum over the nonzero floats of a code gives the numbers and their complements.
    """
    number, bit, is_inverse = _layout(count)
    weights = np.zeros((number.size, 2, count + 1), np.int32)
    values = np.left_shift(np.uint32(1), bit.astype(np.uint32)).astype(np.int32)
    weights[np.arange(number.size), is_inverse, number] = values
    return weights


@functools.cache
def _magnitudes(count: int) -> np.ndarray:
    """Return the nonzero floats of a code; they differ, so a difference of multiples is hardly ever 0."""
    floats = _layout(count).number.size
    numbers = 1 + np.random.RandomState(count).random_sample(floats)
    return (_SMALL * numbers).astype(np.float32)


@functools.cache
def damaged(count: int) -> np.ndarray:
    """Return an array that damages the code it is combined with, by sums, products, minima or choices."""
    number, bit, _ = _layout(count)
    marks = np.array([np.nan, 1, -1], np.float32)[(number * _BITS + bit) % 3]
    return marks.reshape(shape_of(count))


def shape_of(count: int) -> tuple[int, ...]:
    """Return the shape of the array that encodes `count` numbers."""
    return (2 * (_BITS * count + _FIXED) // _COLUMNS, *_ONES, _COLUMNS)


def has_shape_of_code(shape: tuple[Any, ...]) -> bool:
    """Return whether the last dimensions of a shape are those of a code."""
    if len(shape) < RANK or tuple(shape[1 - RANK :]) != (*_ONES, _COLUMNS):
        return False
    rows = shape[-RANK]
    (first, *_), (second, *_) = shape_of(1), shape_of(2)
    return isinstance(rows, int) and rows > first and (rows - first) % (second - first) == 0


@jax.jit
def encode(numbers: tuple[jax.Array, ...]) -> jax.Array:
    """Encode int32 numbers of equal shape as an array of floats, `[*shape, rows, columns]`."""
    count = len(numbers)
    number, bit, is_inverse = _layout(count)
    owner = jnp.full(number.shape, 2**_FIXED - 1, jnp.int32)
    for i, n in enumerate(jnp.broadcast_arrays(*numbers)):
        owner = jnp.where(number == i, n.astype(jnp.int32)[..., None], owner)
    is_set = ((owner >> bit) & 1) ^ is_inverse
    code = is_set.astype(jnp.float32) * _magnitudes(count)
    return code.reshape(*code.shape[:-1], *shape_of(count))


def decode_on_host(code: np.ndarray, count: int) -> tuple[tuple[Any, ...], Any]:
    """Decode `count` numbers with NumPy; return them, and whether the code is undamaged."""
    is_set = (code != 0).reshape(*code.shape[:-RANK], -1)
    return _numbers_of(np, np.tensordot(is_set.astype(np.int32), _weights(count), 1))


@functools.partial(jax.jit, static_argnums=1)
def decode(code: jax.Array, count: int) -> tuple[tuple[jax.Array, ...], jax.Array]:
    """Decode `count` numbers; return them, and whether the code is undamaged."""
    is_set = (code != 0).reshape(*code.shape[:-RANK], -1, 1, 1)
    return _numbers_of(jnp, jnp.sum(jnp.where(is_set, _weights(count), 0), -3))


def _numbers_of(xp: Any, sums: Any) -> tuple[tuple[Any, ...], Any]:
    """Return the decoded numbers, and whether the code is undamaged.

    The code is undamaged if exactly one float of each pair is set.

    Args:
      xp: `numpy` or `jax.numpy`.
      sums: the numbers and their complements, `[*shape, 2, numbers]`.
    """
    numbers, complements = sums[..., 0, :], sums[..., 1, :]
    *given, fixed = (numbers[..., i] for i in range(numbers.shape[-1]))
    whole = np.full(numbers.shape[-1], -1, np.int32)
    whole[-1] = 2**_FIXED - 1
    is_whole = xp.all(numbers ^ complements == whole, -1) & (fixed == 2**_FIXED - 1)
    return tuple(given), is_whole


def is_code(leaf: Any, count: int) -> bool:
    """Return whether a leaf has the shape and a dtype of a code of `count` numbers."""
    shape, dtype = getattr(leaf, "shape", ()), getattr(leaf, "dtype", None)
    return (
        tuple(shape[-RANK:]) == shape_of(count)
        and dtype is not None
        and jax.dtypes.issubdtype(dtype, np.inexact)
    )


def have_different_sizes(first: Any, second: Any, count: int) -> Any:
    """Return whether two codes, of equal shapes, are both undamaged and encode different numbers."""
    is_traced = any(map(jp.is_tracer, (first, second)))
    read = decode if is_traced else lambda code, count: decode_on_host(np.asarray(code), count)
    xp: Any = jnp if is_traced else np
    (*a, _), a_is_whole = read(first, count)
    (*b, _), b_is_whole = read(second, count)
    differ = functools.reduce(xp.logical_or, map(xp.not_equal, a, b), np.bool_(False))
    return xp.any(differ & a_is_whole & b_is_whole)


def shrunk(code: Any) -> Any:
    """Return a code with small floats again, after a step such as `sign` has made them large."""
    if jnp.finfo(code.dtype).tiny > GRADIENT:  # small numbers would be 0
        return code
    is_large = jnp.abs(code) > 2 * _SMALL * 2**6
    return jnp.where(is_large, code * jnp.asarray(GRADIENT, code.dtype), code)
