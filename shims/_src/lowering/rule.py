"""Define the record that describes the masking rule of one primitive."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any


@dataclasses.dataclass(frozen=True)
class Rule:
    """The masking rule of one JAX primitive.

    Attributes:
      primitive: the primitive's name.
      lower: the function that lowers an equation: `(ctx, eqn, *values) -> [Value, ...]`.
      uniform: whether `lower` accepts operands with uniform axes; otherwise these are expanded first.
      safe: for elementwise rules, for each operand the number to fill its padding with, such that the
        operation and its derivatives are finite.
      spread: whether `lower` accepts operands whose padding may hold NaN or infinity; otherwise it is cleared.
    """

    primitive: str
    lower: Callable[..., Any]
    uniform: bool = False
    safe: tuple = ()
    spread: bool = False
