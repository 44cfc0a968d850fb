"""Move the mapped axes of operands to the front, for the batching rules of primitives that need all of them."""

from __future__ import annotations

import jax.numpy as jnp

from shims._src.platform import jax_private as jp


def with_leading_axis(args, dims) -> list:
    """Return operands whose first axis is the one that `vmap` maps; others are repeated along it.

    Args:
      args: the operands of a batching rule.
      dims: for each the mapped axis, or `NOT_MAPPED`; at least one is mapped.
    """
    pairs = list(zip(args, dims, strict=True))
    count = next(x.shape[d] for x, d in pairs if d is not jp.NOT_MAPPED)
    return [
        jnp.broadcast_to(x, (count, *x.shape)) if d is jp.NOT_MAPPED else jnp.moveaxis(x, d, 0)
        for x, d in pairs
    ]
