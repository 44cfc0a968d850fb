"""Compare two arrays in stages (interface, NaN placement, values); find the first that fails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tf2jax_port.diff.closeness.closeness import EXACT, Closeness, Gauge, distance, limit
from tf2jax_port.diff.values.arguments import is_inexact
from tf2jax_port.diff.values.pieces import holds_anywhere, pieces
from tf2jax_port.diff.values.precision import as_jax_has_it, exact_wide
from tf2jax_port.diff.values.spill import release
from tf2jax_port.diff.vocabulary.lanes import INTERFACE, PLACEMENT, VALUES

# Upper bounds of the histogram's intervals, in errors over the original's own.
ERRORS = (0.0, 1e-2, 1e-1, 1.0, 10.0, 1e2, 1e3, 1e4, 1e5)
_COUNTED, _SHOWN = 1 << 20, 5

_SAME = Closeness(EXACT, 0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Worst:
    """One of the elements with the largest errors.

    Attributes:
      index: its position.
      old: its value in the original.
      new: its value in the port.
      absolute: the difference.
      relative: the difference divided by the magnitude of the original's element.
      mismatched: how many elements differ.
      total: the number of elements.
    """

    index: tuple[int, ...]
    old: float | int | complex | str
    new: float | int | complex | str
    absolute: float
    relative: float
    mismatched: int
    total: int

    @property
    def place(self) -> str:
        """The index as text for reports: `[3, 0]`, or `the only element`."""
        return str(list(self.index)) if self.index else "the only element"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of comparing two arrays.

    Attributes:
      stage: the first stage that fails; `None` if the arrays agree.
      problem: what differs, in a few words.
      closeness: how far apart they are, if values were compared.
      worst: the element with the largest error, if elements were compared.
      next_worst: the elements with the next largest errors.
      histogram: the number of elements whose error, divided by the original's own error, is in each
        interval of `ERRORS`; of large arrays a sample; empty if no floats were compared.
      note: why the arrays count as equal although they are not identical.
    """

    stage: str | None = None
    problem: str = ""
    closeness: Closeness = _SAME
    worst: Worst | None = None
    note: str = ""
    next_worst: tuple[Worst, ...] = ()
    histogram: tuple[int, ...] = ()

    @property
    def agrees(self) -> bool:
        """Whether all stages pass."""
        return self.stage is None


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules for comparing dtypes.

    Attributes:
      x64: whether JAX has 64-bit types; if not, 64 bits become 32.
      either_way: whether to ignore differences between 32 and 64 bits, whichever array is wider.
    """

    x64: bool
    either_way: bool = False


def compare(
    a: np.ndarray | None, b: np.ndarray | None, measure: Gauge | None, rules: Rules
) -> Comparison:
    """Compare two arrays and find the first stage at which they differ.

    Args:
      a: an array of the original, or the first array of a pair.
      b: an array of the port, or the second array of a pair.
      measure: the gauge for floats; `None` for integers and booleans.
      rules: how dtypes are compared.
    """
    if a is None or b is None:
        return _compare_absent(a, b)
    if a.shape != b.shape:
        return Comparison(INTERFACE, f"shape {list(a.shape)} against {list(b.shape)}")
    note, ours, theirs = "", *_jax_dtypes(a, b, rules)
    if ours != theirs:
        return Comparison(INTERFACE, f"dtype {a.dtype.name} against {b.dtype.name}")
    if a.dtype != b.dtype:
        note = f"{a.dtype.name} against {b.dtype.name}: JAX has no 64-bit types unless x64 is on"
    if not is_inexact(ours):
        return _compare_exact(a, b, note)
    with np.errstate(over="ignore"):
        a, b = a.astype(ours, copy=False), b.astype(ours, copy=False)
    if holds_anywhere(placement, a, b):
        placed = placement(a, b)
        problem = "NaN or infinity is at different positions"
        return Comparison(PLACEMENT, problem, worst=_first_element(a, b, placed), note=note)
    assert measure is not None
    return _compare_values(a, b, measure, note)


def placement(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return a mask of the elements that are NaN or infinite in one array but not in the other."""
    wrong = np.zeros(a.shape, bool)
    for x, y in ((a.real, b.real), (a.imag, b.imag)) if a.dtype.kind == "c" else ((a, b),):
        wrong |= np.isnan(x) != np.isnan(y)
        odd = ~np.isnan(x) & ~np.isnan(y) & (np.isinf(x) | np.isinf(y))
        wrong |= odd & (x != y)
    return wrong


def _jax_dtypes(a: np.ndarray, b: np.ndarray, rules: Rules) -> tuple[np.dtype, np.dtype]:
    if rules.either_way:
        return as_jax_has_it(a.dtype, False), as_jax_has_it(b.dtype, False)
    return as_jax_has_it(a.dtype, rules.x64), as_jax_has_it(b.dtype, rules.x64)


