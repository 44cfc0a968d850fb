"""Search for cases that notice planted faults which the given cases do not notice.

The search edits given cases: ties, halves, zeros, signs, large numbers, masks that select all or nothing,
sizes 1 and 0, NaN and infinities. A case is kept if the original accepts it and it notices something new.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tf2jax_port.diff.strength.planting import Planter
from tf2jax_port.diff.strength.reached import unreached_sizes
from tf2jax_port.diff.values.arguments import Arguments, is_inexact
from tf2jax_port.diff.values.attempt import Failure, attempt
from tf2jax_port.diff.values.precision import exact_wide, read_only

Change = Callable[[np.ndarray], np.ndarray]
# The most cases that are edited: the smallest ones, which cost least.
_BASES = 4
_NEAR = 1e-3


def strengthened(
    cases: Sequence[Arguments], planter: Planter, original: Callable[[Arguments], Any]
) -> list[Arguments]:
    """Return cases to add to the given ones.

    Args:
      cases: the given cases, in which faults have been planted.
      planter: what has planted them.
      original: runs the original on a case, and returns its outputs.
    """
    added: list[Arguments] = []
    for case in _edited(cases):
        missing = unreached_sizes([*cases, *added])
        if planter.is_over or not (planter.missed or missing):
            break
        truth = attempt(original, case)
        if isinstance(truth, Failure) or _says_nothing(truth):
            continue
        trail = planter.run(case)
        apart = trail.error is not None or _differ(truth, trail)
        fills = len(unreached_sizes([*cases, *added, case])) < len(missing)
        notices = not apart and planter.plant(trail, list(planter.missed))
        if notices or apart or fills:
            added.append(replace(case, index=len(cases) + len(added)))
        if apart:  # a difference has been found: the comparison tells the rest
            break
    return added


def _says_nothing(outputs: Any) -> bool:
    arrays = [a for a in outputs.values() if a is not None and a.dtype.kind not in "SUO"]
    filled = [a for a in arrays if a.size]
    return bool(filled) and all(is_inexact(a.dtype) and np.isnan(a).all() for a in filled)


def _differ(truth: Any, trail: Any) -> bool:
    """Return whether the port's run is far from the original's outputs, so the port itself has a fault."""
    for path, array in truth.items():
        number = trail.outputs.get(path)
        other = None if number is None else trail.array(number)
        if array is None or other is None or array.dtype.kind in "SUO":
            continue
        if array.shape != other.shape:
            return True
        a, b = exact_wide(array), exact_wide(other)
        if np.any(np.isfinite(a) != np.isfinite(b)):
            return True
        top = np.max(np.abs(a), where=np.isfinite(a), initial=0.0)
        if np.max(np.abs(a - b), where=np.isfinite(a), initial=0.0) > _NEAR * top:
            return True
    return False


def _edited(cases: Sequence[Arguments]) -> Iterator[Arguments]:
    """Yield edited copies of the smallest cases, each edit on all arrays of its kind, then on single arrays."""
    usual = [c for c in cases if all(a.size for a in c.arrays)]
    bases = sorted(usual or cases, key=lambda case: sum(a.size for a in case.arrays))
    bases = [*bases[1 : _BASES + 1], *bases[:1]]  # the smallest often has a single element
    for base in bases:
        yield from _resized(base)
    for base in bases:
        for applies, change in _CHANGES:
            those = [i for i, array in enumerate(base.arrays) if array.size and applies(array)]
            for chosen in ([those] if len(those) > 1 else []) + [[i] for i in those]:
                arrays = list(base.arrays)
                for i in chosen:
                    with np.errstate(all="ignore"):
                        arrays[i] = read_only(change(arrays[i]).astype(arrays[i].dtype))
                yield base.with_arrays(arrays)


def _resized(base: Arguments) -> Iterator[Arguments]:
    """Yield copies in which every axis of the same size is cut to 1, or to 0."""
    for size in sorted({n for array in base.arrays for n in array.shape if n > 1}):
        for kept in (1, 0):
            cut = [
                array[tuple(slice(kept) if n == size else slice(None) for n in array.shape)]
                for array in base.arrays
            ]
            yield base.with_arrays([read_only(np.array(array)) for array in cut])


def _is_float(array: np.ndarray) -> bool:
    return is_inexact(array.dtype) and array.dtype.kind != "c"


def _is_integer(array: np.ndarray) -> bool:
    return array.dtype.kind in "iu"


def _is_mask(array: np.ndarray) -> bool:
    return array.dtype.kind == "b"


def _tied(axis: int) -> Change:
    def change(array: np.ndarray) -> np.ndarray:
        if not array.ndim:
            return array
        return np.take(array, np.arange(array.shape[axis]) // 2, axis)

    return change


def _with_first(value: float) -> Change:
    def change(array: np.ndarray) -> np.ndarray:
        found = np.array(array)
        found.reshape(-1)[0] = value
        return found

    return change


_CHANGES: tuple[tuple[Callable[[np.ndarray], bool], Change], ...] = (
    (_is_float, _tied(-1)),
    (_is_float, _tied(0)),
    (_is_float, lambda a: np.rint(exact_wide(a))),
    (_is_float, lambda a: np.floor(exact_wide(a)) + 0.5),
    (_is_float, lambda a: -np.abs(a)),
    (_is_float, np.abs),
    (_is_float, lambda a: np.full_like(a, a.flat[0])),
    (_is_float, np.zeros_like),
    (_is_float, _with_first(0.0)),
    (_is_float, lambda a: exact_wide(a) * 10),
    (_is_float, lambda a: exact_wide(a) * 1000),
    (_is_float, _with_first(100.0)),
    (_is_mask, np.zeros_like),
    (_is_mask, np.ones_like),
    (_is_mask, np.logical_not),
    (_is_integer, np.zeros_like),
    (_is_integer, lambda a: np.full_like(a, a.max())),
    (_is_integer, _tied(-1)),
    (_is_integer, lambda a: -a),
    (_is_integer, lambda a: a[..., ::-1] if a.ndim else a),
    (_is_float, _with_first(np.nan)),
    (_is_float, _with_first(np.inf)),
)
