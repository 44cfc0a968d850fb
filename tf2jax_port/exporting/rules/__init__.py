"""Define for each operator of shims how JAX spells it: `RULES`, by the full names of the operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tf2jax_port.exporting.rules import arrays, elementwise, layers, losses, random, shapes, sparse

RULES: dict[str, Callable[..., Any]] = {
    **elementwise.RULES,
    **arrays.RULES,
    **shapes.RULES,
    **layers.RULES,
    **losses.RULES,
    **random.RULES,
    **sparse.RULES,
}
