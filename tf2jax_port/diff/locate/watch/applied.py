"""Bind a JAX primitive to its parameters, so that it can run again on other operands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tf2jax_port.diff.locate.watch.bending import bent
from tf2jax_port.diff.locate.watch.uncompiled import uncompiled


@dataclass(frozen=True, slots=True, eq=False)
class Applied:
    """A JAX primitive bound to its parameters, callable on a list of operands.

    Attributes:
      primitive: the JAX primitive.
      params: the parameters of the primitive.
    """

    primitive: Any
    params: Mapping[str, Any]

    def __call__(self, operands: Sequence[Any]) -> Sequence[Any]:
        """Apply the primitive to operands, adapting it if their shapes differ from the recorded shapes."""
        try:
            simple = uncompiled(self.primitive.name, operands, self.params)
            if simple is not None:
                return [simple]
            out = self.primitive.bind(*operands, **self.params)
        except (TypeError, ValueError):
            return bent(self.primitive, dict(self.params), operands)
        return list(out) if self.primitive.multiple_results else [out]

    def with_params(self, **params: Any) -> Applied:
        """Return a copy with some parameters replaced."""
        return replace(self, params={**self.params, **params})
