"""Convert dtypes, with the results of TensorFlow's CPU kernels for values out of range."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments.checks import is_known_shape, static_int
from shims._src.arguments.conversion import check_width
from shims._src.arguments.operands import operand
from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives
from shims._src.tracing import text_operands
from shims._src.tracing.dispatch import operator
from shims._src.types.composite import is_composite
from shims._src.types.dtypes import array_dtype
from shims._src.types.tensor_spec import as_numpy_dtype

# SIMD vector length of TensorFlow's conversions to 8-bit and 16-bit integers, by source dtype.
_VECTORS = {"float32": 32, "float64": 16, "float16": 16, "bfloat16": 8}


@operator(compiled=True)
def cast(x, dtype, name=None):
    """Convert `x` to another dtype.

    Args:
      x: array.
      dtype: the new dtype.
      name: ignored.

    Returns:
      An array of the shape of `x` and the dtype `dtype`. In a cast to int32, a float out of range
      (or NaN) becomes the lowest int32. TensorFlow converts to narrower integers in SIMD vectors
      (32 elements of float32, 16 of float64 and float16, 8 of bfloat16). Elements in full vectors
      are clamped to the range of the dtype. The remaining elements (all elements, if the array is
      smaller than a vector) keep the low bits. For example, 300.0 as uint8 is 255 in a full vector,
      and 44 among the remaining elements. For uint32, a value out of range becomes 2**31 in full
      vectors of 8 elements, and keeps the low bits in the remaining elements.

    Raises:
      UnimplementedError: `x` contains strings, or `dtype` is the dtype of strings.
      NarrowingError: a Python or NumPy number fits the 64-bit dtype, but not the 32-bit dtype that
        JAX uses instead.

    Differs from TensorFlow:
      64-bit dtypes become 32-bit dtypes unless `jax_enable_x64` is on. Without `jax_enable_x64`, a
      float above the range of int32 that is cast to int64 becomes the largest int32, not a negative
      number. The largest int32 is rejected as a size. The stated vector lengths are those of
      TensorFlow on x86 processors. If TensorFlow splits a large array among several threads, the
      part of each thread ends with elements that do not fill a vector. In `shims`, only the end of
      the whole array contains such elements.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    Example:
      >>> import shims
      >>> print(shims.cast([1.7, -1.7], shims.int32))
      [ 1 -1]

    https://www.tensorflow.org/api_docs/python/tf/cast
    """
    if as_numpy_dtype(dtype).hasobject and text_operands.holds_text(x):
        return x if is_composite(x) else text_operands.elements(x)
    wanted = array_dtype(dtype, "cast")
    if _is_text(x):
        raise errors.UnimplementedError(
            errors.message(
                "cast",
                f"text cannot be cast to {wanted.name}.",
                required="numbers",
                received=repr(x),
                do="parse the numbers in Python first: `float(text)`",
            )
        )
    if isinstance(x, (float, np.floating, np.ndarray)):
        _check_fractions(np.asarray(x), as_numpy_dtype(dtype))
    x = operand(_narrow_floats(x, dtype))
    converted = convert(x, wanted)
    if as_numpy_dtype(dtype) != np.int64 or wanted == np.int64 or x.dtype.kind != "f":
        return converted
    if x.dtype == jnp.float16:
        return converted  # whose numbers fit an int32, and to which 2**31 cannot be converted
    return jnp.where(x >= 2.0**31, np.int32(2**31 - 1), converted)


def _narrow_floats(x, dtype):
    """Convert NumPy floats to the precision that JAX uses, unless the target dtype has 64 bits."""
    is_wide = as_numpy_dtype(dtype) in (np.float64, np.complex128)
    if is_wide or not isinstance(x, np.ndarray) or x.dtype.kind not in "fc":
        return x
    with np.errstate(over="ignore"):
        return x.astype(jax.dtypes.canonicalize_dtype(x.dtype))


def _check_fractions(x, dtype):
    """Reject floats that overflow the 32-bit integer dtype with which JAX replaces a 64-bit one."""
    if dtype in (np.int64, np.uint64) and x.dtype.kind == "f":
        check_width(x[np.abs(x) < 2.0**63].astype(dtype))


def _is_text(x) -> bool:
    if isinstance(x, (list, tuple)):
        return any(isinstance(leaf, (str, bytes)) for leaf in jax.tree.leaves(x))
    return isinstance(x, (str, bytes)) or (isinstance(x, np.ndarray) and x.dtype.kind in "SUO")


def convert(x, dtype):
    """Convert `x` to another dtype as TensorFlow's CPU kernels do."""
    if x.dtype == dtype:
        return x
    if jnp.issubdtype(x.dtype, jnp.complexfloating) and not jnp.issubdtype(
        dtype, jnp.complexfloating
    ):
        x = jnp.real(x)
    if dtype == jnp.bool_:
        return x != 0
    if jnp.issubdtype(x.dtype, jnp.floating) and jnp.issubdtype(dtype, jnp.integer):
        return _to_integer(x, np.dtype(dtype))
    return lax.convert_element_type(x, dtype)


