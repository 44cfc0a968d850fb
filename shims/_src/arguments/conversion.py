"""How a Python value becomes an array of the dtype that TensorFlow would give it."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives

_WIDE = (np.dtype(np.int64), np.dtype(np.uint64))
_LONG = (np.dtype(np.float64), np.dtype(np.complex128))
_HALVES = (np.dtype(np.int32), np.dtype(np.uint32))
_INT32 = np.iinfo(np.int32)


def as_array(value, dtype=None):
    """`value` as a JAX array: Python floats are float32 and ints int32 unless `dtype` says more.

    Args:
      value: an array, a tracer, a symbolic dimension, a variable, a number or nested numbers.
        Of NumPy's numbers in lists, only a float keeps its dtype, the first one.
      dtype: what Python numbers become; an array of another dtype is refused, as TensorFlow does.

    Raises:
      ValueError: `value` is an array of another dtype than `dtype`, or an integer fits none.
      CompositeOperandError: `value` is a ragged or a sparse tensor.
      TypeError: a Python number does not fit `dtype`.
      NarrowingError: a Python integer does not fit the 32 bits that JAX has in the place of 64.
      MissingKernelError: `value` is text.
    """
    if jp.is_symbolic(value):
        value = primitives.as_size(value)
    elif hasattr(value, "__jax_array__") and not isinstance(value, jax.Array):
        value = value.__jax_array__()
    if isinstance(value, (jax.Array, np.ndarray, np.generic)):
        return _as_declared(value, dtype)
    if getattr(value, "is_composite", False):
        raise _composite(value)
    if any(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(value)):
        return _as_declared(jnp.asarray(value), dtype)
    plain = np.asarray(value)
    if dtype is None:
        check_no_strings(plain)
        return _of_numbers(value, plain)
    is_number = plain.dtype.kind == "i" and np.dtype(dtype).kind != "b"
    fits = plain.size == 0 or is_number or np.can_cast(plain.dtype, dtype, "same_kind")
    if not fits:
        raise TypeError(f"Cannot convert {value!r} to an array of dtype {np.dtype(dtype).name}")
    _check_integers(plain, jax.dtypes.canonicalize_dtype(dtype))
    return jnp.asarray(plain, dtype)


def _check_integers(plain: np.ndarray, dtype: np.dtype) -> None:
    """Refuse Python's integers beyond a dtype of 32 bits that may stand for one of 64.

    Raises:
      NarrowingError: a number does not fit; a negative one wraps around where there is no sign.
    """
    may_be_wide = dtype in _HALVES and not jax.config.jax_enable_x64
    if may_be_wide and plain.dtype.kind in "iu":
        check_width(plain if dtype.kind == "i" else np.maximum(plain, 0), dtype)


def _of_numbers(value, plain: np.ndarray):
    """Numbers of Python, nested or alone, as the array that TensorFlow makes of them.

    The first one counts: what follows must fit it, and of NumPy's numbers a float keeps its dtype.

    Raises:
      ValueError: a number does not fit.
    """
    kind = plain.dtype.kind
    first = _first(value)
    mixed = (isinstance(first, (bool, np.bool_)) and kind != "b") or (
        kind == "c" and not isinstance(first, (complex, np.complexfloating))
    )
    if mixed:
        raise _unfit("mixed types", value)
    if kind == "f":
        dtype = first.dtype if isinstance(first, np.floating) else np.dtype(np.float32)
        with np.errstate(over="ignore"):
            narrow = plain.astype(dtype)
        if np.any(np.isinf(narrow) & np.isfinite(plain)):
            raise _unfit("a number out of range", value)
        return jnp.asarray(narrow)
    if kind == "c":
        return jnp.asarray(plain.astype(np.complex128))
    if kind == "b":
        return jnp.asarray(plain)
    if plain.size == 0 or (_INT32.min <= plain.min() and plain.max() <= _INT32.max):
        return jnp.asarray(plain, np.int32)
    if plain.dtype == np.uint64 or plain.dtype.hasobject:
        raise _unfit("an integer out of range", value)
    plain = plain.astype(np.int64)
    check_width(plain)
    return jnp.asarray(plain)


def _unfit(why: str, value) -> ValueError:
    return ValueError(f"Can't convert a Python sequence with {why}: {value!r:.200}")


def _first(value):
    """The first number of nested lists and arrays, `None` where there is none."""
    if isinstance(value, (list, tuple)):
        return next((x for x in map(_first, value) if x is not None), None)
    if isinstance(value, np.ndarray):
        return value.flat[0] if value.size else None
    return value


def _composite(value):
    return errors.CompositeOperandError(
        errors.message(
            "",
            f"a {type(value).__name__} stands where an array is expected.",
            required="an array",
            do="take its values, or fill it up: `to_tensor()`, `shims.sparse.to_dense`",
        )
    )


def check_no_strings(array):
    """Refuse strings, which no accelerator has.

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
                do="keep strings in Python or NumPy, and look them up before the call",
            )
        )


def check_width(array, dtype=None):
    """Refuse numbers that do not fit where integers of 64 bits become narrower ones.

    Args:
      array: a NumPy array or a JAX one, which is narrow already.
      dtype: what it becomes; JAX's dtype for it when `None`.

    Raises:
      NarrowingError: a number does not fit.
    """
    if isinstance(array, jax.Array) or array.dtype not in _WIDE:
        return
    becomes = jax.dtypes.canonicalize_dtype(array.dtype if dtype is None else dtype)
    if becomes.kind not in "iu" or becomes == array.dtype:
        return
    limits = np.iinfo(becomes)
    if array.size and not limits.min <= array.min() <= array.max() <= limits.max:
        raise errors.NarrowingError(
            errors.message(
                "",
                f"a number of {array.dtype.name} does not fit {limits.dtype.name}.",
                required=f"numbers in [{limits.min}, {limits.max}]",
                received=f"[{array.min()}, {array.max()}]",
                do='turn 64 bits on: `jax.config.update("jax_enable_x64", True)`',
            )
        )


def _check_range(array) -> None:
    """Refuse finite numbers of 64 bits that 32 have no finite number for.

    Raises:
      NarrowingError: there is one.
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
                f"a number of {array.dtype.name} is too large for {becomes.name}.",
                required=f"numbers up to {limit}",
                received=f"{np.asarray(array)[lost][0]}",
                do='turn 64 bits on: `jax.config.update("jax_enable_x64", True)`',
            )
        )


def narrowed(array, dtype=None):
    """A NumPy array of 64 bits as wide as JAX has them, or of `dtype`; anything else as it is.

    Raises:
      NarrowingError: a number does not fit.
    """
    if not isinstance(array, (np.ndarray, np.generic)):
        return array
    if dtype is None and array.dtype not in (*_WIDE, *_LONG):
        return array
    check_width(array, dtype)
    _check_range(array)
    becomes = jax.dtypes.canonicalize_dtype(array.dtype if dtype is None else dtype)
    return np.asarray(array).astype(becomes, copy=False)


def _as_declared(array, dtype):
    if not isinstance(array, jax.Array):
        check_no_strings(array)
        check_width(array)
        # A single number TensorFlow takes as what it stands beside, infinite or not.
        if dtype is None and array.ndim:
            _check_range(array)
    array = jnp.asarray(array)
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
    """`array` with the same dtype and no weak type, which loops and branches would trip over."""
    if getattr(array, "weak_type", False):
        return lax.convert_element_type(array, array.dtype)
    return array
