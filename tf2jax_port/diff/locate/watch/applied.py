"""A primitive of JAX with its parameters: what runs again on other operands, or with others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tf2jax_port.diff.locate.watch.bending import bent


@dataclass(frozen=True, slots=True, eq=False)
class Applied:
    """How an operation was applied.

    Attributes:
      primitive: the operation.
      params: its parameters.
    """

    primitive: Any
    params: Mapping[str, Any]

    def __call__(self, operands: Sequence[Any]) -> Sequence[Any]:
        """Its results on other operands; of other shapes, as NumPy would broadcast them."""
        try:
            out = self.primitive.bind(*operands, **self.params)
        except (TypeError, ValueError):
            return bent(self.primitive, dict(self.params), operands)
        return list(out) if self.primitive.multiple_results else [out]

    def with_params(self, **params: Any) -> Applied:
        """The same with some parameters replaced."""
        return replace(self, params={**self.params, **params})
