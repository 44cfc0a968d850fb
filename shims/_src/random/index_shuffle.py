"""Compute where a random permutation moves single indices, without computing the permutation.

The block cipher Simon, a Feistel network, permutes the integers with a given even number of bits.
The cipher is applied repeatedly until the result is in range.
"""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.operands import broadcasting, describe, operand
from shims._src.platform import loops_per_device
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator

_FUNCTION = "random_index_shuffle"
_FIRST_KEY = 498247692  # TensorFlow puts it in front of a seed of two numbers
_BIT_OF_ROUNDS = 0x7369F885192C0EF5
_LEAST_BITS = 16


@operator
def index_shuffle(index, seed, max_index):
    """Compute the new position of each index under a random permutation.

    Args:
      index: integer array `[n]` or scalar, in [0, max_index].
      seed: two integers.
      max_index: the last position, a scalar or `[n]`.

    Returns:
      Integers in [0, max_index] in the dtype of `index`; different positions give different results.

    Raises:
      InvalidArgumentError: the shapes are incompatible, or a position is out of range.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Everything may be traced.

    https://www.tensorflow.org/api_docs/python/tf/random/experimental/index_shuffle
    """
    seed = operand(seed)
    if seed.shape != (2,):
        raise _operand_error("seed", "two numbers", seed)
    first = jnp.full((1,), _FIRST_KEY, seed.dtype)
    return random_index_shuffle(index, jnp.concatenate([first, seed]), max_index)


@operator
def random_index_shuffle(index, seed, max_index, rounds=4, name=None):
    """Compute the new position of each index under a random permutation.

    Args:
      index: integer array `[n]` or scalar, in [0, max_index].
      seed: three integers, or `[n, 3]`, a key for each position.
      max_index: the last position, a scalar or `[n]`.
      rounds: the number of cipher rounds, an even number of at least 4.
      name: ignored.

    Returns:
      Integers in [0, max_index] in the dtype of `index`; different positions give different results.

    Raises:
      InvalidArgumentError: the shapes are incompatible, a position is out of range, or `rounds` is odd or
        too small.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Everything may be traced.

    https://www.tensorflow.org/api_docs/python/tf/random_index_shuffle
    """
    place, key, last = operand(index), operand(seed), operand(max_index)
    key = _check(place, key, last, rounds)
    place, last, *words = broadcasting(_FUNCTION, place, last, *(key[..., i] for i in range(3)))
    size = jnp.broadcast_shapes(place.shape, last.shape, words[0].shape)
    wide = jnp.uint64 if max(place.dtype.itemsize, last.dtype.itemsize) == 8 else jnp.uint32
    count = jnp.broadcast_to(place, size).astype(wide)
    last = jnp.broadcast_to(last, size).astype(wide)
    words = [jnp.broadcast_to(k, size).astype(jnp.uint32).astype(wide) for k in words]
    half = jnp.maximum(_bit_length(jnp.maximum(last, 1) - 1) + 1, _LEAST_BITS).astype(wide) // 2
    keys = _round_keys(words, half, int(rounds))
    encrypt = lambda x: jnp.where(x[1], x[0], _encrypt(x[0], keys, half))

    def again(state):
        moved = encrypt(state)
        return moved, state[1] | (moved <= last)

    # A position out of range is refused elsewhere; the loop must not run forever for it.
    done = count > last
    found, _ = loops_per_device.while_loop(lambda state: ~jnp.all(state[1]), again, (count, done))
    return found.astype(place.dtype)


def _check(place, key, last, rounds):
    """Check the operands; return the key, whose last size is then known to be 3."""
    is_key = jnp.issubdtype(key.dtype, jnp.integer) and key.ndim in (1, 2)
    if not is_key or (checks.is_known(key.shape[-1]) and key.shape[-1] != 3):
        raise _operand_error("seed", "three integers, or three integers for each index", key)
    for name, x in (("index", place), ("max_index", last)):
        if x.ndim > 1 or not jnp.issubdtype(x.dtype, jnp.integer):
            raise _operand_error(name, "an integer, or a vector of integers", x)
    if rounds < 4 or rounds % 2:
        raise checks.invalid(
            _FUNCTION, "`rounds` must be an even number that is at least 4.", received=f"{rounds}"
        )
    _check_sizes(place, key, last)
    checks.check_data(
        (place < 0) | (place > last),
        _FUNCTION,
        "`index` is out of range.",
        required="index in [0, max_index]",
    )
    return primitives.unify_axis(key, key.ndim - 1, 3, label=_FUNCTION)


def _check_sizes(place, key, last) -> None:
    """Check that all vectors have the same length; a vector of length 1 is not broadcast."""
    vectors = [x for x, rank in ((place, 1), (key, 2), (last, 1)) if x.ndim == rank]
    sizes = [x.shape[0] for x in vectors]
    sizes = [d if checks.is_known(d) else primitives.as_size(d) for d in sizes]
    for size in sizes:
        checks.check_data(
            (size != sizes[0]) | (size == 0),
            _FUNCTION,
            "`index`, `seed` and `max_index` do not have the same number of entries.",
            required="vectors of equal length, at least 1",
            received=", ".join(map(describe, vectors)),
        )


def _operand_error(name, required, x):
    return checks.invalid(
        _FUNCTION,
        f"the shape or dtype of `{name}` is wrong.",
        required=required,
        received=describe(x),
    )


def _bit_length(number):
    """Return the bit lengths of integers."""
    return 8 * number.dtype.itemsize - lax.clz(number).astype(jnp.int32)


def _truncate(x, half):
    return x & ((jnp.ones_like(half) << half) - 1)


def _rotate(x, by: int, half):
    """Rotate words of `half` bits to the left by `by` bits, to the right for negative `by`."""
    left = jnp.mod(half + by if by > 0 else half - abs(by), half)
    return _truncate((x << left) | (x >> (half - left)), half)


def _round_keys(words, half, rounds: int):
    keys = [_truncate(word, half) for word in words]
    for i in range(3, rounds):
        shift = i - 3
        bit = jnp.where(half > shift, (_BIT_OF_ROUNDS >> shift) & 1, 0).astype(half.dtype)
        before = keys[-1]
        constant = _truncate(jnp.full_like(half, 0xFFFFFFFC), half)
        turned = _rotate(before, -3, half) ^ _rotate(before, -4, half)
        keys.append(constant ^ bit ^ keys[i - 3] ^ turned)
    return keys


def _mix(x, half):
    return (_rotate(x, 1, half) & _rotate(x, 8, half)) ^ _rotate(x, 2, half)


def _encrypt(value, keys, half):
    left, right = _truncate(value >> half, half), _truncate(value, half)
    for first, second in zip(keys[::2], keys[1::2], strict=True):
        left = left ^ _mix(right, half) ^ first
        right = right ^ _mix(left, half) ^ second
    return (left << half) | right
