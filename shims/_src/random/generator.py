"""Provide `random.Generator`: random numbers whose state is a variable."""

from __future__ import annotations

import os

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.array.shapes import sizes_of
from shims._src.platform import jax_private as jp
from shims._src.random import enclosing_traces, standard
from shims._src.random.binomial import binomial_blocks, binomial_numbers
from shims._src.random.seeds import Algorithm, algorithm_number, check_philox
from shims._src.random.stateful import RESERVED, elements
from shims._src.random.words import advanced, blocks_of, numbers_of, split_number, words_of
from shims._src.recording import state
from shims._src.types.dtypes import as_dtype
from shims._src.variables.variable import Variable

_WORD = 64
# 64-bit numbers in the state: a counter, then a key.
_SIZES = {Algorithm.PHILOX.value: 3, Algorithm.THREEFRY.value: 2, Algorithm.AUTO_SELECT.value: 3}


def create_rng_state(seed, alg):
    """Create the state of a generator from a seed.

    Args:
      seed: an integer of up to 192 bits, or a vector of 64-bit integers.
      alg: the algorithm, given as a name, a number or an `Algorithm`.

    Returns:
      int64 `[3]` (`[2]` for Threefry); without `jax_enable_x64` uint32 `[3, 2]`, the low and the high
      word of each number.

    Raises:
      ValueError: there is no such algorithm.

    Differs from TensorFlow:
      Without `jax_enable_x64`, the state consists of pairs of uint32 words.

    Under jit:
      Not for use inside a trace.

    https://www.tensorflow.org/api_docs/python/tf/random/create_rng_state
    """
    return _expose_words(_words_from_seed(seed, _SIZES[algorithm_number(alg)]))


def _words_from_seed(seed, size: int):
    """Compute the state of a generator, uint32 `[size, 2]`, from a seed.

    An integer is split into 64-bit numbers, the least significant first; a vector is padded with
    leading zeros.
    """
    if isinstance(seed, int):
        return np.stack([split_number(seed >> (_WORD * i)) for i in range(size)])
    words = _as_words(seed).reshape(-1, 2)[:size]
    return jnp.concatenate([jnp.zeros((size - words.shape[0], 2), jnp.uint32), words])


def _as_words(value):
    """Convert 64-bit integers to pairs of uint32 words; return such pairs unchanged."""
    if isinstance(value, Variable):
        value = state.read(value)
    if getattr(value, "dtype", None) == np.uint32 and np.ndim(value) and value.shape[-1] == 2:
        return jnp.asarray(value)
    if isinstance(value, jax.Array):
        return words_of(value)
    if isinstance(value, (int, np.integer)):
        return split_number(int(value))
    numbers = [_as_words(v) for v in value]
    return jnp.stack(numbers) if numbers else jnp.zeros((0, 2), jnp.uint32)


def _expose_words(words):
    """Convert words to the public form of the state: int64 if `jax_enable_x64` is on."""
    if not jax.config.jax_enable_x64:
        return jnp.asarray(words)
    return numbers_of(jnp.asarray(words))


