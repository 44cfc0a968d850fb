"""Provide `tf.experimental.numpy.random`: TensorFlow's stateful random numbers by NumPy's names."""

from __future__ import annotations

import jax
import numpy as np

from shims._src.random import stateful
from shims._src.random.global_seed import set_seed
from shims._src.random.poisson import poisson as poisson_numbers


def seed(s) -> None:
    """Set the global seed, as `random.set_seed` does."""
    set_seed(s)


def rand(*size) -> jax.Array:
    """Draw uniform random numbers from [0, 1), in an array of the given shape."""
    return uniform(0, 1, size)


def random(size=None) -> jax.Array:
    """Draw uniform random numbers from [0, 1), in an array of the given shape."""
    return uniform(0, 1, size)


def randn(*args) -> jax.Array:
    """Draw normally distributed numbers, in an array of the given shape."""
    return standard_normal(args)


def standard_normal(size=None) -> jax.Array:
    """Draw normally distributed numbers, in an array of the given shape."""
    return normal(size=size)


def normal(loc=0.0, scale=1.0, size=None) -> jax.Array:
    """Draw normally distributed numbers around a mean, in an array of the given shape."""
    return stateful.normal(_shape(size), dtype=_float()) * scale + loc


def uniform(low=0.0, high=1.0, size=None) -> jax.Array:
    """Draw uniform random numbers from [low, high), in an array of the given shape."""
    return stateful.uniform(_shape(size), low, high, _float())


def poisson(lam=1.0, size=None) -> jax.Array:
    """Draw Poisson-distributed integers, in an array of the given shape."""
    return poisson_numbers(_shape(size), lam, _float()).astype(np.int32)


def randint(low, high=None, size=None, dtype=np.int32) -> jax.Array:
    """Draw integers from [low, high), or from [0, low) without `high`, in an array of the given shape."""
    first, end = (0, low) if high is None else (low, high)
    return stateful.uniform(_shape(size), first, end, dtype)


def _shape(size) -> tuple[int, ...]:
    return () if size is None else (size,) if np.ndim(size) == 0 else tuple(size)


def _float() -> type:
    return np.float64 if jax.config.jax_enable_x64 else np.float32
