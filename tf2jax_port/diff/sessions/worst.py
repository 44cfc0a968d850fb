"""Search for the input with the largest difference, by gradient ascent from the worst known input.

The search cannot leave flat regions. Thus it does not find new faults; it shows how large a known
difference can become.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tf2jax_port.diff.golden_file.document import FORMAT, Store, to_bytes
from tf2jax_port.diff.golden_file.golden import pack_call
from tf2jax_port.diff.report.report import Report
from tf2jax_port.diff.values.arguments import Arguments
from tf2jax_port.diff.values.attempt import Failure, attempt
from tf2jax_port.diff.values.precision import exact_wide, read_only
from tf2jax_port.diff.vocabulary.reasons import Reason

STEPS = 40
_STRIDES = (0.5, 0.1, 0.01)


@dataclass(frozen=True, slots=True)
class _Point:
    """One input of the search, and the error at this input.

    Attributes:
      case: the call.
      error: the largest difference divided by the largest element of the original.
      difference: the difference of the output, 0 where it is not finite.
    """

    case: Arguments
    error: float
    difference: np.ndarray


def with_worst(
    report: Report, cases: Sequence[Arguments], original: Any, port: Any, steps: int = STEPS
) -> Report:
    """Search for a worse input by gradient ascent, and add it to the report.

    Args:
      report: the report of the comparison; the output with the largest error is examined.
      cases: all compared cases; elements stay in the range that they have in these cases.
      original: a `TensorFlowLanes`.
      port: a `JaxLanes`.
      steps: the largest number of steps.
    """
    outputs = [leaf for leaf in report.leaves if leaf.kind == "output"]
    worst = max(outputs, key=lambda leaf: leaf.worst.comparison.closeness.ratio, default=None)
    if worst is None:
        return _add_note(report, "there is no output")
    finding, path = worst.worst, worst.worst.quantity.path
    case = next(case for case in cases if case.index == finding.case)
    ranges = [
        _range([c.arrays[i] for c in cases if i < len(c.arrays)]) for i in range(len(case.arrays))
    ]
    start = _evaluate(case, path, original, port)
    if isinstance(start, Failure) or not case.differentiable:
        return _add_note(
            report, "the output has no floating-point inputs, or the output cannot be computed"
        )
    best, taken = start, 0
    for _ in range(steps):
        found = _step(best, path, ranges, original, port)
        if found is None:
            break
        best, taken = found, taken + 1
    words = (
        f"{path} of case {case.index}: {taken} steps of gradient ascent change the error, relative to the largest "
        f"element, from {start.error:.3g} to {best.error:.3g}"
    )
    store = Store()
    packed = attempt(pack_call, replace(best.case, index=0), store)
    if isinstance(packed, Failure):
        return _add_note(report, words)
    data = to_bytes({"format": FORMAT, "cases": [packed]}, store)
    return replace(_add_note(report, words), worst_input=data)


def _add_note(report: Report, words: str) -> Report:
    return replace(report, notes=(*report.notes, Reason("worst input", words)))


def _step(
    point: _Point, path: str, ranges: Sequence[Any], original: Any, port: Any
) -> _Point | None:
    """Take one step of gradient ascent; return `None` if no step size increases the error."""
    fed = {path: point.difference.astype(np.float32)}
    up, down = (attempt(side.eager_gradients, point.case, fed) for side in (port, original))
    if isinstance(up, Failure) or isinstance(down, Failure):
        return None
    for stride in _STRIDES:
        arrays = list(point.case.arrays)
        for i in point.case.differentiable:
            slope = _subtract(up[point.case.paths[i]], down[point.case.paths[i]])
            arrays[i] = _ascend(arrays[i], slope, ranges[i], stride)
        found = _evaluate(point.case.with_arrays(arrays), path, original, port)
        if not isinstance(found, Failure) and found.error > 1.001 * point.error:
            return found
    return None


def _evaluate(case: Arguments, path: str, original: Any, port: Any) -> _Point | Failure:
    def run() -> _Point:
        old, new = (exact_wide(side.eager(case)[path]) for side in (original, port))
        apart = new - old
        apart = np.where(np.isfinite(apart), apart, 0)
        size = np.max(np.abs(np.where(np.isfinite(old), old, 0)), initial=0.0)
        error = np.max(np.abs(apart), initial=0.0) / max(float(size), 1e-30)
        return _Point(case, float(error), apart)

    return attempt(run)


def _subtract(up: np.ndarray | None, down: np.ndarray | None) -> np.ndarray:
    """Subtract two gradients; `None` counts as zero."""
    one, other = (0.0 if g is None else exact_wide(np.asarray(g)) for g in (up, down))
    found = np.asarray(one - other)
    return np.where(np.isfinite(found), found, 0)


def _ascend(array: np.ndarray, slope: np.ndarray, limits: Any, stride: float) -> np.ndarray:
    most = np.max(np.abs(slope), initial=0.0)
    if not most or array.dtype.kind == "c":
        return array
    low, high = limits
    moved = exact_wide(array) + stride * (high - low) * slope / most
    kept = np.where(np.isfinite(array), np.clip(moved, low, high), exact_wide(array))
    return read_only(kept.astype(array.dtype))


def _range(arrays: Sequence[np.ndarray]) -> tuple[float, float]:
    """Return the minimum and maximum of one argument's finite elements over all cases."""
    if arrays[0].dtype.kind in "OSUcb":
        return 0.0, 0.0
    elements = np.concatenate([exact_wide(a).reshape(-1) for a in arrays])
    elements = elements[np.isfinite(elements)]
    return (float(elements.min()), float(elements.max())) if elements.size else (0.0, 0.0)
