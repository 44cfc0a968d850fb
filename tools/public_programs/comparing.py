"""Compare what a program leaves under both libraries."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tools.public_programs.lane import Cell

LIMIT = 1e-3  # of the largest number of an array
FLOOR = (
    1e-2  # smaller numbers are compared with this one: they are what rounding leaves of larger ones
)


class Verdict(NamedTuple):
    """The result of a program. Cells that fail under TensorFlow are not compared.

    Args:
      total: how many cells it has.
      cells: how many of them run under TensorFlow.
      failed: errors of shims in cells that run under TensorFlow, with their numbers.
      values: how many arrays and numbers were compared.
      apart: the variables that differ, with the cell, largest difference first.
      difference: the largest difference of equal ones, relative to the largest number of the array.
    """

    total: int
    cells: int
    failed: list[tuple[int, tuple[str, str, str]]]
    values: int
    apart: list[str]
    difference: float

    @property
    def is_equal(self) -> bool:
        """Whether the program runs from start to end with equal numbers."""
        return not self.failed and not self.apart


def compare(wanted: list[Cell], found: list[Cell]) -> Verdict:
    """Compare the cells of a program."""
    failed, apart, largest, count = [], {}, 0.0, 0
    seen: set[str] = set()
    for number, (want, got) in enumerate(zip(wanted, found, strict=True)):
        if got.error is not None and want.error is None:
            failed.append((number, got.error))
        if want.error is not None or got.error is not None:
            continue
        pairs = {**want.values, "the last line": want.last}
        others = {**got.values, "the last line": got.last}
        for name in pairs.keys() & others.keys():
            sizes = list(differences(pairs[name], others[name]))
            count += len(sizes)
            worst = max(sizes, default=0.0)
            if worst > LIMIT and name not in seen:
                apart[f"{name} ({worst:.0e})"] = number
                seen.add(name)
            elif worst <= LIMIT:
                largest = max(largest, worst)
    return Verdict(
        len(wanted),
        sum(w.error is None for w in wanted),
        failed,
        count,
        [f"{k} in cell {n}" for k, n in apart.items()],
        largest,
    )


def differences(a: Any, b: Any):
    """Yield the differences of the arrays in two values; infinity for those of other kinds."""
    if a is None or b is None:
        return
    if isinstance(a, dict) and isinstance(b, dict):
        for key in a.keys() | b.keys():
            if key in a and key in b:
                yield from differences(a[key], b[key])
            else:
                yield np.inf
        return
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            yield np.inf
            return
        for x, y in zip(a, b, strict=True):
            yield from differences(x, y)
        return
    yield _difference(np.asarray(a), np.asarray(b))


def _difference(x: np.ndarray, y: np.ndarray) -> float:
    if x.shape != y.shape:
        return np.inf
    if x.dtype.kind in "OSU" or y.dtype.kind in "OSU":
        return 0.0 if x.tolist() == y.tolist() else np.inf
    wide = np.complex128 if "c" in (x.dtype.kind, y.dtype.kind) else np.float64
    x, y = x.astype(wide), y.astype(wide)
    if not x.size:
        return 0.0
    with np.errstate(all="ignore"):
        gap = np.where((x == y) | (np.isnan(x) & np.isnan(y)), 0, np.abs(x - y))
        scale = max(np.max(np.abs(x), where=np.isfinite(x), initial=0), FLOOR)
    return float(np.max(gap) / scale) if np.isfinite(gap).all() else np.inf
