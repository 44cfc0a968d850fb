"""Match equal values of two runs, regardless of names and shapes."""

from __future__ import annotations

import bisect
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from tf2jax_port.diff.locate.match.compact import Form, Mask, forms
from tf2jax_port.diff.locate.watch.trail import Trail

# Tolerances relative to the largest element, by the narrowest type that a value went through.
DOUBLE, CONSTANT, SINGLE, HALF = 1e-8, 1e-6, 3e-5, 3e-2
# TensorFlow's operations with an attribute in single precision, whatever they compute in.
_OF_SINGLE = {"LeakyRelu": CONSTANT, "LeakyReluGrad": CONSTANT, "LRN": CONSTANT}
# Elements from this size on are fill values of masks, where there are smaller ones too.
STANDS_FOR_SOMETHING = 1e6
_WIDTHS = {
    "float64": DOUBLE,
    "complex128": DOUBLE,
    "float32": SINGLE,
    "complex64": SINGLE,
    "float16": HALF,
    "bfloat16": HALF,
}


class Values:
    """The values of a recorded run as flat float64 arrays, each with a tolerance.

    Args:
      trail: the record of the run.
      strictness: the number by which tolerances are divided.
      coarsest: the upper limit of tolerances before the division.
      masks: masks that may remove padding from the run's arrays.
      sizes: the sizes that arrays may have without padding.
      finest: the lower limit of tolerances before the division.
    """

    def __init__(
        self,
        trail: Trail,
        strictness: float = 1.0,
        coarsest: float = float("inf"),
        masks: Sequence[Mask] = (),
        sizes: Collection[int] = (),
        finest: float = 0.0,
    ) -> None:
        self.trail = trail
        self._finest = max(finest, *(_OF_SINGLE.get(s.name, 0.0) for s in trail.steps), 0.0)
        self._coarsest, self._masks, self._sizes = coarsest, masks, sizes
        self._forms: dict[int, list[Form]] = {}
        self._flat: dict[int, np.ndarray | None] = {}
        self._says: dict[int, bool] = {}
        self._strictness = strictness
        self._exactness = [max(min(w, coarsest), self._finest) for w in _exactness(trail)]

    def flat(self, number: int) -> np.ndarray | None:
        """Return the elements of a value as a flat array; `None` if it is empty or not numeric."""
        if number not in self._flat:
            self._flat[number] = flattened(self.trail.array(number))
        return self._flat[number]

    def of(self, trail: Trail) -> Values:
        """Return the `Values` of another run of the same program, with the same settings."""
        wide = self._coarsest, self._masks, self._sizes, self._finest
        return Values(trail, self._strictness, *wide)

    def forms(self, number: int) -> list[Form]:
        """Return versions of a value without padding, one for each mask that leaves one of `sizes`."""
        if number not in self._forms:
            self._forms[number] = self.forms_of(self.trail.array(number)) if self._masks else []
        return self._forms[number]

    def forms_of(self, array: np.ndarray | None) -> list[Form]:
        """Return versions of an array without padding, one for each mask that leaves one of `sizes`."""
        return list(forms(array, self._masks, self._sizes))

    def with_forms(self, number: int) -> Iterator[tuple[np.ndarray, bool]]:
        """Yield the elements of a value, with and without padding, and whether padding was removed."""
        own = self.flat(number)
        if own is not None:
            yield own, number in self.trail.short
        for form in self.forms(number):
            flat = flattened(form.array)
            if flat is not None:
                yield flat, True

    def twins(self, number: int, index: Index) -> Iterator[int]:
        """Yield the values of the other run that equal a value, with or without padding."""
        for flat, is_short in self.with_forms(number):
            yield from index.equal_to(flat, self.tolerance(number), is_short)

    def tolerance(self, number: int) -> float:
        """Return the tolerance for comparing a value, relative to its largest element."""
        return self.width(number) / self._strictness

    def width(self, number: int) -> float:
        """Return the tolerance of a value before it is divided by the strictness.

        It is that of the least precise type among the value and the values it is computed from.
        """
        return self._exactness[number]

    @property
    def coarsest(self) -> float:
        """The largest tolerance of a value; at least that of single precision."""
        return max([SINGLE, *self._exactness])

    @property
    def finest(self) -> float:
        """The lower limit of the tolerances."""
        return self._finest

    def says_something(self, number: int) -> bool:
        """Return whether a value is so distinctive that an equal one is no coincidence.

        Integers, booleans, constant arrays and round single numbers are not distinctive.
        """
        if number not in self._says:
            self._says[number] = self._says_something(number)
        return self._says[number]

    def _says_something(self, number: int) -> bool:
        flat, array = self.flat(number), self.trail.array(number)
        if flat is None or array is None or array.dtype.kind in "biu":
            return False
        if flat.size == 1:
            return bool(np.isfinite(flat[0]) and (flat[0] * 16) % 1)
        return bool(np.ptp(flat)) if np.isfinite(flat).all() else True

    def counts(self, number: int) -> bool:
        """Return whether a value is an integer or boolean array, such as counts, indices or flags."""
        array = self.trail.array(number)
        return array is not None and array.dtype.kind in "biu"


