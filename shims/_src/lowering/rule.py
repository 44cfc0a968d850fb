"""Define the record of one masking rule."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any


@dataclasses.dataclass(frozen=True)
class Rule:
    """The masking rule of one lax primitive.

    Attributes:
      primitive: the primitive's name.
      lower: the function that lowers an equation: `(ctx, eqn, *values) -> [Value, ...]`.
      uniform: whether the rule accepts uniform axes without expanding them.
      safe: for elementwise rules, one number per operand to fill its invalid slots with, such that
        the operation and its derivatives are finite.
    """

    primitive: str
    lower: Callable[..., Any]
    uniform: bool = False
    safe: tuple = ()
