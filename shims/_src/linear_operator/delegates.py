"""Hold the subclasses and functions that methods of `LinearOperator` delegate to.

`binding` sets them. The base class reaches its subclasses, and the products of operators that
depend on them, through `DELEGATES`, so it imports none of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Delegates:
    """A holder of callables for the base class; reading an unbound one raises `AttributeError`."""

    __slots__ = ("adjoint", "inversion", "lower_triangular", "product", "quotient")

    adjoint: Callable[..., Any]
    inversion: Callable[..., Any]
    lower_triangular: Callable[..., Any]
    product: Callable[..., Any]
    quotient: Callable[..., Any]


DELEGATES = Delegates()
