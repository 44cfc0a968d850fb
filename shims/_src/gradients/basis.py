"""Pulling every element of an array back at once, for jacobians."""

from __future__ import annotations

import math
from collections.abc import Callable

import jax
import jax.numpy as jnp

from shims._src.recording.indexed_slices import dense


def basis_of(target):
    """The arrays `[n, *target.shape]` that are 1 at one of the `n` elements of `target` each."""
    count = math.prod(target.shape)
    return jnp.reshape(jnp.eye(count, dtype=target.dtype), (count, *target.shape))


def mapped(pull: Callable, basis, count: int) -> list:
    """What `pull` gives for each row of a basis, stacked; `None` stays `None`.

    Args:
      pull: a function of one cotangent that returns `count` gradients.
      basis: cotangents, stacked.
      count: how many gradients there are.
    """
    connected: list[bool] = []

    def rows(cotangent):
        gradients = pull(cotangent)
        connected[:] = [g is not None for g in gradients]
        return [dense(g) for g in gradients if g is not None]

    found = iter(jax.vmap(rows)(basis))
    return [next(found) if connected[i] else None for i in range(count)]
