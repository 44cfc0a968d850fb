"""Provide `random.uniform`, `normal` and `truncated_normal`, which depend on `set_seed`."""

from __future__ import annotations

import math

import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.operands import operand
from shims._src.array.shapes import sizes_of
from shims._src.random import standard
from shims._src.random.global_seed import stream
from shims._src.random.words import blocks_of
from shims._src.sizes import primitives
from shims._src.tracing.sized_by import sized_by
from shims._src.types.dtypes import array_dtype, as_dtype

# Blocks that a kernel sets aside for each number.
RESERVED = 256
_UNIFORM = ("float16", "bfloat16", "float32", "float64", "int32", "int64")


def elements(dims):
    """Return the number of elements of a shape: an int, or a scalar array if a size is symbolic."""
    count = math.prod(dims)
    return count if checks.is_known(count) else primitives.as_size(count)


def _words(kernel, seed, dims, dtype):
    return stream(kernel, seed, blocks_of(elements(dims), RESERVED), as_dtype(dtype).name)


@sized_by("shape")
def uniform(shape, minval=0, maxval=None, dtype=np.float32, seed=None, name=None):
    """Sample uniformly from [minval, maxval).

    Args:
      shape: the sizes.
      minval: the lower bound. For floats, a scalar or an array that broadcasts with `shape`; for integers, a scalar.
      maxval: the upper bound. `None` means 1 for floats; for integers, it is an error.
      dtype: float16, bfloat16, float32, float64, int32 or int64.
      seed: an integer; see `set_seed`.
      name: ignored.

    Returns:
      The array.

    Raises:
      ValueError: the dtype is not supported, or integers have no upper bound.
      InvalidArgumentError: `minval >= maxval` for integers.

    Differs from TensorFlow:
      The bits equal TensorFlow's on CPU after the same `set_seed` and the same calls.

    Under jit:
      Inside `shims.function` every call gives new numbers. Inside an enclosing `jax.jit`, the
      numbers are constants of the compiled program: use `stateless_uniform` there.

    Example:
      >>> import shims
      >>> shims.random.set_seed(1)
      >>> print(shims.random.uniform([3], maxval=10, dtype=shims.int32))
      [2 9 7]

    https://www.tensorflow.org/api_docs/python/tf/random/uniform
    """
    kind = as_dtype(dtype)
    if kind.name not in _UNIFORM:
        raise ValueError(
            f"Argument `dtype` got invalid value {kind!r}. Accepted dtypes are "
            f"{', '.join(_UNIFORM)}."
        )
    if maxval is None:
        if kind.is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {kind!r}")
        maxval = 1
    dims = sizes_of("uniform", shape)
    if kind.is_integer:
        words = _words("RandomUniformInt", seed, dims, kind)
        return standard.integers("uniform", words, dims, minval, maxval, kind)
    words = _words("RandomUniform", seed, dims, kind)
    if isinstance(minval, int) and minval == 0:
        numbers = standard.standard("uniform", "uniform", words, dims, kind)
        one = isinstance(maxval, int) and maxval == 1
        return numbers if one else numbers * operand(maxval, array_dtype(kind, "uniform"))
    return standard.between("uniform", words, dims, minval, maxval, kind)


@sized_by("shape")
def normal(shape, mean=0.0, stddev=1.0, dtype=np.float32, seed=None, name=None):
    """Sample from a normal distribution.

    Args:
      shape: the sizes.
      mean: a scalar or an array that broadcasts with `shape`.
      stddev: a scalar or an array that broadcasts with `shape`.
      dtype: float16, bfloat16, float32 or float64.
      seed: an integer; see `set_seed`.
      name: ignored.

    Returns:
      The array.

    Differs from TensorFlow:
      The bits equal TensorFlow's on CPU after the same `set_seed` and the same calls.

    Under jit:
      Inside `shims.function` every call gives new numbers. Inside an enclosing `jax.jit`, the
      numbers are constants of the compiled program: use `stateless_normal` there.

    Example:
      >>> import shims
      >>> shims.random.set_seed(1)
      >>> print(shims.random.normal([2, 2]).shape)
      (2, 2)

    https://www.tensorflow.org/api_docs/python/tf/random/normal
    """
    dims = sizes_of("normal", shape)
    standard.kernel_of("normal", "normal", dtype)
    words = _words("RandomStandardNormal", seed, dims, dtype)
    return standard.affine("normal", "normal", words, dims, stddev, mean, dtype)


@sized_by("shape")
def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=np.float32, seed=None, name=None):
    """Sample from a normal distribution truncated at two standard deviations.

    Args:
      shape: the sizes.
      mean: a scalar or an array that broadcasts with `shape`.
      stddev: the standard deviation before the truncation, a scalar or an array that broadcasts with `shape`.
      dtype: float16, bfloat16, float32 or float64.
      seed: an integer; see `set_seed`.
      name: ignored.

    Returns:
      The array.

    Differs from TensorFlow:
      The bits equal TensorFlow's on CPU after the same `set_seed` and the same calls.

    Under jit:
      Inside `shims.function` every call gives new numbers. Inside an enclosing `jax.jit`, the
      numbers are constants of the compiled program: use `stateless_truncated_normal` there.

    Example:
      >>> import shims
      >>> print(shims.random.truncated_normal([2, 3]).shape)
      (2, 3)

    https://www.tensorflow.org/api_docs/python/tf/random/truncated_normal
    """
    dims = sizes_of("truncated_normal", shape)
    standard.kernel_of("truncated_normal", "truncated_normal", dtype)
    words = _words("TruncatedNormal", seed, dims, dtype)
    return standard.affine("truncated_normal", "truncated_normal", words, dims, stddev, mean, dtype)
