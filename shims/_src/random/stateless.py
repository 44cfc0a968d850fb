"""Provide `random.stateless_uniform` and related operators, whose result depends only on a seed."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from shims._src.arguments.operands import operand
from shims._src.array.shapes import sizes_of
from shims._src.random import standard
from shims._src.random.seeds import check_philox, is_wide, seed_words
from shims._src.tracing.dispatch import operator
from shims._src.tracing.sized_by import sized_by
from shims._src.types.dtypes import as_dtype

_UNSIGNED = ("uint32", "uint64")
_UNIFORM = ("float16", "bfloat16", "float32", "float64", "int32", "int64", *_UNSIGNED)


@sized_by("shape")
def stateless_uniform(
    shape, seed, minval=0, maxval=None, dtype=np.float32, name=None, alg="auto_select"
):
    """Sample uniformly from [minval, maxval), with a given seed.

    Args:
      shape: the sizes.
      seed: two integers; see `docs/random.md` for 64-bit seeds.
      minval: the lower bound. For floats, a scalar or an array that broadcasts with `shape`. For integers, a
        scalar; or `None`, if `maxval` is also `None`, to sample from the whole range of the dtype.
      maxval: the upper bound. `None` means 1 for floats; for integers, it is allowed only if `minval` is also `None`.
      dtype: float16, bfloat16, float32, float64, int32, int64, uint32 or uint64.
      name: ignored.
      alg: `"philox"` or `"auto_select"`, which select the same algorithm.

    Returns:
      The array.

    Raises:
      ValueError: the dtype is not supported, or the bounds do not fit the dtype.
      InvalidArgumentError: the seed is not two integers, or `minval >= maxval` for integers.
      UnimplementedError: `alg` is Threefry.

    Differs from TensorFlow:
      The bits equal TensorFlow's on CPU. The full range of 64-bit integers needs `jax_enable_x64`.

    Under jit:
      Sizes, seed and bounds may be traced.

    Example:
      >>> import shims
      >>> shims.random.stateless_uniform([2], seed=[1, 2]).round(3).tolist()
      [0.8439999222755432, 0.19200000166893005]

    https://www.tensorflow.org/api_docs/python/tf/random/stateless_uniform
    """
    kind = as_dtype(dtype)
    if kind.name not in _UNIFORM:
        raise ValueError(
            f"Argument `dtype` got invalid value {kind!r}. Accepted dtypes are "
            f"{', '.join(_UNIFORM)}."
        )
    standard.check_bounds(kind, minval, maxval)
    if minval is not None and kind.name in _UNSIGNED:
        raise ValueError(
            f"Argument `dtype` got invalid value {kind!r} when argument `minval` is not None. "
            "Please don't use unsigned integers in this case."
        )
    words, dims = _words_and_sizes("stateless_uniform", shape, seed, alg)
    return standard.uniform_of("stateless_uniform", words, dims, minval, maxval, kind)


@sized_by("shape")
def stateless_normal(
    shape, seed, mean=0.0, stddev=1.0, dtype=np.float32, name=None, alg="auto_select"
):
    """Sample from a normal distribution, with a given seed.

    Args:
      shape: the sizes.
      seed: two integers.
      mean: a scalar or an array that broadcasts with `shape`.
      stddev: a scalar or an array that broadcasts with `shape`.
      dtype: float16, bfloat16, float32 or float64.
      name: ignored.
      alg: `"philox"` or `"auto_select"`, which select the same algorithm.

    Returns:
      The array.

    Raises:
      InvalidArgumentError: the seed is not two integers.
      UnimplementedError: `alg` is Threefry.

    Differs from TensorFlow:
      The bits equal TensorFlow's on CPU with the GNU C library.

    Under jit:
      Sizes, seed, mean and deviation may be traced.

    Example:
      >>> import shims
      >>> print(shims.random.stateless_normal([2, 3], seed=[1, 2]).shape)
      (2, 3)

    https://www.tensorflow.org/api_docs/python/tf/random/stateless_normal
    """
    words, dims = _words_and_sizes("stateless_normal", shape, seed, alg)
    return standard.affine("stateless_normal", "normal", words, dims, stddev, mean, dtype)


@sized_by("shape")
def stateless_truncated_normal(
    shape, seed, mean=0.0, stddev=1.0, dtype=np.float32, name=None, alg="auto_select"
):
    """Sample from a normal distribution truncated at two standard deviations, with a given seed.

    Args:
      shape: the sizes.
      seed: two integers.
      mean: a scalar or an array that broadcasts with `shape`.
      stddev: the standard deviation before the truncation, a scalar or an array that broadcasts with `shape`.
      dtype: float16, bfloat16, float32 or float64.
      name: ignored.
      alg: `"philox"` or `"auto_select"`, which select the same algorithm.

    Returns:
      The array.

    Raises:
      InvalidArgumentError: the seed is not two integers.
      UnimplementedError: `alg` is Threefry.

    Differs from TensorFlow:
      The bits equal TensorFlow's on CPU with the GNU C library.

    Under jit:
      Sizes, seed, mean and deviation may be traced.

    https://www.tensorflow.org/api_docs/python/tf/random/stateless_truncated_normal
    """
    function = "stateless_truncated_normal"
    words, dims = _words_and_sizes(function, shape, seed, alg)
    return standard.affine(function, "truncated_normal", words, dims, stddev, mean, dtype)


def _words_and_sizes(function, shape, seed, alg):
    check_philox(function, alg)
    return seed_words(function, seed), sizes_of(function, shape)


@operator
def split(seed, num=2, alg="auto_select"):
    """Derive several new seeds from a seed.

    Args:
      seed: two integers.
      num: the number of seeds.
      alg: `"philox"` or `"auto_select"`, which select the same algorithm.

    Returns:
      Seeds `[num, 2]` in the dtype of `seed`.

    Raises:
      InvalidArgumentError: the seed is not two integers.
      UnimplementedError: `alg` is Threefry.

    Differs from TensorFlow:
      Without `jax_enable_x64`, the seeds derived from a 64-bit seed are uint32 `[num, 2, 2]`.

    Under jit:
      The seed may be traced.

    https://www.tensorflow.org/api_docs/python/tf/random/split
    """
    check_philox("split", alg)
    words = seed_words("split", seed)
    if is_wide(seed):
        return jnp.reshape(standard.wide_words("split", words, 2 * num), (num, 2, 2))
    return standard.all_integers("split", words, (num, 2), operand(seed).dtype)


@operator
def fold_in(seed, data, alg="auto_select"):
    """Derive a seed from a seed and an integer.

    Args:
      seed: two integers.
      data: an integer.
      alg: `"philox"` or `"auto_select"`, which select the same algorithm.

    Returns:
      A seed `[2]` in the dtype of `data`.

    Raises:
      InvalidArgumentError: the seed is not two integers.
      UnimplementedError: `alg` is Threefry.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Seed and data may be traced.

    https://www.tensorflow.org/api_docs/python/tf/random/fold_in
    """
    check_philox("fold_in", alg)
    data = operand(data)
    first = standard.all_integers("fold_in", seed_words("fold_in", seed), (), data.dtype)
    return jnp.stack([first, data])
