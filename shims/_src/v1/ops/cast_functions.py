"""Provide cast functions such as `to_float`, one per dtype."""

from __future__ import annotations

from shims._src.types import dtypes
from shims._src.types.composite import is_composite
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.modes import executing_eagerly
from shims._src.v1.graph.standard_operators import cast


def _cast_to(x, dtype, name):
    if not executing_eagerly() and not is_composite(x):
        x = convert_to_tensor(x, name="x")
        if x.dtype == dtype:
            return x
    return cast(x, dtype, name=name)


def to_bfloat16(x, name="ToBFloat16"):
    """Cast `x` to bfloat16; see `to_float`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/to_bfloat16
    """
    return _cast_to(x, dtypes.bfloat16, name)


def to_complex64(x, name="ToComplex64"):
    """Cast `x` to complex64; see `to_float`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/to_complex64
    """
    return _cast_to(x, dtypes.complex64, name)


def to_complex128(x, name="ToComplex128"):
    """Cast `x` to complex128; see `to_float`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/to_complex128
    """
    return _cast_to(x, dtypes.complex128, name)


def to_double(x, name="ToDouble"):
    """Cast `x` to float64; see `to_float`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/to_double
    """
    return _cast_to(x, dtypes.float64, name)


def to_float(x, name="ToFloat"):
    """Cast `x` to float32.

    Args:
      x: an array or sparse tensor of any numeric dtype or bool.
      name: name of the operation.

    Returns:
      An array of the same shape; `x` itself if it is already float32.

    Raises:
      TypeError: `x` cannot be cast.

    Differs from TensorFlow:
      Nothing.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     print(session.run(tf.to_float([1, 2])))
      [1. 2.]

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/to_float
    """
    return _cast_to(x, dtypes.float32, name)


def to_int32(x, name="ToInt32"):
    """Cast `x` to int32; see `to_float`.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     print(session.run(tf.to_int32([1.7, -1.7])))
      [ 1 -1]

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/to_int32
    """
    return _cast_to(x, dtypes.int32, name)


def to_int64(x, name="ToInt64"):
    """Cast `x` to int64; see `to_float`.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     print(session.run(tf.to_int64([1.7])))
      [1]

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/to_int64
    """
    return _cast_to(x, dtypes.int64, name)
