"""Sample class indices from unnormalized log-probabilities."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.operands import describe, operand
from shims._src.errors import errors
from shims._src.random.distributions import uniform_float64
from shims._src.random.draw import draw
from shims._src.random.global_seed import stream
from shims._src.random.seeds import seed_words
from shims._src.random.stateful import RESERVED
from shims._src.random.words import blocks_of
from shims._src.tracing.dispatch import operator
from shims._src.types.dtypes import array_dtype, as_dtype

# From this many cycles Eigen uses several threads, and TensorFlow's numbers depend on how many.
_ONE_THREAD = 210_000
_CYCLES_PER_STEP = 50


def _draw_classes(words, logits, size):
    """Sample class indices by inverting the cumulative distribution: a kernel for `draw`."""
    rows = logits.shape[0]
    wide = logits.astype(jnp.float64)
    finite = jnp.isfinite(wide)
    top = jnp.max(wide, axis=1, keepdims=True, where=finite, initial=-jnp.inf)
    top = jnp.where(jnp.isfinite(top), top, 0.0)
    weights = jnp.where(finite, jnp.exp(jnp.where(finite, wide - top, 0.0)), 0.0)
    steps = jnp.cumsum(weights, axis=1)
    found = uniform_float64(words, size).reshape(rows, -1) * steps[:, -1:]
    return jax.vmap(lambda row, u: jnp.searchsorted(row, u, side="right"))(steps, found).reshape(-1)


def _check_operands(function, logits, num_samples, dtype):
    """Check and convert the arguments of `categorical` and `stateless_categorical`.

    Raises:
      ValueError: the dtype is not int32 or int64.
      InvalidArgumentError: shapes or counts are incompatible.
      UnimplementedError: TensorFlow's numbers depend on the number of threads.
    """
    logits = operand(logits)
    kind = as_dtype(np.int64 if dtype is None else dtype)
    if kind.name not in ("int32", "int64"):
        raise ValueError(
            f"Argument `dtype` got invalid value {kind!r}. Accepted dtypes are int32, int64."
        )
    num_samples = checks.static_int(function, "num_samples", num_samples)
    if logits.ndim != 2 or not jnp.issubdtype(logits.dtype, jnp.floating):
        raise checks.invalid(
            function,
            "`logits` must be a matrix of floating-point numbers.",
            required="[batch, classes]",
            received=describe(logits),
        )
    if num_samples < 0 or (checks.is_known(logits.shape[1]) and logits.shape[1] == 0):
        raise checks.invalid(
            function,
            "there must be at least one class, and `num_samples` must not be negative.",
            received=f"{describe(logits)}, num_samples={num_samples}",
        )
    if all(map(checks.is_known, logits.shape)):
        _check_one_thread(function, logits, num_samples)
    return logits, num_samples, array_dtype(kind, function)


def _check_one_thread(function, logits, num_samples) -> None:
    rows, classes = logits.shape
    cycles = int(_CYCLES_PER_STEP * (num_samples * math.log2(classes) + classes))
    if rows > 1 and num_samples and rows * cycles >= _ONE_THREAD:
        most = max(1, (_ONE_THREAD - 1) // cycles)
        raise errors.UnimplementedError(
            errors.message(
                function,
                "for this many rows, TensorFlow divides the rows among its threads, so TensorFlow's random numbers "
                "depend on the number of threads.",
                required=f"at most {most} rows of {classes} classes and {num_samples} samples",
                received=f"{rows} rows",
                do=(
                    f"draw at most {most} rows at a time, each time with another seed, or use `jax.random.categorical`"
                ),
            )
        )


@operator
def stateless_categorical(logits, num_samples, seed, dtype=np.int64, name=None):
    """Sample class indices from unnormalized log-probabilities, with a given seed.

    Args:
      logits: `[batch, classes]`, unnormalized.
      num_samples: the number of samples per row.
      seed: two integers.
      dtype: int32 or int64.
      name: ignored.

    Returns:
      Integers `[batch, num_samples]`.

    Raises:
      ValueError: `dtype` is not supported.
      InvalidArgumentError: `logits` is not a matrix, or has no classes.
      UnimplementedError: `logits` has so many rows that TensorFlow's numbers depend on its
        number of threads.

    Differs from TensorFlow:
      The classes equal TensorFlow's on CPU, as long as TensorFlow uses one thread.

    Under jit:
      Logits and seed may be traced, sizes may not.

    https://www.tensorflow.org/api_docs/python/tf/random/stateless_categorical
    """
    function = "stateless_categorical"
    logits, count, dtype = _check_operands(function, logits, num_samples, dtype)
    words = seed_words(function, seed)
    return draw(_draw_classes, words, logits, shape=(logits.shape[0], count), dtype=dtype)


@operator
def categorical(logits, num_samples, dtype=None, seed=None, name=None):
    """Sample class indices from unnormalized log-probabilities.

    Args:
      logits: `[batch, classes]`, unnormalized.
      num_samples: the number of samples per row.
      dtype: int32 or int64; int64 when `None`.
      seed: an integer; see `set_seed`.
      name: ignored.

    Returns:
      Integers of shape `[batch, num_samples]`.

    Raises:
      ValueError: `dtype` is not supported.
      InvalidArgumentError: `logits` is not a matrix, or has no classes.
      UnimplementedError: `logits` has so many rows that TensorFlow's numbers depend on its
        number of threads.

    Differs from TensorFlow:
      The classes equal TensorFlow's on CPU after the same `set_seed` and the same calls, as long as
      TensorFlow uses one thread.

    Under jit:
      Logits may be traced, sizes may not. Inside an enclosing `jax.jit` use `stateless_categorical`.

    Example:
      >>> import shims
      >>> print(shims.random.categorical([[0.0, -1000.0]], 3))
      [[0 0 0]]

    https://www.tensorflow.org/api_docs/python/tf/random/categorical
    """
    logits, count, dtype = _check_operands("categorical", logits, num_samples, dtype)
    used = logits.shape[0] * (-(-count // 4) * 4 * 2)
    words = stream(
        "Multinomial", seed, blocks_of(used, RESERVED), logits.dtype.name, np.dtype(dtype).name
    )
    return draw(_draw_classes, words, logits, shape=(logits.shape[0], count), dtype=dtype)
