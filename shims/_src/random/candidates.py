"""Sample candidate classes for sampled losses: the same samples as TensorFlow."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.operands import describe, operand
from shims._src.platform import loops_per_device
from shims._src.random import philox
from shims._src.random.draw import draw
from shims._src.random.global_seed import stream
from shims._src.random.words import split_number
from shims._src.tracing.dispatch import operator
from shims._src.types.dtypes import canonical_dtype

_BLOCKS_OF_A_SAMPLE = 512


class Candidates(NamedTuple):
    """Sampled classes, and the expected counts of the true and the sampled classes."""

    sampled_candidates: jax.Array
    true_expected_count: jax.Array
    sampled_expected_count: jax.Array


class _Sampled(NamedTuple):
    """A kernel for `draw`: returns sampled classes, then the number of attempts.

    With `unique`, repeated classes are discarded, so there are more attempts than samples.
    """

    range_max: int
    is_log: bool
    unique: bool

    def __call__(self, words, size):
        """Sample `size - 1` classes one by one, and append the number of attempts."""
        drawn = philox.stream_of(words)
        none = jnp.zeros((size - 1,), jnp.int64)

        def again(state):
            tries, picked, found, used = state
            value = self._candidate(drawn, tries)
            is_new = ~used[value] if self.unique else jnp.ones((), bool)
            place = jnp.where(is_new, picked, size)
            found = found.at[place].set(value, mode="drop")
            return tries + 1, picked + is_new, found, used.at[value].set(True)

        start = (jnp.uint64(0), jnp.int64(0), none, jnp.zeros((self.range_max,), bool))
        tries, _, found, _ = loops_per_device.while_loop(
            lambda state: state[1] < size - 1, again, start
        )
        return jnp.append(found, tries.astype(jnp.int64))

    def _candidate(self, drawn, place):
        """Compute the candidate class of one attempt from two random 32-bit words.

        Args:
          drawn: the stream of random words.
          place: the number of the attempt, from 0.
        """
        four = jnp.stack(philox.blocks(drawn, place // 2))
        first, second = four[2 * (place % 2)], four[2 * (place % 2) + 1]
        if not self.is_log:
            whole = philox.join(first, second)
            return (whole % jnp.uint64(self.range_max)).astype(jnp.int64)
        bits = philox.join(second, (first & jnp.uint32(0xFFFFF)) | jnp.uint32(0x3FF00000))
        fraction = lax.bitcast_convert_type(bits, jnp.float64) - 1
        value = jnp.exp(fraction * np.log1p(self.range_max)).astype(jnp.int64) - 1
        return value % self.range_max


def _sample(function, true_classes, num_true, num_sampled, unique, range_max, seed):
    labels, count, most = operand(true_classes), int(num_sampled), int(range_max)
    if labels.ndim != 2 or (checks.is_known(labels.shape[1]) and labels.shape[1] != num_true):
        raise checks.invalid(
            function,
            "`true_classes` must have `num_true` columns.",
            required=f"true_classes of shape [batch, {num_true}]",
            received=describe(labels),
        )
    if count <= 0 or most <= 0 or (unique and count > most):
        raise checks.invalid(
            function,
            "`num_sampled` or `range_max` is out of range.",
            required="0 < num_sampled, and num_sampled <= range_max if the samples are unique",
            received=f"num_sampled={count}, range_max={most}",
        )
    checks.check_positions(function, "true_classes", labels, most)
    kernel = _Sampled(most, function == "log_uniform_candidate_sampler", bool(unique))
    blocks = split_number(count * _BLOCKS_OF_A_SAMPLE)
    words = stream(function, seed, blocks, kernel, count)
    found = draw(kernel, words, shape=(count + 1,), dtype=canonical_dtype(np.int64))
    sampled, tries = found[:count], found[count].astype(jnp.float32)
    expected = lambda classes: _expected(kernel, classes, count, tries)
    return Candidates(sampled, expected(labels), expected(sampled))


def _expected(kernel, classes, count: int, tries):
    """Compute the expected count of each class among `count` samples.

    tries: the number of attempts, which is larger if samples are unique.
    """
    share = jnp.full(classes.shape, 1 / kernel.range_max, jnp.float32)
    if kernel.is_log:
        share = jnp.log1p(1 / (classes.astype(jnp.float32) + 1)) / np.log1p(kernel.range_max)
    share = share.astype(jnp.float32)
    return jnp.where(tries == count, share * count, -jnp.expm1(tries * jnp.log1p(-share)))


@operator
def uniform_candidate_sampler(
    true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None
):
    """Sample classes uniformly.

    Args:
      true_classes: integers `[batch, num_true]`.
      num_true: the number of true classes of each example.
      num_sampled: the number of samples, a Python number.
      unique: whether to sample without replacement.
      range_max: the number of classes, a Python number.
      seed: an integer; see `random.set_seed`.
      name: ignored.

    Returns:
      `(sampled_candidates, true_expected_count, sampled_expected_count)`: int64 `[num_sampled]`,
      float32 `[batch, num_true]` and float32 `[num_sampled]`.

    Raises:
      InvalidArgumentError: `true_classes` has a different shape or is out of range, or there are
        fewer classes than samples.

    Differs from TensorFlow:
      The samples equal TensorFlow's on CPU after the same `set_seed` and the same calls.

    Under jit:
      Every call of a `shims.function` draws new samples; an enclosing `jax.jit` keeps the first samples.

    https://www.tensorflow.org/api_docs/python/tf/random/uniform_candidate_sampler
    """
    rest = (true_classes, num_true, num_sampled, unique, range_max, seed)
    return _sample("uniform_candidate_sampler", *rest)


@operator
def log_uniform_candidate_sampler(
    true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None
):
    """Sample classes from a log-uniform distribution, in which low class numbers are more likely.

    Args:
      true_classes: integers `[batch, num_true]`.
      num_true: the number of true classes of each example.
      num_sampled: the number of samples, a Python number.
      unique: whether to sample without replacement.
      range_max: the number of classes, a Python number.
      seed: an integer; see `random.set_seed`.
      name: ignored.

    Returns:
      `(sampled_candidates, true_expected_count, sampled_expected_count)`: int64 `[num_sampled]`,
      float32 `[batch, num_true]` and float32 `[num_sampled]`.

    Raises:
      InvalidArgumentError: `true_classes` has a different shape or is out of range, or there are
        fewer classes than samples.

    Differs from TensorFlow:
      The samples equal TensorFlow's on CPU after the same `set_seed` and the same calls.

    Under jit:
      Every call of a `shims.function` draws new samples; an enclosing `jax.jit` keeps the first samples.

    https://www.tensorflow.org/api_docs/python/tf/random/log_uniform_candidate_sampler
    """
    rest = (true_classes, num_true, num_sampled, unique, range_max, seed)
    return _sample("log_uniform_candidate_sampler", *rest)
