"""Declare the functions that methods of `RaggedTensor` delegate to; `ragged.binding` sets them.

These functions build ragged tensors, so their files import the class. The class calls them through
`DELEGATES`, so it imports none of those files.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Delegates:
    """A holder of one function per method; reading a function not yet set raises `AttributeError`."""

    __slots__ = (
        "call_operator",
        "from_sparse",
        "from_tensor",
        "from_uniform_row_length",
        "merge_dims",
        "take",
        "to_sparse",
        "to_tensor",
    )

    call_operator: Callable[..., Any]
    from_sparse: Callable[..., Any]
    from_tensor: Callable[..., Any]
    from_uniform_row_length: Callable[..., Any]
    merge_dims: Callable[..., Any]
    take: Callable[..., Any]
    to_sparse: Callable[..., Any]
    to_tensor: Callable[..., Any]


DELEGATES = Delegates()
