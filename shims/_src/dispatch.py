"""How an operator runs: eagerly, inside a dynamic trace, or inside somebody else's trace."""

from __future__ import annotations

import functools


def operator(f=None, *, fresh: bool = False):
    """Make `f` callable on arrays, tracers and `Padded` values."""
    if f is None:
        return functools.partial(operator, fresh=fresh)
    return f
