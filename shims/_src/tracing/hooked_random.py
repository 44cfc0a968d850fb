"""Replace functions of `jax.random` inside a dynamic trace, so that they support unknown sizes."""

from __future__ import annotations

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.platform import jax_private as jp


def _permutation(state, original, key, x, *args, **options):
    return original(key, jnp.arange(x) if jp.is_symbolic(x) else x, *args, **options)


def _choice(state, original, key, a, *args, **options):
    return original(key, jnp.arange(a) if jp.is_symbolic(a) else a, *args, **options)


def _shuffle(state, original, key, x, axis):
    if not any(map(jp.is_symbolic, x.shape)):
        return original(key, x, axis)
    size = jnp.asarray(math.prod(x.shape))
    for least in _sizes_of_rounds():
        key, subkey = jax.random.split(key)
        x = lax.cond(
            size >= least,
            lambda x, key=subkey: lax.sort_key_val(jax.random.bits(key, x.shape), x, axis)[1],
            lambda x: x,
            x,
        )
    return x


@functools.cache
def _sizes_of_rounds() -> tuple[int, ...]:
    """Return the array sizes at which the number of sorting rounds in JAX's shuffle increases.

    JAX computes this number in Python; a size that is unknown while tracing is compared with these sizes.
    """
    most = int(np.iinfo(np.int32).max)
    found: list[int] = []
    for rounds in range(_rounds(most)):
        low, high = 1, most  # the number of rounds increases with the size
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if _rounds(middle) > rounds else (middle + 1, high)
        found.append(low)
    return tuple(found)


def _rounds(size: int) -> int:
    return int(np.ceil(3 * np.log(max(1, size)) / np.log(np.iinfo(np.uint32).max)))


FUNCTIONS = (
    ("permutation", _permutation),
    ("choice", _choice),
    ("_shuffle", _shuffle),
)
