"""Sample from distributions with one kernel per dtype: uniform, normal, integer."""

from __future__ import annotations

from collections.abc import Callable

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.operands import broadcasting, operand
from shims._src.errors import errors
from shims._src.numeric.separate_rounding import multiply_add
from shims._src.random import distributions
from shims._src.random.draw import draw
from shims._src.types.dtypes import array_dtype, as_dtype

_KERNELS: dict[str, dict[str, Callable]] = {
    "uniform": {
        "float16": distributions.uniform_float16,
        "bfloat16": distributions.uniform_bfloat16,
        "float32": distributions.uniform_float32,
        "float64": distributions.uniform_float64,
    },
    "normal": {
        "float16": distributions.normal_float32,
        "bfloat16": distributions.normal_float32,
        "float32": distributions.normal_float32,
        "float64": distributions.normal_float64,
    },
    "truncated_normal": {
        "float16": distributions.truncated_normal_float32,
        "bfloat16": distributions.truncated_normal_float32,
        "float32": distributions.truncated_normal_float32,
        "float64": distributions.truncated_normal_float64,
    },
    "full": {
        "int32": distributions.full_32,
        "uint32": distributions.full_32,
        "int64": distributions.full_64,
        "uint64": distributions.full_64,
    },
    "bounded": {
        "int32": distributions.bounded_int32,
        "int64": distributions.bounded_int64,
    },
}


def kernel_of(function: str, kind: str, dtype):
    """Look up the kernel of a distribution, such as `"uniform"`, for a dtype.

    Raises:
      DtypeMismatchError: TensorFlow has no such kernel.
    """
    name = as_dtype(dtype).name
    if name not in _KERNELS[kind]:
        raise errors.DtypeMismatchError(
            errors.message(
                function,
                f"dtype {name} is not supported.",
                required=f"one of {', '.join(_KERNELS[kind])}",
                received=f"dtype {name}",
            )
        )
    return _KERNELS[kind][name]


def is_integer(dtype) -> bool:
    """Return whether a dtype is an integer dtype."""
    return as_dtype(dtype).is_integer


def standard(function: str, kind: str, words, dims, dtype):
    """Sample from the standard uniform, normal or truncated normal distribution.

    Args:
      function: the operator, for messages.
      kind: `uniform`, `normal` or `truncated_normal`.
      words: the stream, as `draw` expects it.
      dims: the sizes of the result.
      dtype: the dtype in TensorFlow; without `jax_enable_x64` the result has 32 bits in place of
        64.
    """
    kernel = kernel_of(function, kind, dtype)
    return draw(kernel, words, shape=dims, dtype=array_dtype(dtype, function))


def affine(function: str, kind: str, words, dims, scale, shift, dtype):
    """Sample from a standard distribution; multiply by `scale` and add `shift`."""
    numbers = standard(function, kind, words, dims, dtype)
    scale, shift = operand(scale, numbers.dtype), operand(shift, numbers.dtype)
    return multiply_add(*broadcasting(function, numbers, scale, shift))


def between(function: str, words, dims, minval, maxval, dtype):
    """Sample floating-point numbers uniformly from [minval, maxval)."""
    narrowed = array_dtype(dtype, function)
    low, high = broadcasting(function, operand(minval, narrowed), operand(maxval, narrowed))
    # `multiply_add` keeps XLA from leaving out the rounding of the difference.
    span = multiply_add(low, jnp.full_like(low, -1), high)
    return affine(function, "uniform", words, dims, span, low, dtype)


def integers(function: str, words, dims, minval, maxval, dtype):
    """Sample integers uniformly from [minval, maxval).

    Raises:
      InvalidArgumentError: the bounds are not scalars, or the range is empty.
    """
    kernel = kernel_of(function, "bounded", dtype)
    narrowed = array_dtype(dtype, function)
    low, high = operand(minval, narrowed), operand(maxval, narrowed)
    for name, bound in (("minval", low), ("maxval", high)):
        if bound.ndim:
            raise checks.invalid(
                function, f"`{name}` must be a scalar.", received=f"shape {bound.shape}"
            )
    if not (all(map(checks.is_known, dims)) and 0 in dims):
        checks.check_data(
            low >= high,
            function,
            "the range is empty.",
            required="minval < maxval",
            received=f"minval={minval}, maxval={maxval}",
        )
    return draw(kernel, words, low, high, shape=dims, dtype=narrowed)


def all_integers(function: str, words, dims, dtype):
    """Sample integers uniformly from the full range of a dtype.

    Raises:
      UnimplementedError: the dtype has 64 bits, and `jax_enable_x64` is off.
    """
    kernel = kernel_of(function, "full", dtype)
    narrowed = array_dtype(dtype, function)
    name = as_dtype(dtype).name
    if narrowed.itemsize != int(name.removeprefix("u").removeprefix("int")) // 8:
        raise errors.UnimplementedError(
            errors.message(
                function,
                "the full range of a 64-bit integer needs `jax_enable_x64`.",
                required="jax_enable_x64, or a 32-bit dtype",
                received=f"dtype {name}",
                do=(
                    "write `jax.config.update('jax_enable_x64', True)`, or pass "
                    "`dtype=shims.uint32`"
                ),
            )
        )
    bits = draw(kernel, words, shape=dims, dtype=narrowed.str.replace("i", "u"))
    return lax.bitcast_convert_type(bits, narrowed)


def wide_words(function: str, words, count):
    """Generate `count` random 64-bit numbers as pairs of words, low words first: uint32 `[count, 2]`."""
    flat = draw(distributions.full_32, words, shape=(2 * count,), dtype=np.uint32)
    return jnp.reshape(flat, (count, 2))


def uniform_of(function: str, words, dims, minval, maxval, dtype):
    """Sample uniform integers or floating-point numbers; see `stateless_uniform`."""
    if not is_integer(dtype):
        return between(function, words, dims, minval, 1 if maxval is None else maxval, dtype)
    if minval is None:
        return all_integers(function, words, dims, dtype)
    return integers(function, words, dims, minval, maxval, dtype)


def check_bounds(dtype, minval, maxval) -> None:
    """Check that integers have both bounds or none.

    Raises:
      ValueError: only one bound is given.
    """
    if is_integer(dtype) and (minval is None) != (maxval is None):
        raise ValueError(
            f"For integer `dtype` argument {as_dtype(dtype)!r}, argument `minval` and `maxval` "
            f"must be both None or not None. Got `minval`={minval} and `maxval`={maxval}."
        )
