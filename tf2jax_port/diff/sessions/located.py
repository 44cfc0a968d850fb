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
    return replace(report, located=locate(old, new, case, seed))
