"""A comparison in bfloat16: which cases the original takes in it, and what is said of the others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tf2jax_port.diff.closeness.facts import Facts
from tf2jax_port.diff.values.arguments import Arguments
from tf2jax_port.diff.values.attempt import Failure, attempt
from tf2jax_port.diff.values.precision import halved
from tf2jax_port.diff.vocabulary.reasons import Reason, grouped


def in_bfloat16(case: Arguments, original: Any) -> tuple[Arguments, str]:
    """The case as it is run: with floats in bfloat16, or as given and why the original refuses those.

    A case that the original does not take as given either has nothing to do with bfloat16.

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
    """Why neither lane runs that may be the reference; `None` where one does."""
    first = attempt(original.eager, case)
    if not isinstance(first, Failure) or not isinstance(attempt(original.graph, case), Failure):
        return None
    return first


def not_halved(facts: Iterable[Facts]) -> list[Reason]:
    """The cases that were run as given, each with its reason."""
    return grouped(
        ("bfloat16", f"the original has no run in it, {f.as_given}; run as given", f.case)
        for f in facts
        if f.as_given
    )


def as_run(fitted: Sequence[Arguments], facts: Iterable[Facts]) -> tuple[Arguments, ...]:
    """The cases with the floats that they were run with."""
    given = {fact.case for fact in facts if fact.as_given}
    return tuple(case if case.index in given else case.map(halved) for case in fitted)
