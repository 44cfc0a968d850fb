"""Solve banded triangular systems by substitution."""

from __future__ import annotations

import jax.numpy as jnp

from shims._src.platform import loops_per_device


def substituted(diagonals, rhs, *, lower: bool, adjoint: bool):
    """Solve a banded triangular system by forward or backward substitution.

    A dense triangular solver fails for singular matrices: 0 times infinity is NaN.

    Args:
      diagonals: `[..., d, n]`; with `lower` the main diagonal first, then those below it; otherwise
        those above it first and the main diagonal last.
      rhs: `[..., n, k]` with the same leading axes.
      lower: whether the matrix is lower triangular.
      adjoint: whether to solve with the conjugate transpose.

    Returns:
      An array `[..., n, k]`.
    """
    rows = [diagonals[..., j, :] for j in range(diagonals.shape[-2])]
    rows = rows if lower else rows[::-1]
    if adjoint:
        rows = [_shift(jnp.conj(row), j if lower else -j) for j, row in enumerate(rows)]
    if lower == adjoint:  # the last row is the first that is known
        rows, rhs = [jnp.flip(row, -1) for row in rows], jnp.flip(rhs, -2)
    place = jnp.arange(rhs.shape[-2], dtype=jnp.int32)
    main, *others = (
        jnp.moveaxis(jnp.where(place >= j, row, 0), -1, 0)[..., None] for j, row in enumerate(rows)
    )

    def row(before, given):
        value, divisor, *factors = given
        total = sum((f * x for f, x in zip(factors, before, strict=True)), jnp.zeros_like(value))
        found = (value - total) / divisor
        return (found, *before)[: len(before)], found

    values = jnp.moveaxis(rhs, -2, 0)
    start = (jnp.zeros(values.shape[1:], rhs.dtype),) * len(others)
    found = jnp.moveaxis(loops_per_device.scan(row, start, (values, main, *others))[1], 0, -2)
    return jnp.flip(found, -2) if lower == adjoint else found


def _shift(row, by: int):
    """Shift a row to the left by `by`, or to the right if `by` is negative, and fill with zeros."""
    zeros = jnp.zeros((*row.shape[:-1], abs(by)), row.dtype)
    if by > 0:
        return jnp.concatenate([row, zeros], -1)[..., by:]
    return jnp.concatenate([zeros, row], -1)[..., : row.shape[-1]]
