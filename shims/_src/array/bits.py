"""The bits of numbers: as other numbers, and moved."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.operands import describe, operand
from shims._src.elementwise.elementwise import pair
from shims._src.errors import errors
from shims._src.tracing.dispatch import operator
from shims._src.types.dtypes import array_dtype, narrowed
from shims._src.types.tensor_spec import as_numpy_dtype


@operator
def bitcast(input, type, name=None):
    """The bits of an array as numbers of another dtype.

    Args:
      input: array of numbers.
      type: the dtype.
      name: ignored.

    Returns:
      An array with the shape of `input`; a wider dtype takes the last axis for one number, a
      narrower one makes an axis of the pieces of each.

    Raises:
      InvalidArgumentError: the last axis does not have the size of one number, or TensorFlow has
        no kernel for a dtype.
      UnimplementedError: from or to 64 bits without `jax_enable_x64`.

    Differs from TensorFlow:
      Nothing where JAX has the dtypes.

    Under jit:
      Nothing is computed.

    https://www.tensorflow.org/api_docs/python/tf/bitcast
    """
    for asked in (as_numpy_dtype(type), getattr(input, "dtype", None)):
        _check_width(asked)
    x, dtype = operand(input), array_dtype(type, "bitcast")
    checks.check_kind("bitcast", "number", jnp.zeros((), dtype))
    if jnp.iscomplexobj(x) or dtype.kind == "c":
        return x if x.dtype == dtype else _from_bytes(_bytes_of_each(x, dtype), dtype)
    return _wider(x, dtype) if dtype.itemsize > x.dtype.itemsize else _as(x, dtype)


def _bytes_of_each(x, dtype):
    """The bytes `uint8[..., itemsize]` of every number of `dtype` in `x`."""
    own, wanted = x.dtype.itemsize, dtype.itemsize
    if wanted > own:
        _check_last("bitcast", x, wanted // own)
    parts = jnp.stack([jnp.real(x), jnp.imag(x)], axis=-1) if jnp.iscomplexobj(x) else x
    if wanted > own:
        return _as(parts, jnp.uint8).reshape(*x.shape[:-1], wanted)
    pieces = (own // wanted,) if wanted < own else ()
    return _as(parts, jnp.uint8).reshape(*x.shape, *pieces, wanted)


def _from_bytes(data, dtype):
    """The numbers whose bytes are in the last axis."""
    if dtype.kind != "c":
        return _as(data if dtype.itemsize > 1 else data[..., 0], dtype)
    half = jnp.finfo(dtype).dtype
    parts = _as(data.reshape(*data.shape[:-1], 2, half.itemsize), half)
    return lax.complex(parts[..., 0], parts[..., 1])


def _check_width(dtype):
    """Half of the bits of a number are no bits of it."""
    if isinstance(dtype, np.dtype) and narrowed(dtype) != dtype:
        raise errors.UnimplementedError(
            errors.message(
                "bitcast",
                f"without 64-bit types there are no bits of {dtype.name}.",
                do='turn them on: `jax.config.update("jax_enable_x64", True)`',
            )
        )


def _as(x, dtype):
    return lax.bitcast_convert_type(x, dtype)


def _wider(x, dtype):
    _check_last("bitcast", x, dtype.itemsize // x.dtype.itemsize)
    return lax.bitcast_convert_type(x, dtype)


def _check_last(function, x, size):
    if not x.ndim or (checks.is_known(x.shape[-1]) and x.shape[-1] != size):
        raise checks.invalid(
            function,
            "the last axis is not one number of the wider dtype.",
            required=f"size {size}",
            received=describe(x),
        )


def _within(y):
    """The amount of a shift, as TensorFlow's kernels limit it."""
    return jnp.clip(y, 0, 8 * y.dtype.itemsize - 1)


@operator
def left_shift(x, y, name=None):
    """Bits moved up.

    Args:
      x: integer array.
      y: array of the same dtype; the two broadcast.
      name: ignored.

    Returns:
      `x << y`; an amount below 0 counts as 0, one that is too large as the number of bits - 1.

    Raises:
      InvalidArgumentError: the dtypes differ, or TensorFlow has no kernel for them.

    Differs from TensorFlow:
      Nothing. JAX moves all bits out where the amount is too large.

    Under jit:
      Element by element.

    https://www.tensorflow.org/api_docs/python/tf/bitwise/left_shift
    """
    x, y = jnp.broadcast_arrays(*pair("left_shift", x, y))
    return lax.shift_left(x, _within(y))


@operator
def right_shift(x, y, name=None):
    """Bits moved down; the sign stays.

    Args:
      x: integer array.
      y: array of the same dtype; the two broadcast.
      name: ignored.

    Returns:
      `x >> y`; an amount below 0 counts as 0, one that is too large as the number of bits - 1.

    Raises:
      InvalidArgumentError: the dtypes differ, or TensorFlow has no kernel for them.

    Differs from TensorFlow:
      Nothing. JAX moves all bits out where the amount is too large.

    Under jit:
      Element by element.

    https://www.tensorflow.org/api_docs/python/tf/bitwise/right_shift
    """
    x, y = jnp.broadcast_arrays(*pair("right_shift", x, y))
    signed = jnp.issubdtype(x.dtype, jnp.signedinteger)
    return (lax.shift_right_arithmetic if signed else lax.shift_right_logical)(x, _within(y))
