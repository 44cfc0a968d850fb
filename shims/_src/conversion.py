"""How a Python value becomes an array of the dtype that TensorFlow would give it."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src import errors, primitives
from shims._src import jax_private as jp

# TensorFlow's dtypes of Python numbers; NumPy's are twice as wide.
_NARROW = {np.dtype("float64"): np.float32, np.dtype("int64"): np.int32}
_WIDE = (np.dtype(np.int64), np.dtype(np.uint64))
_INT32 = np.iinfo(np.int32)


def as_array(value, dtype=None):
    """`value` as a JAX array: Python floats are float32 and ints int32 unless `dtype` says more.

    Args:
      value: an array, a tracer, a symbolic dimension, a variable, a number or nested numbers.
      dtype: what Python numbers become; an array of another dtype is refused, as TensorFlow does.

    Raises:
      ValueError: `value` is an array of another dtype than `dtype`.
      CompositeOperandError: `value` is a ragged or a sparse tensor.
      TypeError: a Python number does not fit `dtype`.
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
        fits = plain.size == 0 or (_INT32.min <= plain.min() and plain.max() <= _INT32.max)
        narrow = _NARROW.get(plain.dtype)
        wide = narrow is np.int32 and not fits
        return _as_declared(plain, None) if wide else jnp.asarray(plain, narrow)
    fits = (
        plain.size == 0 or plain.dtype.kind == "i" or np.can_cast(plain.dtype, dtype, "same_kind")
    )
    if not fits:
        raise TypeError(f"Cannot convert {value!r} to an array of dtype {np.dtype(dtype).name}")
    return jnp.asarray(plain, dtype)


def _composite(value):
    return errors.CompositeOperandError(
        errors.message(
            "",
            f"a {type(value).__name__} stands where an array is expected.",
            required="an array",
            do="take its values, or fill it up: `to_tensor()`, `shims.sparse.to_dense`",
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


def narrowed(array, dtype=None):
    """A NumPy array of integers as wide as JAX has them, or of `dtype`; anything else as it is.

    Raises:
      NarrowingError: a number does not fit.
    """
    if not isinstance(array, (np.ndarray, np.generic)):
        return array
    if dtype is None and array.dtype not in _WIDE:
        return array
    check_width(array, dtype)
    becomes = jax.dtypes.canonicalize_dtype(array.dtype if dtype is None else dtype)
    return np.asarray(array).astype(becomes, copy=False)


def _as_declared(array, dtype):
    check_width(array)
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
