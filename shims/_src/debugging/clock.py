"""Read the clock: `tf.timestamp`."""

from __future__ import annotations

import time
import warnings

import numpy as np

from shims._src.debugging.host_calls import numpy_function
from shims._src.errors import errors
from shims._src.types.dtypes import array_dtype
from shims._src.types.tensor_spec import TensorSpec


def timestamp(name=None):
    """Return the time at which the program reaches this call, in seconds since 1970-01-01.

    Args:
      name: ignored.

    Returns:
      A scalar of float64.

    Differs from TensorFlow:
      Without `jax_enable_x64`, the time is float32, in which neighboring numbers are two minutes
      apart. A warning says so.

    Under jit:
      The clock is read whenever the program runs, in program order.

    Example:
      >>> import jax, shims
      >>> with jax.enable_x64(True):
      ...     print(shims.timestamp() > 1.7e9)
      True

    https://www.tensorflow.org/api_docs/python/tf/timestamp
    """
    del name
    dtype = array_dtype(np.float64, "timestamp")
    if dtype.itemsize < 8:
        warnings.warn(
            errors.message(
                "timestamp",
                "float32 can represent the seconds since 1970 only to within two minutes.",
                do=(
                    'enable 64-bit types: `jax.config.update("jax_enable_x64", True)`, or call '
                    "Python's `time.time()` outside of traced functions"
                ),
            ),
            stacklevel=2,
        )
    return numpy_function(lambda: dtype.type(time.time()), [], TensorSpec([], dtype))
