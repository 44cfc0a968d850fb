"""Implement `tf.bitcast` and the bit shifts."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.operands import describe, operand
from shims._src.elementwise.elementwise import pair
from shims._src.errors import errors
from shims._src.tracing.dispatch import operator
from shims._src.types.dtypes import array_dtype, canonical_dtype
from shims._src.types.tensor_spec import as_numpy_dtype


@operator
def bitcast(input, type, name=None):
    """Reinterpret the bits of an array as another dtype.

    Args:
      input: array of numbers.
      type: the dtype.
      name: ignored.

    Returns:
      An array with the shape of `input`. A wider dtype merges the last axis into one number; a
      narrower dtype adds a last axis with the pieces of each number.

    Raises:
      InvalidArgumentError: for a wider dtype, the last axis does not contain exactly the bytes of
        one number, or TensorFlow has no kernel for a dtype.
      UnimplementedError: from or to 64 bits without `jax_enable_x64`.

    Differs from TensorFlow:
      Nothing, for the dtypes that JAX has.

    Under jit:
      Compiles to a bitcast, without arithmetic.

    https://www.tensorflow.org/api_docs/python/tf/bitcast
    """
    for asked in (as_numpy_dtype(type), getattr(input, "dtype", None)):
        _check_width(asked)
    x, dtype = operand(input), array_dtype(type, "bitcast")
    checks.check_kind("bitcast", "number", jnp.zeros((), dtype))
    if jnp.iscomplexobj(x) or dtype.kind == "c":
        return x if x.dtype == dtype else _from_bytes(_bytes_of_each(x, dtype), dtype)
    return _bitcast_to_wider(x, dtype) if dtype.itemsize > x.dtype.itemsize else _bitcast(x, dtype)


def _bytes_of_each(x, dtype):
    """Return the bytes of `x` in groups that each hold one number of `dtype`: `[..., itemsize]`."""
    own, wanted = x.dtype.itemsize, dtype.itemsize
    if wanted > own:
        _check_last_axis("bitcast", x, wanted // own)
    parts = jnp.stack([jnp.real(x), jnp.imag(x)], axis=-1) if jnp.iscomplexobj(x) else x
    if wanted > own:
        return _bitcast(parts, jnp.uint8).reshape(*x.shape[:-1], wanted)
    pieces = (own // wanted,) if wanted < own else ()
    return _bitcast(parts, jnp.uint8).reshape(*x.shape, *pieces, wanted)


def _from_bytes(data, dtype):
    """Assemble numbers of `dtype` from the bytes in the last axis."""
    if dtype.kind != "c":
        return _bitcast(data if dtype.itemsize > 1 else data[..., 0], dtype)
    half = jnp.finfo(dtype).dtype
    parts = _bitcast(data.reshape(*data.shape[:-1], 2, half.itemsize), half)
    return lax.complex(parts[..., 0], parts[..., 1])


def _check_width(dtype):
    """Reject 64-bit dtypes without `jax_enable_x64`: half of the bits would be missing."""
    if isinstance(dtype, np.dtype) and canonical_dtype(dtype) != dtype:
        raise errors.UnimplementedError(
            errors.message(
                "bitcast",
                f"{dtype.name} needs 64-bit types.",
                do='enable 64-bit types: `jax.config.update("jax_enable_x64", True)`',
            )
        )


def _bitcast(x, dtype):
    return lax.bitcast_convert_type(x, dtype)


def _bitcast_to_wider(x, dtype):
    _check_last_axis("bitcast", x, dtype.itemsize // x.dtype.itemsize)
    return lax.bitcast_convert_type(x, dtype)


def _check_last_axis(function, x, size):
    if not x.ndim or (checks.is_known(x.shape[-1]) and x.shape[-1] != size):
        raise checks.invalid(
            function,
            "the bytes of the last axis do not form exactly one number of the wider dtype.",
            required=f"size {size}",
            received=describe(x),
        )


def _clamp_shift(y):
    """Clamp a shift amount to [0, bits - 1], as TensorFlow's kernels do."""
    return jnp.clip(y, 0, 8 * y.dtype.itemsize - 1)


@operator
def left_shift(x, y, name=None):
    """Shift bits left.

    Args:
      x: integer array.
      y: array of the same dtype; both arrays are broadcast.
      name: ignored.

    Returns:
      `x << y`; the amount is clamped to [0, number of bits - 1].

    Raises:
      InvalidArgumentError: the dtypes differ, or TensorFlow has no kernel for them.

    Differs from TensorFlow:
      Nothing. An amount that is too large is clamped, whereas JAX shifts all bits out.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/bitwise/left_shift
    """
    x, y = jnp.broadcast_arrays(*pair("left_shift", x, y))
    return lax.shift_left(x, _clamp_shift(y))


@operator
def right_shift(x, y, name=None):
    """Shift bits right; the shift of signed integers is arithmetic.

    Args:
      x: integer array.
      y: array of the same dtype; both arrays are broadcast.
      name: ignored.

    Returns:
      `x >> y`; the amount is clamped to [0, number of bits - 1].

    Raises:
      InvalidArgumentError: the dtypes differ, or TensorFlow has no kernel for them.

    Differs from TensorFlow:
      Nothing. An amount that is too large is clamped, whereas JAX shifts all bits out.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/bitwise/right_shift
    """
    x, y = jnp.broadcast_arrays(*pair("right_shift", x, y))
    signed = jnp.issubdtype(x.dtype, jnp.signedinteger)
    return (lax.shift_right_arithmetic if signed else lax.shift_right_logical)(x, _clamp_shift(y))