def _to_integer(x, dtype):
    """Truncate floats to integers; values out of range become the lowest integer, as on x86."""
    given = x.dtype
    if given == np.float16:
        x = x.astype(jnp.float32)  # float16 cannot represent the bounds of the integers
    if dtype == np.uint32:
        low, half = _modulo(x, dtype), 2.0**31
        fits = (x > -half) & (x < 2 * half)
        return _select_by_vector(jnp.where(fits, low, dtype.type(half)), low, 8)
    if dtype == np.uint64:
        half = 2.0**63
        high = lax.convert_element_type(x, dtype)
        return jnp.where((x >= half) & (x < 2 * half), high, _to_signed(x, np.int64).astype(dtype))
    whole = _to_signed(x, np.int64 if dtype == np.int64 else np.int32)
    low = lax.convert_element_type(whole, dtype)
    if dtype.itemsize >= 4:
        return low
    info = np.iinfo(dtype)
    nearest = jnp.clip(whole, info.min, info.max)
    if dtype == np.uint8 and given in (np.float64, np.float16):
        nearest = jnp.where(whole > np.iinfo(np.int16).max, 0, nearest)  # packed in two steps
    return _select_by_vector(lax.convert_element_type(nearest, dtype), low, _VECTORS[given.name])


def _select_by_vector(vectors, rest, length: int):
    """Select `vectors` for elements in full SIMD vectors of `length`, and `rest` for the remainder."""
    if is_known_shape(rest) and rest.size < length:
        return rest
    place, count = jnp.zeros((), jnp.int32), 1
    for axis, size in reversed([*enumerate(rest.shape)]):
        place = place + lax.broadcasted_iota(jnp.int32, rest.shape, axis) * count
        count = count * primitives.as_size(size)
    return jnp.where(place < count - count % length, vectors, rest)


def _to_signed(x, dtype):
    """Truncate to a signed integer; values out of range become its minimum."""
    info = np.iinfo(dtype)
    bound = 2.0 ** (info.bits - 1)
    fits = (x >= -bound) & (x < bound)
    return jnp.where(fits, lax.convert_element_type(jnp.where(fits, x, 0), dtype), info.min)


def _modulo(x, dtype):
    """Truncate floats to int64, and return the low 32 bits; no floating-point operation rounds."""
    fits = jnp.abs(x) < 2.0**63
    whole = jnp.trunc(
        jnp.where(fits, x, 0).astype(jnp.float32 if x.dtype.itemsize < 4 else x.dtype)
    )
    # Adding 2**32 to a small negative float may round, so the sign is applied to the integer.
    size = jnp.abs(whole)
    low = lax.convert_element_type(size - jnp.floor(size / 2.0**32) * 2.0**32, dtype)
    return jnp.where(whole < 0, -low, low)


