"""Convert cases to bfloat16, and report the cases that the original rejects in bfloat16."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tf2jax_port.diff.closeness.facts import Facts
from tf2jax_port.diff.values.arguments import Arguments
from tf2jax_port.diff.values.attempt import Failure, attempt
from tf2jax_port.diff.values.precision import halved
from tf2jax_port.diff.vocabulary.reasons import Reason, grouped


def in_bfloat16(case: Arguments, original: Any) -> tuple[Arguments, str]:
    """Convert a case to bfloat16, unless the original rejects it only because of bfloat16.

    Args:
      case: the case as the user gave it.
      original: its `TensorFlowLanes`.

    Returns:
      The converted case and an empty text, or the unchanged case and the reason.
    """
    half = case.map(halved)
    why = _refusal(half, original)
    if why is None or _refusal(case, original) is not None:
        return half, ""
    return case, why.reason


def _refusal(case: Arguments, original: Any) -> Failure | None:
    """Return the reason why both TF eager and TF graph reject a case; `None` if they do not."""
    first = attempt(original.eager, case)
    if not isinstance(first, Failure) or not isinstance(attempt(original.graph, case), Failure):
        return None
    return first


def not_halved(facts: Iterable[Facts]) -> list[Reason]:
    """Return a reason for each case that was not converted to bfloat16."""
    return grouped(
        (
            "bfloat16",
            f"the original does not run in bfloat16 ({f.as_given}), so this case keeps its own dtypes",
            f.case,
        )
        for f in facts
        if f.as_given
    )


def as_run(fitted: Sequence[Arguments], facts: Iterable[Facts]) -> tuple[Arguments, ...]:
    """Return the cases as they were run: in bfloat16, unless the original rejects bfloat16."""
    given = {fact.case for fact in facts if fact.as_given}
    return tuple(case if case.index in given else case.map(halved) for case in fitted)
