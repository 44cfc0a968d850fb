"""Advise bounds for generated integers that the original refuses."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tf2jax_port.diff.inputs.generated import Spec, is_signature, parse
from tf2jax_port.diff.vocabulary.reasons import Reason

# How TensorFlow tells that an index, a label or a segment does not exist.
_OUT_OF_RANGE = re.compile(
    r"(outside|not in|out of)\b.*\b(range|bounds?)|is not in \[|outside the valid range"
)


def advice(inputs: str, reasons: Iterable[str]) -> list[Reason]:
    """Return how to bound the integers of a signature, if the original refuses some of them.

    Args:
      inputs: the specification of the cases.
      reasons: why lanes of the original failed.
    """
    if not is_signature(inputs) or not any(map(_OUT_OF_RANGE.search, reasons)):
        return []
    specs = parse(inputs)
    return [
        Reason(
            "inputs",
            f"`{spec.name}` has no bounds, and the original raises for numbers that are out of range: write "
            f"`{_written(spec)} in 0..{_bound(spec, specs)}`, where the last number is the upper bound",
        )
        for spec in specs
        if spec.dtype.kind in "iu" and not spec.high
    ]


def _written(spec: Spec) -> str:
    return f"{spec.name}: {spec.dtype.name}[{', '.join(map(str, spec.shape))}]"


def _bound(spec: Spec, specs: Iterable[Spec]) -> str:
    """Return the size that most likely bounds an index: the last one of another array that its own shape lacks."""
    others = [size for other in specs for size in other.shape[-1:] if size not in spec.shape]
    return str(others[0]) if others else "HIGH"