@operator(compiled=True)
def saturate_cast(value, dtype, name=None):
    """Convert `value` to another dtype, clamped to the range of that dtype.

    Args:
      value: array of numbers.
      dtype: the new dtype.
      name: ignored.

    Returns:
      The converted array. An infinity becomes the lowest or highest number of the dtype. NaN stays
      NaN in floating-point dtypes; in integer dtypes, NaN becomes the number that `cast` returns.

    Raises:
      TypeError: from or to bool.

    Differs from TensorFlow:
      64-bit dtypes become 32-bit dtypes unless `jax_enable_x64` is on.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/saturate_cast
    """
    x, dtype = operand(_narrow_floats(value, dtype)), array_dtype(dtype, "saturate_cast")
    if np.bool_ in (x.dtype, dtype):
        raise TypeError(
            f"saturate_cast: cannot cast {x.dtype.name} to {dtype.name}, because bool has no range."
        )
    part = _part_of(dtype)
    if not jnp.iscomplexobj(x):
        return convert(_clamp(x, part), dtype)
    if not jnp.issubdtype(dtype, jnp.complexfloating):
        return convert(_clamp(jnp.real(x), part), dtype)
    if np.can_cast(x.dtype, dtype):
        # TensorFlow does not clamp complex numbers whose parts always fit, infinities included.
        return convert(x, dtype)
    return convert(lax.complex(_clamp(jnp.real(x), part), _clamp(jnp.imag(x), part)), dtype)


def _part_of(dtype):
    """Return the dtype of the real part of a complex dtype; return other dtypes unchanged."""
    return jnp.finfo(dtype).dtype if jnp.issubdtype(dtype, jnp.complexfloating) else dtype


def _clamp(x, dtype):
    """Clamp `x` to the range of both dtypes; the gradient of clamped elements is 0."""
    low, high = _common_range(np.dtype(x.dtype), np.dtype(dtype))
    return jnp.where(x < low, low, jnp.where(x > high, high, x))


def _common_range(have, want):
    """Return the lowest and highest value of the dtype `have` that the dtype `want` can represent."""
    mine, other = _limits(have), _limits(want)
    try:
        common = np.promote_types(have, want)
    except TypeError:
        common = np.dtype(float)
    number = int if jnp.issubdtype(have, jnp.integer) else float
    low = have.type(number(max(mine[0], other[0])))
    high = have.type(number(min(mine[1], other[1])))
    # Rounding may push an end out of the range; step back into it, as TensorFlow does.
    if common.type(low) < common.type(other[0]):
        low = np.nextafter(low, have.type(0))
    if common.type(high) > common.type(other[1]):
        high = np.nextafter(high, have.type(0))
    return low, high


def _limits(dtype):
    if jnp.issubdtype(dtype, jnp.integer):
        return int(jnp.iinfo(dtype).min), int(jnp.iinfo(dtype).max)
    return float(jnp.finfo(dtype).min), float(jnp.finfo(dtype).max)


@operator(compiled=True)
def stop_gradient(input, name=None):
    """Return `input` and block its gradient.

    Args:
      input: array.
      name: ignored.

    Returns:
      The same array, of the same shape.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Returns the traced array; JAX's own derivatives, such as `jax.grad`, are blocked, too.

    Example:
      >>> import shims
      >>> print(shims.stop_gradient([1.0, 2.0]))
      [1. 2.]

    https://www.tensorflow.org/api_docs/python/tf/stop_gradient
    """
    return lax.stop_gradient(operand(input))


@operator(compiled=True)
def identity(input, name=None):
    """Return `input` as an array.

    Args:
      input: array, or a value that converts to one.
      name: ignored.

    Returns:
      An array of the same shape and dtype.

    Differs from TensorFlow:
      Arrays are immutable, so no copy is made.

    Under jit:
      Returns the traced array itself.

    Example:
      >>> import shims
      >>> print(shims.identity([1, 2]))
      [1 2]

    https://www.tensorflow.org/api_docs/python/tf/identity
    """
    return operand(input)


