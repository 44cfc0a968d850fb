"""Compare what a program leaves under both libraries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from tools.public_programs.lane import Cell

LIMIT = 1e-3  # of the largest number of an array
# Smaller numbers are compared with this one: they are what rounding leaves of larger ones.
FLOOR = 1e-2
# A difference within so many times TensorFlow's own spread, of which two runs are two samples.
SPREADS = 2


class Apart(NamedTuple):
    """A variable that differs.

    Args:
      name: its name; what lies in a cell's last line has none.
      cell: the first cell after which it differs.
      difference: the largest difference, relative to the largest number of the array.
      spread: that of TensorFlow's own runs from initial variables one bit away, 0 if there are none.
    """

    name: str
    cell: int
    difference: float
    spread: float


class Verdict(NamedTuple):
    """The result of a program. Cells that fail under TensorFlow are not compared.

    Args:
      total: how many cells it has.
      cells: how many of them run under TensorFlow.
      failed: errors of shims in cells that run under TensorFlow, with their numbers.
      values: how many arrays and numbers were compared.
      apart: the variables that differ.
      difference: the largest difference of equal ones, relative to the largest number of the array.
    """

    total: int
    cells: int
    failed: list[tuple[int, tuple[str, str, str]]]
    values: int
    apart: list[Apart]
    difference: float

    @property
    def runs(self) -> bool:
        """Whether the program runs from start to end."""
        return not self.failed

    @property
    def is_within_spread(self) -> bool:
        """Whether TensorFlow's own results differ as much where it starts one bit away."""
        return self.runs and all(a.difference <= SPREADS * a.spread for a in self.apart)

    @property
    def is_equal(self) -> bool:
        """Whether the program runs from start to end with equal numbers."""
        return self.runs and not self.apart


def compare(wanted: list[Cell], found: list[Cell], moved: Sequence[list[Cell]] = ()) -> Verdict:
    """Compare the cells of a program.

    Args:
      wanted: TensorFlow's.
      found: those of shims.
      moved: TensorFlow's from initial variables one bit away, a list for each run.
    """
    apart: dict[str, Apart] = {}
    largest, count = 0.0, 0
    for number, (want, got) in enumerate(zip(wanted, found, strict=True)):
        if want.error is not None or got.error is not None:
            continue
        for name, sizes in _of_cell(want, got):
            count += len(sizes)
            worst = max(sizes, default=0.0)
            if worst <= LIMIT:
                largest = max(largest, worst)
            elif name not in apart or worst > apart[name].difference:
                spread = max((_largest(want, run[number], name) for run in moved), default=0.0)
                first = apart[name].cell if name in apart else number
                apart[name] = Apart(name, first, worst, spread)
    failed = [
        (n, g.error)
        for n, (w, g) in enumerate(zip(wanted, found, strict=True))
        if g.error is not None and w.error is None
    ]
    ran = sum(w.error is None for w in wanted)
    return Verdict(len(wanted), ran, failed, count, [*apart.values()], largest)


def _of_cell(want: Cell, got: Cell) -> Iterator[tuple[str, list[float]]]:
    """Yield the names of the values that both cells have, and the differences of their arrays."""
    pairs, others = {**want.values, "": want.last}, {**got.values, "": got.last}
    for name in sorted(pairs.keys() & others.keys()):
        yield name, list(differences(pairs[name], others[name]))


def _largest(want: Cell, got: Cell, name: str) -> float:
    return max(dict(_of_cell(want, got)).get(name, []), default=0.0)


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
    if x.ndim and "O" in (x.dtype.kind, y.dtype.kind):
        pairs = zip(x.ravel().tolist(), y.ravel().tolist(), strict=True)
        return max((d for a, b in pairs for d in differences(a, b)), default=0.0)
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