def _compare_absent(a: np.ndarray | None, b: np.ndarray | None) -> Comparison:
    """Compare two results of which at least one is `None`; `None` counts as zeros.

    TensorFlow returns `None` for a missing gradient, JAX zeros.
    """
    if a is None and b is None:
        return Comparison()
    present = b if a is None else a
    assert present is not None
    if present.dtype != object and not np.any(present):
        return Comparison(note="None against zeros")
    which = ("None", "numbers") if a is None else ("numbers", "None")
    return Comparison(INTERFACE, f"{which[0]} against {which[1]}")


def _compare_exact(a: np.ndarray, b: np.ndarray, note: str) -> Comparison:
    wrong = np.asarray(a != b)
    if not wrong.any():
        return Comparison(note=note)
    far = Closeness(EXACT, np.inf, 0.0, 0.0, 0.0)
    if a.dtype.kind in "iu":
        apart = np.abs(a.astype(np.float64) - b.astype(np.float64))
        wrong_most = wrong & (apart == apart.max())
        worst = _make_worst(a, b, _first_index(wrong_most), int(wrong.sum()))
    else:
        worst = _first_element(a, b, wrong)
    return Comparison(VALUES, "values differ", far, worst, note)


def _compare_values(a: np.ndarray, b: np.ndarray, measure: Gauge, note: str) -> Comparison:
    """Compare floats: the port passes if it is close to the truth or to the original program.

    An original that is further from the truth than its port is no fault of the port, as long as
    the two are not completely different.
    """
    mine, theirs = measure.measure(a), measure.measure(b)
    counted = _histogram(b, measure)
    if theirs.close and (mine.close or measure.relaxed().measure(b, against=a).close):
        return Comparison(closeness=theirs, note=note, histogram=counted)
    apart = measure.measure(b, against=a)
    if apart.close:
        return Comparison(closeness=apart, note=note, histogram=counted)
    judged = theirs if theirs.ratio >= mine.ratio else mine
    worst, *others = furthest(a, b, measure)
    return Comparison(VALUES, "values differ", judged, worst, note, tuple(others), counted)


def _histogram(array: np.ndarray, measure: Gauge) -> tuple[int, ...]:
    step = max(1, array.size // _COUNTED)
    flat, truth = (a.reshape(-1)[::step] for a in (array, measure.truth))
    ratios = distance(exact_wide(flat), truth) / measure.own_rms
    release(array)
    release(measure.truth)
    bins = np.searchsorted(ERRORS, ratios, side="left")
    return tuple(np.bincount(bins, minlength=len(ERRORS) + 1).tolist())


def furthest(a: np.ndarray, b: np.ndarray, measure: Gauge) -> list[Worst]:
    """Return the elements with the largest errors; each also has the number of differing elements."""
    allowed = limit(a.size) * measure.own_rms
    wrong = start = 0
    # Sorted by decreasing error; of equal errors the first comes first.
    furthest_off: list[tuple[float, int]] = []
    for x, y in pieces(a, b):
        error = distance(exact_wide(x), exact_wide(y))
        wrong += int(np.count_nonzero(error > allowed))
        if len(furthest_off) < _SHOWN or float(np.max(error)) > -furthest_off[-1][0]:
            last = max(0, error.size - _SHOWN)
            here = {int(np.argmax(error)), *np.argpartition(error, last)[last:].tolist()}
            found = [(-float(error[i]), start + i) for i in here]
            furthest_off = sorted(furthest_off + found)[:_SHOWN]
        start += error.size
    wrong = max(1, wrong)
    shown = [i for _, i in furthest_off[:wrong]]
    places: list[Any] = [np.unravel_index(i, a.shape) for i in shown]
    return [_make_worst(a, b, tuple(map(int, place)), wrong) for place in places]


def _first_element(a: np.ndarray, b: np.ndarray, wrong: np.ndarray) -> Worst:
    return _make_worst(a, b, _first_index(wrong), int(wrong.sum()))


def _first_index(wrong: np.ndarray) -> tuple[int, ...]:
    return tuple(np.argwhere(wrong)[0].tolist())


def _make_worst(a: np.ndarray, b: np.ndarray, index: tuple[int, ...], mismatched: int) -> Worst:
    old, new = _to_scalar(a[index]), _to_scalar(b[index])
    absolute = relative = float("nan")
    if not isinstance(old, str) and not isinstance(new, str):
        absolute = float(abs(complex(new) - complex(old)))
        size = abs(complex(old))
        relative = absolute / size if size else float("inf")
    return Worst(index, old, new, absolute, relative, mismatched, a.size)


def _to_scalar(element: object) -> float | int | complex | str:
    value: Any = np.asarray(element)
    if value.dtype.kind in "SUO":
        return str(value.item())
    if value.dtype.kind == "c":
        return complex(value)
    return float(value) if is_inexact(value.dtype) else value.item()
