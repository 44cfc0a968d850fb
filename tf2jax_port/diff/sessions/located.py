"""Find the operation that causes a difference (the first divergence), and add it to a report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from tf2jax_port.diff.locate.finder import locate
from tf2jax_port.diff.report.report import Report
from tf2jax_port.diff.values.arguments import Arguments


def located(
    report: Report,
    old: Callable[..., Any],
    new: Callable[..., Any],
    cases: Sequence[Arguments],
    seed: int,
) -> Report:
    """Find the operation that causes a verdict of `different`, and add it to the report.

    Args:
      report: the report of the comparison.
      old: the TensorFlow function.
      new: its port.
      cases: all compared cases; the one that determines the verdict is examined.
      seed: the seed of both programs' random numbers.
    """
    if report.culprit is None:
        return report
    case = next(case for case in cases if case.index == report.culprit.case)
    return replace(report, located=locate(old, new, case, seed, _differing(report, case.index)))


def _differing(report: Report, case: int) -> set[str] | None:
    """Return the titles of the outputs and gradients that differ in a case; `None` if its results do not compare."""
    assert report.culprit is not None
    if report.culprit.quantity.kind == "structure":
        return None
    return {reason.what for reason in report.reasons if case in reason.cases}