class Generator:
    """A random number generator whose state is a variable.

    Args:
      copy_from: another generator to start from.
      state: a state, as `create_rng_state` returns it. A variable is shared, not copied.
      alg: the algorithm of `state`.

    Raises:
      ValueError: there is no such algorithm, or the state has the wrong size.
      UnimplementedError: numbers are drawn by Threefry, which TensorFlow has under XLA only.

    Differs from TensorFlow:
      The bits equal TensorFlow's on CPU. Without `jax_enable_x64` the state is uint32 `[3, 2]`,
      seeds from `make_seeds` are uint32 `[2, count, 2]`, and full 64-bit integers are rejected.
      There are no distribution strategies.

    Under jit:
      The state is a variable: `shims.function` keeps it from call to call. Inside an enclosing
      `jax.jit` a draw raises an error, because the state could not be kept.

    Example:
      >>> import shims
      >>> generator = shims.random.Generator.from_seed(1234)
      >>> generator.normal([2]).round(3).tolist()
      [0.9359999895095825, 1.0850000381469727]

    https://www.tensorflow.org/api_docs/python/tf/random/Generator
    """

    __module__ = "shims.random"

    def __init__(self, copy_from=None, state=None, alg=None):
        if copy_from is not None:
            assert (alg or state) is None
            self._alg = copy_from.algorithm
            self._state = _state_variable(_as_words(copy_from.state))
            return
        assert alg is not None
        assert state is not None
        self._alg = algorithm_number(alg)
        if isinstance(state, Variable):
            _check_size(state.shape[0], self._alg)
            self._state = state
        else:
            words = _as_words(state)
            _check_size(words.shape[0], self._alg)
            self._state = _state_variable(words)

    @classmethod
    def from_state(cls, state, alg):
        """Create a generator with the given state."""
        return cls(alg=alg, state=state)

    @classmethod
    def from_seed(cls, seed, alg=None):
        """Create a generator from an integer, or a vector of integers."""
        alg = algorithm_number(Algorithm.PHILOX if alg is None else alg)
        return cls(state=create_rng_state(seed, alg), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg=None):
        """Create a generator seeded with the operating system's random numbers."""
        alg = algorithm_number(Algorithm.PHILOX if alg is None else alg)
        words = np.frombuffer(os.urandom(8 * _SIZES[alg]), np.uint32).reshape(-1, 2)
        return cls(state=words, alg=alg)

    @classmethod
    def from_key_counter(cls, key, counter, alg):
        """Create a generator from a 64-bit key and a counter of 64-bit numbers."""
        alg = algorithm_number(alg)
        return cls(state=_key_counter(key, counter, alg), alg=alg)

    @property
    def state(self) -> Variable:
        """The variable that holds the state: the counter, then the key."""
        return self._state

    @property
    def algorithm(self) -> int:
        """The number of the algorithm, a value of `Algorithm`."""
        return self._alg

    @property
    def key(self):
        """The key, the last number of the state."""
        return state.read(self._state)[-1]

    def reset(self, state) -> None:
        """Set the state of the generator, which has the form that `create_rng_state` returns."""
        words = _as_words(state)
        _check_size(words.shape[0], self._alg)
        self._store(words)

    def reset_from_seed(self, seed) -> None:
        """Set the state as `from_seed` does."""
        self._store(_words_from_seed(seed, _SIZES[self._alg]))

    def reset_from_key_counter(self, key, counter) -> None:
        """Set the state as `from_key_counter` does."""
        self._store(_key_counter(key, counter, self._alg))

    def skip(self, delta):
        """Skip the numbers that a call for `delta` elements would use.

        Args:
          delta: an integer.

        Returns:
          The state before the skip.
        """
        check_philox("Generator.skip", self._alg)
        with state.changing():
            before = state.read(self._state)
            self._advance(blocks_of(_as_count(delta), RESERVED))
            return before

    def normal(self, shape, mean=0.0, stddev=1.0, dtype=np.float32, name=None):
        """Sample normal numbers; the arguments are those of `random.normal`."""
        return self._affine("normal", shape, stddev, mean, dtype)

    def truncated_normal(self, shape, mean=0.0, stddev=1.0, dtype=np.float32, name=None):
        """Sample truncated normal numbers; the arguments are those of `random.truncated_normal`."""
        return self._affine("truncated_normal", shape, stddev, mean, dtype)

    def uniform(self, shape, minval=0, maxval=None, dtype=np.float32, name=None):
        """Sample uniform numbers; the arguments are those of `random.stateless_uniform`."""
        kind = as_dtype(dtype)
        standard.check_bounds(kind, minval, maxval)
        words, dims = self._start_draw(shape)
        return standard.uniform_of("Generator.uniform", words, dims, minval, maxval, kind)

    def uniform_full_int(self, shape, dtype=np.uint64, name=None):
        """Sample integers uniformly from the full range of the dtype."""
        words, dims = self._start_draw(shape)
        return standard.all_integers("Generator.uniform_full_int", words, dims, dtype)

    def binomial(self, shape, counts, probs, dtype=np.int32, name=None):
        """Sample binomial numbers; the arguments are those of `random.stateless_binomial`."""
        check_philox("Generator.binomial", self._alg)
        dims = sizes_of("Generator.binomial", shape)
        blocks = binomial_blocks(dims, counts, probs)
        with state.changing():
            words = self._stream()
            out = binomial_numbers("Generator.binomial", words, dims, counts, probs, dtype)
            self._advance(blocks_of(blocks, RESERVED))
        return out

    def make_seeds(self, count=1):
        """Generate seeds for the stateless operators.

        Args:
          count: the number of seeds.

        Returns:
          int64 `[2, count]`; without `jax_enable_x64` uint32 `[2, count, 2]`, the low and the high word
          of each number. In both cases `seeds[:, i]` is a seed.
        """
        keys = self._draw_keys(count)
        return _expose_words(jnp.stack([keys, jnp.zeros_like(keys)]))

    def split(self, count=1) -> list[Generator]:
        """Create `count` generators that are independent of each other and of this one."""
        keys = self._draw_keys(count)
        zeros = jnp.zeros((_SIZES[self._alg] - 1, 2), jnp.uint32)
        return [
            Generator(state=jnp.concatenate([zeros, keys[i : i + 1]]), alg=self._alg)
            for i in range(int(count))
        ]

    def _draw_keys(self, count):
        words, (count,) = self._start_draw([count])
        return standard.wide_words("Generator", words, count)

    def _affine(self, kind, shape, scale, shift, dtype):
        words, dims = self._start_draw(shape)
        return standard.affine(f"Generator.{kind}", kind, words, dims, scale, shift, dtype)

    def _start_draw(self, shape):
        """Advance the state past the random numbers of a new array.

        Return the position before these numbers, as words for `draw`, and the sizes of the array.
        """
        check_philox("Generator", self._alg)
        dims = sizes_of("Generator", shape)
        blocks = blocks_of(elements(dims), RESERVED)
        with state.changing(), enclosing_traces.outside_of_inner_programs(blocks):
            words = self._stream()
            self._advance(blocks)
        return words, dims

    def _stream(self):
        words = _as_words(self._state)
        return jnp.concatenate([words[2], words[0], words[1]])

    def _advance(self, blocks) -> None:
        words = _as_words(self._state)
        counter = advanced(words[:2].reshape(4), jnp.asarray(blocks))
        self._store(jnp.concatenate([counter.reshape(2, 2), words[2:]]))

    def _store(self, words) -> None:
        enclosing_traces.check_state_is_kept("Generator")
        words = jnp.asarray(words)
        wide = self._state.dtype.itemsize == 8
        state.write(self._state, numbers_of(words) if wide else words)


