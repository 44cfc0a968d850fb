"""The functions that methods of `RaggedTensor` delegate to; `ragged.binding` sets them.

These functions build ragged tensors, so their files import the class. The class reaches them through
`DELEGATES`, so that it imports none of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Delegates:
    """Hold one function per method; reading one that is not bound raises `AttributeError`."""

    __slots__ = ("call_operator",)

    call_operator: Callable[..., Any]


DELEGATES = Delegates()
