"""The kinds and functions that methods of `LinearOperator` delegate to; `binding` sets them.

The kinds are subclasses, and products of two operators know the kinds. The base class reaches them
through `DELEGATES`, so that it imports none of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Delegates:
    """Hold what the base class calls; reading one that is not bound raises `AttributeError`."""

    __slots__ = ("adjoint", "inversion", "lower_triangular", "product", "quotient")

    adjoint: Callable[..., Any]
    inversion: Callable[..., Any]
    lower_triangular: Callable[..., Any]
    product: Callable[..., Any]
    quotient: Callable[..., Any]


DELEGATES = Delegates()