@operator(compiled=True)
def convert_to_tensor(value, dtype=None, dtype_hint=None, name=None):
    """Convert `value` to an array, with TensorFlow's dtypes for Python numbers.

    Args:
      value: array, number, or nested numbers.
      dtype: the dtype; an array of a different dtype is rejected.
      dtype_hint: the dtype to use if the value can be converted to it.
      name: ignored.

    Returns:
      An array of the shape of `value`; Python numbers become float32 and int32 unless `dtype` is
      given.

    Raises:
      ValueError: `value` is an array of a different dtype.
      TypeError: a number does not fit the dtype.

    Differs from TensorFlow:
      64-bit dtypes become 32-bit dtypes unless `jax_enable_x64` is on.

    Under jit:
      A constant, or the traced array itself.

    Example:
      >>> import shims
      >>> print(shims.convert_to_tensor([[1, 2], [3, 4]]))
      [[1 2]
       [3 4]]

    https://www.tensorflow.org/api_docs/python/tf/convert_to_tensor
    """
    if dtype is not None:
        return _convert_declared(value, dtype, "convert_to_tensor")
    if dtype_hint is not None:
        try:
            return operand(value, array_dtype(dtype_hint, "convert_to_tensor"))
        except (TypeError, ValueError):
            pass  # a hint is not a demand
    return operand(value)


def _convert_declared(value, dtype, function):
    """Convert a value to a dtype that was given explicitly.

    Python integers that do not fit a narrow dtype wrap around, as in TensorFlow. They do not wrap
    around when the dtype is only narrow because JAX replaces a 64-bit dtype.
    """
    wanted = array_dtype(dtype, function)
    value = _narrow_floats(value, dtype)
    try:
        return operand(value, wanted)
    except errors.NarrowingError:
        is_wide = dtype is not int and as_numpy_dtype(dtype) != wanted
        if is_wide or not isinstance(value, (int, list, tuple)):
            raise
        return operand(np.asarray(value).astype(wanted))


@operator(compiled=True)
def constant(value, dtype=None, shape=None, name="Const"):
    """Make an array of given numbers.

    Args:
      value: number, or nested numbers.
      dtype: the dtype; float32 and int32 for Python numbers when `None`.
      shape: the shape; a single number is broadcast to this shape.
      name: ignored.

    Returns:
      The array.

    Raises:
      TypeError: the number of values is neither 1 nor the number of elements of `shape`, or a value
        does not fit the dtype.
      NarrowingError: an integer does not fit the 32-bit dtype that JAX uses instead of a 64-bit
        one.

    Differs from TensorFlow:
      64-bit dtypes become 32-bit dtypes unless `jax_enable_x64` is on.

    Under jit:
      The result is a constant of the program.

    https://www.tensorflow.org/api_docs/python/tf/constant
    """
    wanted = None if dtype is None else array_dtype(dtype, "constant")
    is_array = isinstance(value, jax.Array) and not getattr(value, "weak_type", False)
    if is_array and wanted is not None and value.dtype != wanted:
        raise TypeError(
            f"constant: the array has dtype {value.dtype.name}, not {wanted.name}; cast it."
        )
    array = operand(value) if dtype is None else _convert_declared(value, dtype, "constant")
    if shape is None:
        return array
    if jp.is_tracer(shape):
        static_int("constant", "shape", shape)  # raises: the shape must be known
    shape = tuple(static_int("constant", "shape", d) for d in shape)
    if array.size == 1:
        return jnp.broadcast_to(array.reshape(()), shape)
    if array.size != int(np.prod(shape)):
        raise TypeError(
            f"constant: `value` has {array.size} numbers, but the shape {shape} needs {int(np.prod(shape))}; pass as "
            "many numbers as the shape needs, or a single number."
        )
    return array.reshape(shape)
