"""Find the operation that causes a difference (the first divergence), and add it to a report."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tf2jax_port.diff.locate.finder import locate
from tf2jax_port.diff.locate.result.located import VALUE, Located, NotLocated
from tf2jax_port.diff.report.report import Report
from tf2jax_port.diff.values.arguments import Arguments

# In seconds of processor time: a search that takes longer is not repeated on another case.
_QUICK = 10.0
# How far a variation of a case is from it, as a share of each element.
_APART = 0.02


def located(
    report: Report,
    old: Callable[..., Any],
    new: Callable[..., Any],
    cases: Sequence[Arguments],
    seed: int,
) -> Report:
    """Find the operation that causes a verdict of `different` or an error of the port, and add it to the report.

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
    different = _differing(report, case.index)
    others = [c for c in cases if c.index != case.index and _differing(report, c.index)]
    return replace(report, located=locate_in_cases(old, new, case, others, seed, different))


def locate_in_cases(
    old: Callable[..., Any],
    new: Callable[..., Any],
    case: Arguments,
    others: Sequence[Arguments],
    seed: int = 0,
    different: Collection[str] | None = None,
) -> Located | NotLocated:
    """Locate the first divergence in a case; it is only confirmed if another case has it on the same line.

    In a single case, two unrelated values may be equal by accident, such as two counts.

    Args:
      old: the TensorFlow function.
      new: its port.
      case: the case to examine.
      others: other cases that differ; without any, a variation of the case is examined.
      seed: the seed of both programs' random numbers.
      different: the titles of the outputs and gradients that differ in the case.
    """
    start = time.process_time()
    found = locate(old, new, case, seed, different)
    is_quick = time.process_time() - start < _QUICK
    if not isinstance(found, Located) or not found.confirmed or found.kind != VALUE or not is_quick:
        return found
    shapes = [array.shape for array in case.arrays]
    unlike = [one for one in others if [array.shape for array in one.arrays] != shapes]
    again = locate(old, new, [*unlike, *others, _variation(case)][0], seed, different)
    if isinstance(again, Located) and again.kind == VALUE and not _same_line(found, again):
        return replace(found, confirmed=False)
    return found


def _variation(case: Arguments) -> Arguments:
    """Return a case with slightly changed floats; arrays of whole numbers are unchanged."""
    random = np.random.default_rng(0)

    def moved(array: np.ndarray) -> np.ndarray:
        if array.dtype.kind != "f" or np.array_equal(array, np.rint(array)):
            return array
        factors = 1.0 + _APART * random.uniform(-1.0, 1.0, array.shape)
        return np.asarray(array * factors, array.dtype)

    return case.map(moved)


def _same_line(one: Located, other: Located) -> bool:
    return one.new is not None and other.new is not None and one.new.place == other.new.place


def _differing(report: Report, case: int) -> set[str] | None:
    """Return the titles of the outputs and gradients that differ in a case; `None` if they cannot be compared."""
    assert report.culprit is not None
    if report.culprit.quantity.kind == "structure":
        return None
    return {reason.what for reason in report.reasons if case in reason.cases}
