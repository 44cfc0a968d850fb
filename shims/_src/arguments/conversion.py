"""Convert Python values to arrays of the dtype that TensorFlow would choose."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives
from shims._src.types.composite import is_composite

_WIDE_INTEGERS = (np.dtype(np.int64), np.dtype(np.uint64))
_LONG = (np.dtype(np.float64), np.dtype(np.complex128))
_NARROW_INTEGERS = (np.dtype(np.int32), np.dtype(np.uint32))
_INT32 = np.iinfo(np.int32)


def as_array(value, dtype=None):
    """Convert `value` to a JAX array.

    Without `dtype`, Python floats become float32 and Python integers int32.

    Args:
      value: an array, a tracer, a symbolic dimension, a variable, a number or nested numbers.
        A list of NumPy floats has the dtype of its first element; other NumPy scalars in lists are
        converted like Python numbers.
      dtype: the dtype to which Python numbers are converted. An array of a different dtype is rejected,
        as in TensorFlow.

    Raises:
      ValueError: `value` is an array whose dtype is not `dtype`, or an integer fits no dtype.
      CompositeOperandError: `value` is a ragged or a sparse tensor.
      TypeError: a Python number does not fit `dtype`.
      NarrowingError: a Python integer does not fit 32 bits, which JAX uses in place of 64.
      MissingKernelError: `value` is text.
    """
    if jp.is_symbolic(value):
        value = primitives.as_size(value)
    elif hasattr(value, "__jax_array__") and not isinstance(value, jax.Array):
        value = value.__jax_array__()
    if isinstance(value, (jax.Array, np.ndarray, np.generic)):
        return _convert_array(value, dtype)
    if is_composite(value):
        raise _composite_error(value)
    if any(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(value)):
        return _convert_array(jnp.asarray(_of_one_shape(value)), dtype)
    plain = np.asarray(value)
    if dtype is None:
        check_no_strings(plain)
        return _array_of_numbers(value, plain)
    is_number = plain.dtype.kind == "i" and np.dtype(dtype).kind != "b"
    fits = plain.size == 0 or is_number or np.can_cast(plain.dtype, dtype, "same_kind")
    if not fits:
        raise TypeError(f"Cannot convert {value!r} to an array of dtype {np.dtype(dtype).name}")
    _check_integers(plain, jax.dtypes.canonicalize_dtype(dtype))
    return jnp.asarray(plain, dtype)


def _of_one_shape(value):
    """Return a list of arrays with sizes stated to be equal where they are unknown, as `stack` states it."""
    if not all(isinstance(x, jax.Array) for x in value) or len({x.ndim for x in value}) > 1:
        return value
    found = list(value)
    for axis, sizes in enumerate(zip(*(x.shape for x in found), strict=True)):
        known = [n for n in sizes if not jp.is_symbolic(n)]
        target = (known or sizes)[0]
        if len(known) < len(sizes):
            found = [primitives.unify_axis(x, axis, target, label="stack") for x in found]
    return found


def _check_integers(plain: np.ndarray, dtype: np.dtype) -> None:
    """Check that Python integers fit a 32-bit dtype, which may have replaced a 64-bit one.

    Raises:
      NarrowingError: an integer does not fit; for an unsigned dtype, negative integers wrap around instead.
    """
    may_be_wide = dtype in _NARROW_INTEGERS and not jax.config.jax_enable_x64
    if may_be_wide and plain.dtype.kind in "iu":
        check_width(plain if dtype.kind == "i" else np.maximum(plain, 0), dtype)


def _array_of_numbers(value, plain: np.ndarray):
    """Convert a Python number, or nested lists of numbers, to an array of TensorFlow's dtype.

    The first number determines the dtype; the others must fit it. A NumPy float keeps its dtype.

    Raises:
      ValueError: a number does not fit.
    """
    kind = plain.dtype.kind
    first = _first_number(value)
    mixed = (isinstance(first, (bool, np.bool_)) and kind != "b") or (
        kind == "c" and not isinstance(first, (complex, np.complexfloating))
    )
    if mixed:
        raise _sequence_error("mixed types", value)
    if kind == "f":
        dtype = first.dtype if isinstance(first, np.floating) else np.dtype(np.float32)
        with np.errstate(over="ignore"):
            narrow = plain.astype(dtype)
        if np.any(np.isinf(narrow) & np.isfinite(plain)):
            raise _sequence_error("a number out of range", value)
        return jp.from_numpy(narrow)
    if kind == "c":
        return jnp.asarray(plain.astype(np.complex128))
    if kind == "b":
        return jnp.asarray(plain)
    if plain.size == 0 or (_INT32.min <= plain.min() and plain.max() <= _INT32.max):
        return jnp.asarray(plain, np.int32)
    if plain.dtype == np.uint64 or plain.dtype.hasobject:
        raise _sequence_error("an integer out of range", value)
    plain = plain.astype(np.int64)
    check_width(plain)
    return jnp.asarray(plain)


def _sequence_error(why: str, value) -> ValueError:
    return ValueError(f"Can't convert a Python sequence with {why}: {value!r:.200}")


def _first_number(value):
    """Return the first number of nested lists and arrays, or `None`."""
    if isinstance(value, (list, tuple)):
        return next((x for x in map(_first_number, value) if x is not None), None)
    if isinstance(value, np.ndarray):
        return value.flat[0] if value.size else None
    return value


def _composite_error(value):
    return errors.CompositeOperandError(
        errors.message(
            "",
            f"a {type(value).__name__} is passed where an array is expected.",
            required="an array",
            do=(
                "pass the component arrays, or convert the value to a dense array: `to_tensor()`, "
                "`shims.sparse.to_dense`"
            ),
        )
    )


def check_no_strings(array):
    """Reject NumPy arrays of strings, since JAX has no string arrays.

    Raises:
      MissingKernelError: the NumPy array holds text.
    """
    is_text = array.dtype.kind in "SU"
    if array.dtype.hasobject:
        is_text = not array.size or isinstance(array.flat[0], (str, bytes))
    if is_text:
        raise errors.MissingKernelError(
            errors.message(
                "",
                "JAX has no arrays of strings.",
                required="a number or bool dtype",
                received=f"an array of dtype {array.dtype}",
                do="keep strings in Python or NumPy, and convert them to numbers before the call",
            )
        )


def check_width(array, dtype=None):
    """Reject integers that do not fit the 32-bit dtype that replaces a 64-bit one in JAX.

    Args:
      array: a NumPy array, or a JAX array, which is always accepted.
      dtype: the dtype to which it is converted; if `None`, the dtype that JAX would choose.

    Raises:
      NarrowingError: a number does not fit.
    """
    if isinstance(array, jax.Array) or array.dtype not in _WIDE_INTEGERS:
        return
    becomes = jax.dtypes.canonicalize_dtype(array.dtype if dtype is None else dtype)
    if becomes.kind not in "iu" or becomes == array.dtype:
        return
    limits = np.iinfo(becomes)
    if array.size and not limits.min <= array.min() <= array.max() <= limits.max:
        raise errors.NarrowingError(
            errors.message(
                "",
                f"a number of dtype {array.dtype.name} does not fit {limits.dtype.name}.",
                required=f"numbers in [{limits.min}, {limits.max}]",
                received=f"[{array.min()}, {array.max()}]",
                do='enable 64-bit types: `jax.config.update("jax_enable_x64", True)`',
            )
        )


def _check_range(array) -> None:
    """Raise an error for finite 64-bit floats that are infinite in 32 bits.

    Raises:
      NarrowingError: such a number exists.
    """
    becomes = jax.dtypes.canonicalize_dtype(array.dtype)
    if array.dtype not in _LONG or becomes == array.dtype:
        return
    limit = np.finfo(becomes).max
    is_real = array.dtype.kind == "f"
    if not array.size or (is_real and -limit <= array.min() <= array.max() <= limit):
        return
    with np.errstate(over="ignore", invalid="ignore"):
        lost = np.isinf(np.asarray(array).astype(becomes)) & np.isfinite(array)
    if np.any(lost):
        raise errors.NarrowingError(
            errors.message(
                "",
                f"a number of dtype {array.dtype.name} is too large for {becomes.name}.",
                required=f"numbers up to {limit}",
                received=f"{np.asarray(array)[lost][0]}",
                do='enable 64-bit types: `jax.config.update("jax_enable_x64", True)`',
            )
        )


def narrow_array(array, dtype=None):
    """Convert a NumPy array to `dtype`, or by default from 64 bits to the width that JAX uses.

    Values that are not NumPy arrays are returned unchanged.

    Raises:
      NarrowingError: a number does not fit.
    """
    if not isinstance(array, (np.ndarray, np.generic)):
        return array
    if dtype is None and array.dtype not in (*_WIDE_INTEGERS, *_LONG):
        return array
    check_width(array, dtype)
    _check_range(array)
    becomes = jax.dtypes.canonicalize_dtype(array.dtype if dtype is None else dtype)
    return np.asarray(array).astype(becomes, copy=False)


def _convert_array(array, dtype):
    if not isinstance(array, jax.Array):
        check_no_strings(array)
        check_width(array)
        # TensorFlow gives a scalar the dtype of its neighbor, even if it overflows to infinity.
        if dtype is None and array.ndim:
            _check_range(array)
    array = jp.from_numpy(array) if type(array) is np.ndarray else jnp.asarray(array)
    if dtype is None:
        return strong(array)
    wanted = jax.dtypes.canonicalize_dtype(dtype)
    if array.dtype != wanted and not getattr(array, "weak_type", False):
        raise ValueError(
            f"Tensor conversion requested dtype {wanted.name} for an array of dtype "
            f"{array.dtype.name}"
        )
    return lax.convert_element_type(array, wanted)


def strong(array):
    """Remove the weak type of `array`, since JAX rejects type changes of loop carries and branches."""
    if getattr(array, "weak_type", False):
        return lax.convert_element_type(array, array.dtype)
    return array
