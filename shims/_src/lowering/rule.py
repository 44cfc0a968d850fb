"""What a masking rule is."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any


@dataclasses.dataclass(frozen=True)
class Rule:
    """How one lax primitive runs on padded arrays.

    Attributes:
      primitive: the primitive's name.
      lower: `(ctx, eqn, *values) -> [Value, ...]`.
      uniform: whether it takes uniform axes as they are.
      safe: per operand the number that invalid slots hold (elementwise rules), where the
        operation and its derivatives are finite.
    """

    primitive: str
    lower: Callable[..., Any]
    uniform: bool = False
    safe: tuple = ()
