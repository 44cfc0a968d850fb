"""Define the record of a masking rule."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any


@dataclasses.dataclass(frozen=True)
class Rule:
    """The masking rule of one lax primitive.

    Attributes:
      primitive: the primitive's name.
      lower: `(ctx, eqn, *values) -> [Value, ...]`.
      uniform: whether the rule accepts uniform axes without expanding them.
      safe: for elementwise rules, the number per operand that invalid slots hold; the operation and
        its derivatives are finite there.
    """

    primitive: str
    lower: Callable[..., Any]
    uniform: bool = False
    safe: tuple = ()
