"""Shuffle arrays along the first axis."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.operands import operand
from shims._src.platform import loops_per_device
from shims._src.random import philox
from shims._src.random.draw import draw
from shims._src.random.global_seed import stream
from shims._src.random.seeds import check_philox, seed_words
from shims._src.random.words import split_number
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator


def _draw_order(words, count, size):
    """Permute the first `count` of `size` indices at random: a kernel for `draw`."""
    random = philox.words(philox.stream_of(words), size)

    def swap(i, order):
        other = i + (random[i] % (count - i).astype(jnp.uint32)).astype(jnp.int32)
        first, second = order[i], order[other]
        return order.at[i].set(second).at[other].set(first)

    order = jnp.arange(size, dtype=jnp.int32)
    return loops_per_device.fori_loop(0, jnp.maximum(count - 1, 0), swap, order)


def _shuffle_rows(words, value):
    count = value.shape[0]
    order = draw(_draw_order, words, primitives.as_size(count), shape=(count,), dtype=np.int32)
    return jnp.take(value, order, axis=0, mode="clip")


def _is_trivial(value) -> bool:
    """Return whether there is nothing to shuffle; TensorFlow then uses no random numbers."""
    known = [d for d in value.shape if checks.is_known(d)]
    first = value.shape[:1]
    return not first or 0 in known or (checks.is_known(first[0]) and first[0] <= 1)


@operator
def shuffle(value, seed=None, name=None):
    """Shuffle the slices along the first axis.

    Args:
      value: array.
      seed: an integer; see `set_seed`.
      name: ignored.

    Returns:
      The array with its slices permuted, of the shape of `value`.

    Differs from TensorFlow:
      The order equals TensorFlow's on CPU after the same `set_seed` and the same calls.

    Under jit:
      The first size may be symbolic. Inside an enclosing `jax.jit` the order is a constant of the
      compiled program.

    Example:
      >>> import shims
      >>> shims.random.set_seed(1)
      >>> print(shims.random.shuffle([1, 2, 3]))
      [1 3 2]

    https://www.tensorflow.org/api_docs/python/tf/random/shuffle
    """
    value = lax.stop_gradient(operand(value))
    if _is_trivial(value):
        stream("RandomShuffle", seed, split_number(0), value.dtype.name)
        return value
    count = value.shape[0]
    blocks = (count + 2) // 4
    if checks.is_known(blocks):
        used = split_number(blocks)
    else:
        used = jnp.stack([primitives.as_size(blocks), jnp.int32(0)]).astype(jnp.uint32)
    return _shuffle_rows(stream("RandomShuffle", seed, used, value.dtype.name), value)


@operator
def stateless_shuffle(value, seed, alg="auto_select", name=None):
    """Shuffle the slices along the first axis, in an order that the seed determines.

    Args:
      value: array.
      seed: two integers.
      alg: `"philox"` or `"auto_select"`, which select the same algorithm.
      name: ignored.

    Returns:
      The array with its slices permuted.

    Raises:
      InvalidArgumentError: the seed is not two integers.
      UnimplementedError: `alg` is Threefry.

    Differs from TensorFlow:
      The order equals TensorFlow's on CPU.

    Under jit:
      The first size may be symbolic; the seed may be traced.

    https://www.tensorflow.org/api_docs/python/tf/random/experimental/stateless_shuffle
    """
    check_philox("stateless_shuffle", alg)
    words = seed_words("stateless_shuffle", seed)
    value = lax.stop_gradient(operand(value))
    return value if _is_trivial(value) else _shuffle_rows(words, value)
