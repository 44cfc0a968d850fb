"""Convert cases to bfloat16, and report those that the original does not accept in bfloat16."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tf2jax_port.diff.closeness.facts import Facts
from tf2jax_port.diff.values.arguments import Arguments
from tf2jax_port.diff.values.attempt import Failure, attempt
from tf2jax_port.diff.values.precision import halved
from tf2jax_port.diff.vocabulary.reasons import Reason, grouped


def in_bfloat16(case: Arguments, original: Any) -> tuple[Arguments, str]:
    """Return the case in bfloat16, or unchanged with the reason why the original rejects bfloat16.

    A case that the original also rejects unchanged does not fail because of bfloat16.

    Args:
      case: as given.
      original: its `TensorFlowLanes`.
    """
    half = case.map(halved)
    why = _refusal(half, original)
    if why is None or _refusal(case, original) is not None:
        return half, ""
    return case, why.reason


def _refusal(case: Arguments, original: Any) -> Failure | None:
    """Return why no possible reference lane runs the case; `None` if one does."""
    first = attempt(original.eager, case)
    if not isinstance(first, Failure) or not isinstance(attempt(original.graph, case), Failure):
        return None
    return first


def not_halved(facts: Iterable[Facts]) -> list[Reason]:
    """Return the cases that were run unchanged, each with its reason."""
    return grouped(
        ("bfloat16", f"the original does not run in it, {f.as_given}; run unchanged", f.case)
        for f in facts
        if f.as_given
    )


def as_run(fitted: Sequence[Arguments], facts: Iterable[Facts]) -> tuple[Arguments, ...]:
    """Return the cases with the floats with which they were run."""
    given = {fact.case for fact in facts if fact.as_given}
    return tuple(case if case.index in given else case.map(halved) for case in fitted)
