"""Compute the rows of Jacobians by pulling back a basis of cotangents in one batch."""

from __future__ import annotations

import math
from collections.abc import Callable

import jax
import jax.numpy as jnp

from shims._src.errors import errors
from shims._src.recording.indexed_slices import dense


def basis_of(target):
    """Return the standard basis of the space of `target`: `[n, *target.shape]`, one row per element."""
    count = math.prod(target.shape)
    return jnp.reshape(jnp.eye(count, dtype=target.dtype), (count, *target.shape))


def pull_basis(pull: Callable, basis, count: int) -> list:
    """Apply `pull` to each row of a cotangent basis, and stack the gradients; `None` stays `None`.

    Args:
      pull: a function of one cotangent that returns `count` gradients.
      basis: cotangents, stacked.
      count: the number of gradients.
    """
    connected: list[bool] = []

    def rows(cotangent):
        gradients = pull(cotangent)
        connected[:] = [g is not None for g in gradients]
        return [dense(g) for g in gradients if g is not None]

    found = iter(jax.vmap(rows)(basis))
    return [next(found) if connected[i] else None for i in range(count)]


def check_rows(target, source) -> None:
    """Raise an error unless both arrays have a leading axis, and the same size along it."""
    if not target.ndim or not source.ndim or target.shape[0] != source.shape[0]:
        raise ValueError(
            errors.message(
                "GradientTape.batch_jacobian",
                "`target` and `source` must have leading axes of the same size.",
                received=f"shapes {target.shape} and {source.shape}",
            )
        )
