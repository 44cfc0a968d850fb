"""Casts that have a function per dtype."""

from __future__ import annotations

from shims._src.types import dtypes
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.modes import executing_eagerly
from shims._src.v1.graph.standard_operators import cast


def _to(x, dtype, name):
    if not executing_eagerly() and not getattr(x, "is_composite", False):
        x = convert_to_tensor(x, name="x")
        if x.dtype == dtype:
            return x
    return cast(x, dtype, name=name)


def to_bfloat16(x, name="ToBFloat16"):
    """`x` as bfloat16; see `to_float`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/to_bfloat16
    """
    return _to(x, dtypes.bfloat16, name)


def to_complex64(x, name="ToComplex64"):
    """`x` as complex64; see `to_float`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/to_complex64
    """
    return _to(x, dtypes.complex64, name)


def to_complex128(x, name="ToComplex128"):
    """`x` as complex128; see `to_float`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/to_complex128
    """
    return _to(x, dtypes.complex128, name)


def to_double(x, name="ToDouble"):
    """`x` as float64; see `to_float`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/to_double
    """
    return _to(x, dtypes.float64, name)


def to_float(x, name="ToFloat"):
    """`x` as float32.

    Args:
      x: array or sparse tensor of any numbers, or bool.
      name: name of the operation.

    Returns:
      An array of the same shape; `x` itself where it is float32 already.

    Raises:
      TypeError: `x` cannot be cast.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/to_float
    """
    return _to(x, dtypes.float32, name)


def to_int32(x, name="ToInt32"):
    """`x` as int32; see `to_float`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/to_int32
    """
    return _to(x, dtypes.int32, name)


def to_int64(x, name="ToInt64"):
    """`x` as int64; see `to_float`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/to_int64
    """
    return _to(x, dtypes.int64, name)