def _state_variable(words) -> Variable:
    return Variable(_expose_words(words), trainable=False, name="StateVar")


def _as_count(value):
    return value if jp.is_tracer(value) else int(value)


def _check_size(size, alg) -> None:
    if size != _SIZES[alg]:
        raise ValueError(
            f"Generator: the state of algorithm {alg} has {_SIZES[alg]} numbers, not {size}."
        )


def _key_counter(key, counter, alg):
    counter = _as_words(counter)
    if counter.shape[0] != _SIZES[alg] - 1:
        raise checks.invalid(
            "Generator",
            "`counter` does not have the size that the algorithm needs.",
            required=f"{_SIZES[alg] - 1} numbers",
            received=f"{counter.shape[0]}",
        )
    return jnp.concatenate([counter, jnp.reshape(_as_words(key), (1, 2))])


class _Current:
    """A holder of the program's global generator, `None` before it is first used."""

    def __init__(self):
        self.generator: Generator | None = None


_CURRENT = _Current()


def get_global_generator():
    """Return the program's generator, seeded by the operating system at first use.

    Returns:
      The generator.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Call this function once outside of every trace before the first call under a trace.

    https://www.tensorflow.org/api_docs/python/tf/random/get_global_generator
    """
    if _CURRENT.generator is None:
        _CURRENT.generator = Generator.from_non_deterministic_state()
    return _CURRENT.generator


def set_global_generator(generator):
    """Set the generator of the program.

    Args:
      generator: a `Generator`.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Not for use inside a trace.

    https://www.tensorflow.org/api_docs/python/tf/random/set_global_generator
    """
    _CURRENT.generator = generator