class Index:
    """A search index to find the values of a run that equal a given array.

    Args:
      values: the values of the run.
    """

    def __init__(self, values: Values) -> None:
        self.values = values
        self._by_size: dict[int, list[tuple[float, int, int]]] = {}
        self._flats: list[tuple[np.ndarray, bool]] = []
        for number in range(len(values.trail.values)):
            for flat, is_short in values.with_forms(number):
                entry = (_key(flat), number, len(self._flats))
                self._by_size.setdefault(flat.size, []).append(entry)
                self._flats.append((flat, is_short))
        for entries in self._by_size.values():
            entries.sort()

    def equal_to(
        self, flat: np.ndarray | None, tolerance: float, is_short: bool = False
    ) -> Iterator[int]:
        """Yield the indices of the values that equal an array.

        Args:
          flat: the elements of the array.
          tolerance: the relative tolerance.
          is_short: whether padding was removed from the array. It is then compared only with values that
            keep their padding.
        """
        if flat is None or flat.size not in self._by_size:
            return
        entries = self._by_size[flat.size]
        key = _key(flat)
        loosest = max(tolerance, HALF if tolerance >= HALF else SINGLE)
        largest = float(np.max(np.abs(flat), where=np.isfinite(flat), initial=0.0))
        window = (8 * loosest * size_of(flat) + 1e-13 * largest) * np.sqrt(flat.size) + 1e-300
        start = bisect.bisect_left(entries, (key - window, -1, -1))
        for other, number, at in entries[start:]:
            if other > key + window:
                return
            mine, lacks = self._flats[at]
            allowed = max(tolerance, self.values.tolerance(number))
            if not (lacks and is_short) and same(mine, flat, allowed):
                yield number

    def has(self, flat: np.ndarray | None, tolerance: float) -> bool:
        """Return whether any value of the run equals an array."""
        return next(self.equal_to(flat, tolerance), None) is not None


def agree(old: Values, new: Values, theirs: int, mine: int, instead: Any = None) -> bool:
    """Return whether an output of the port equals the original's output.

    Args:
      old: the original's values.
      new: the port's values.
      theirs: the value number of the original's output.
      mine: the value number of the port's output.
      instead: an array to compare in place of the port's output.
    """
    array = new.trail.array(mine) if instead is None else np.asarray(instead)
    a, b = old.flat(theirs), flattened(array)
    if a is None or b is None:
        return np.shape(old.trail.array(theirs)) == np.shape(array)
    return same(a, b, max(old.tolerance(theirs), new.tolerance(mine)))


def flattened(array: np.ndarray | None) -> np.ndarray | None:
    """Return an array flattened to float64; `None` if it is empty.

    A complex element becomes two numbers.
    """
    if array is None or array.size == 0:
        return None
    if array.dtype.kind == "c":
        array = np.stack([array.real, array.imag], -1)
    return np.ascontiguousarray(array, np.float64).reshape(-1)


def same(a: np.ndarray, b: np.ndarray, tolerance: float, noise: float = 0.0) -> bool:
    """Return whether two flat arrays are equal within a relative or an absolute tolerance.

    Args:
      a: the first array.
      b: the second array.
      tolerance: the tolerance relative to the largest element.
      noise: the absolute tolerance.
    """
    if a.size != b.size:
        return False
    wild = ~(np.isfinite(a) & np.isfinite(b))
    if wild.any():
        if not np.array_equal(a[wild], b[wild], equal_nan=True):
            return False
        a, b = a[~wild], b[~wild]
        if not a.size:
            return True
    apart = np.abs(a - b)
    allowed = max(noise, tolerance * max(size_of(a), size_of(b)))
    if float(apart.max()) <= allowed:
        return True
    return bool(np.all(apart <= np.maximum(allowed, tolerance * np.abs(a))))


def size_of(flat: np.ndarray) -> float:
    """Return the largest finite magnitude in an array, ignoring fill values of masks such as -1e9."""
    finite = np.abs(flat[np.isfinite(flat)]) if not np.isfinite(flat).all() else np.abs(flat)
    most = float(finite.max()) if finite.size else 0.0
    if most < STANDS_FOR_SOMETHING:
        return most
    usual = finite[finite < STANDS_FOR_SOMETHING]
    return float(usual.max()) if usual.size and usual.any() else most


_DIRECTIONS: dict[int, np.ndarray] = {}


def _key(flat: np.ndarray) -> float:
    """Project an array onto one number, so that nearly equal arrays have nearly equal numbers."""
    if flat.size not in _DIRECTIONS:
        _DIRECTIONS[flat.size] = np.random.default_rng(flat.size).uniform(0.5, 1.5, flat.size)
        _DIRECTIONS[flat.size] *= np.random.default_rng(1).choice([-1.0, 1.0], flat.size)
    clean = flat if np.isfinite(flat).all() else np.where(np.isfinite(flat), flat, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        # `@` would start threads, which is slow for thousands of small products.
        key = float(np.einsum("i,i->", clean, _DIRECTIONS[flat.size]))
    return key if np.isfinite(key) else 0.0


def _exactness(trail: Trail) -> list[float]:
    """Return the tolerance of each value, which depends on the least precise type among its inputs."""
    found: list[float] = []
    for number, maker in enumerate(trail.makers):
        array = trail.array(number)
        width = DOUBLE if array is None else _WIDTHS.get(array.dtype.name, DOUBLE)
        if maker is None:
            is_literal = array is not None and array.ndim == 0 and width == SINGLE
            found.append(CONSTANT if is_literal else width)
            continue
        operands = trail.steps[maker].operands
        own = CONSTANT if width == SINGLE and all(found[o] == CONSTANT for o in operands) else width
        found.append(max([own, *(found[o] for o in operands)]))
    return found
