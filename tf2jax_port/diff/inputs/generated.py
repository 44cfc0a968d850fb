"""Generate inputs from a signature, with sizes, scales and edge cases that reveal faults.

Ten normal inputs at scales from 1e-6 to 100 found nine of nine planted faults where a hundred normal
inputs found five; zeros, ties, signed zero, NaN, infinities, denormals, empty arrays and sizes around
the limits of a bucket find faults that scales do not.
"""

from __future__ import annotations

import difflib
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from tf2jax_port.diff.functions.loading import DiffError
from tf2jax_port.diff.values import tree
from tf2jax_port.diff.values.attempt import Failure, attempt
from tf2jax_port.diff.values.precision import real_part

Size = int | str

_ARGUMENT = re.compile(
    r"\s*(?P<name>\w+)\s*:\s*(?P<dtype>\w+)\s*(\[(?P<shape>[^\]]*)\])?"
    r"(\s+in\s+(?P<low>-?[\w.]+?)\.\.(?P<high>-?[\w.]+))?\s*"
)

# A size: a name, or a name with a number that is added, subtracted or multiplied.
_SIZE = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*((?P<sign>[-+*])\s*(?P<number>\d+))?")

# The dtypes to propose for a misspelled one.
_DTYPES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
)

# Values of unknown sizes: below, at and above the limits of buckets; `_plans` adds 1 and 0.
_SIZES = (7, 8, 9, 5, 3, 16, 17, 6)
_SCALES = (1.0, 1e-6, 1e-3, 10.0, 100.0)
_TIES = (0.0, -0.0, 1.0, 1.0, -1.0, 0.5, 0.5, -0.5, 2.0, 0.0, 3.0, -2.0)
_LIMITS = (1e-40, -1e-40, 1e-38, 3e38, -3e38, 1e-7, 1.0000001, 0.99999994)
_NOT_FINITE = (np.nan, np.inf, -np.inf, 0.0, 1.0, -1.0)

# How masks, lengths and other integers vary between cases: mixed values, or all of them equal.
_SOME, _NONE, _ALL = "some", "none", "all"


@dataclass(frozen=True, slots=True)
class Spec:
    """The specification of one array argument, from which inputs are generated.

    Attributes:
      name: the name of the parameter; it determines the role of integers without bounds.
      dtype: the dtype of its elements.
      shape: numbers, and names of unknown sizes; equal names are equal sizes, and `n+1` is one more than `n`.
      low: the smallest element, a number or the name of a size.
      high: the upper bound, exclusive for integers and inclusive for floats; a number or the name
        of a size.
    """

    name: str
    dtype: np.dtype
    shape: tuple[Size, ...]
    low: str = ""
    high: str = ""


@dataclass(frozen=True, slots=True)
class _Plan:
    """The settings for generating the arguments of one case."""

    size: int
    scale: float
    edges: tuple[float, ...]
    some: str


def is_signature(text: str) -> bool:
    """Return whether a text is a signature, `x: float32[n]; ...`, as opposed to `module:name`."""
    bare = re.fullmatch(r"\w+:(\w+)", text)
    if bare is not None and isinstance(attempt(_dtype, bare[1]), Failure):
        return False
    # Other brackets and separators are no signature either, but are meant to be one.
    return re.match(r"\s*\w+\s*:\s*\w+\s*([\[({;,]|$| in )", text) is not None and ".py" not in text


def parse(text: str) -> list[Spec]:
    """Parse a signature into specifications of arguments.

    Args:
      text: `NAME: DTYPE[SIZE, ...] in LOW..HIGH; ...`. Sizes are numbers or names; the bounds are
        optional, integers stay below `HIGH`, floats may be equal to it, and either may be the name of a size.

    Raises:
      DiffError: the syntax is wrong.
    """
    found = []
    for part in filter(str.strip, text.split(";")):
        match = _ARGUMENT.fullmatch(part)
        if match is None:
            raise DiffError(
                f"--inputs: `{part.strip()}` is not a valid argument.\n"
                "  Required: NAME: DTYPE[SIZE, ...] in LOW..HIGH, for instance ids: int32[n] in 0..5;\n"
                "            sizes are in square brackets, and `;` is between arguments",
                text,
                part.strip(),
            )
        sizes = [size.strip() for size in (match["shape"] or "").split(",") if size.strip()]
        wrong = [size for size in sizes if not (size.isdigit() or _SIZE.fullmatch(size))]
        if wrong:
            raise DiffError(
                f"--inputs: `{wrong[0]}` is not a size.\n"
                "  Required: a number, a name, or a name and a number: 3, n, n+1, n-1, n*2",
                text,
                wrong[0],
            )
        shape = tuple(int(size) if size.isdigit() else size for size in sizes)
        found.append(
            Spec(
                match["name"],
                _dtype(match["dtype"], text),
                shape,
                match["low"] or "",
                match["high"] or "",
            )
        )
    return found


def spec_of(name: str, leaf: Any) -> Any:
    """Convert a `TensorSpec` to a `Spec`; return other values unchanged.

    Unknown sizes of the same axis are assumed to be equal.
    """
    if not (hasattr(leaf, "shape") and hasattr(leaf, "dtype")):
        return leaf
    if leaf.shape is None or getattr(leaf.shape, "rank", 0) is None:
        raise DiffError(f"--inputs signature: `{name}` has no known rank.")
    dtype = np.dtype(getattr(leaf.dtype, "as_numpy_dtype", leaf.dtype))
    shape = tuple(f"axis{i}" if size is None else int(size) for i, size in enumerate(leaf.shape))
    return Spec(name, dtype, shape)


def calls(
    structure: Sequence[Any], seed: int, constants: Sequence[float] = ()
) -> Iterator[tuple[Any, ...]]:
    """Yield generated argument tuples for a structure that has a `Spec` in place of each array.

    Args:
      structure: the arguments.
      seed: for the numbers.
      constants: numbers that cases with edges have, too, within the bounds of each array.
    """
    for number, plan in enumerate(_plans(structure)):
        maker = _CaseMaker(seed, number, plan, constants)
        yield tuple(maker(part) for part in structure)


def _plans(structure: Sequence[Any]) -> Iterator[_Plan]:
    for size, scale, some in zip(_SIZES, _SCALES, (_SOME, _SOME, _NONE, _ALL, _SOME)):
        yield _Plan(size, scale, (), some)
    for size, edges in zip(_SIZES[5:], (_TIES, _LIMITS, _NOT_FINITE)):
        yield _Plan(size, 1.0, edges, _SOME)
    if any(isinstance(size, str) for spec in _specs(structure) for size in spec.shape):
        yield _Plan(1, 1.0, (), _ALL)
        yield _Plan(0, 1.0, (), _SOME)


def _specs(structure: Sequence[Any]) -> list[Spec]:
    leaves = [leaf for part in structure for _, leaf in tree.walk(part, stop=_is_spec)]
    return [leaf for leaf in leaves if isinstance(leaf, Spec)]


def _is_spec(value: Any) -> bool:
    return isinstance(value, Spec)


class _CaseMaker:
    """Makes the arrays of one case."""

    def __init__(self, seed: int, number: int, plan: _Plan, constants: Sequence[float]) -> None:
        self._seed, self._number, self._plan = seed, number, plan
        self._constants = constants if plan.edges else ()

    def __call__(self, part: Any) -> Any:
        return tree.rebuild(part, self._leaf)

    def _leaf(self, leaf: Any) -> Any:
        if not isinstance(leaf, Spec):
            return leaf
        rng = np.random.default_rng([self._seed, self._number, zlib.crc32(leaf.name.encode())])
        shape = tuple(self._size(size) for size in leaf.shape)
        kind = leaf.dtype.kind
        if kind == "b":
            return self._mask(rng, shape)
        if kind in "iu":
            return self._integers(rng, leaf, shape)
        if kind == "c":
            found = np.empty(shape, leaf.dtype)
            found.real, found.imag = (self._floats(rng, leaf, shape) for _ in range(2))
            return found
        return self._floats(rng, leaf, shape).astype(leaf.dtype)

    def _size(self, size: Size) -> int:
        """Return the size for a number or a name.

        Unknown sizes with different names get different numbers, so that swapped axes are found.
        """
        if isinstance(size, int):
            return size
        parts = _SIZE.fullmatch(size)
        name = parts["name"] if parts is not None else size
        found = self._plan.size if self._plan.size < 2 else self._plan.size + _offset(name)
        if parts is None or parts["number"] is None:
            return found
        number = int(parts["number"]) * (-1 if parts["sign"] == "-" else 1)
        return max(0, found * number if parts["sign"] == "*" else found + number)

    def _bound(self, text: str, otherwise: float) -> float:
        if not text:
            return otherwise
        try:
            return float(text)
        except ValueError:
            return self._size(text)

    def _mask(self, rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        if self._plan.some == _SOME:
            return rng.random(shape) < 0.6
        return np.full(shape, self._plan.some == _ALL)

    def _integers(self, rng: np.random.Generator, spec: Spec, shape: tuple[int, ...]) -> np.ndarray:
        role = _role(spec.name)
        usual = (0, max(1, self._plan.size)) if role else (-3, 8)
        low = int(self._bound(spec.low, usual[0] if spec.dtype.kind == "i" else 0))
        high = int(self._bound(spec.high, usual[1] + (role == "length")))
        if high <= low:  # no number is in the bounds
            return np.zeros(shape, spec.dtype) if 0 in shape else np.full(shape, low, spec.dtype)
        if self._plan.some != _SOME and role:
            return np.full(shape, high - 1 if self._plan.some == _ALL else low, spec.dtype)
        found = rng.integers(low, high, shape)
        if role == "segment" and shape:
            found = np.sort(found, axis=0)
        return found.astype(spec.dtype)

    def _floats(self, rng: np.random.Generator, spec: Spec, shape: tuple[int, ...]) -> np.ndarray:
        if spec.low or spec.high:
            low, high = self._bound(spec.low, 0.0), self._bound(spec.high, 1.0)
            found = np.asarray(rng.uniform(low, high, shape))
            ends = [low, high, (low + high) / 2, (low + high) / 2]
            inside = [value for value in self._constants if low <= value <= high]
            return _overwrite_with_edges(found, [*ends, *inside] if self._plan.edges else ())
        found = np.asarray(self._plan.scale * rng.standard_normal(shape))
        top = float(ml_dtypes.finfo(real_part(spec.dtype)).max)
        edges = [*self._plan.edges, *self._constants]
        edges = [edge for edge in edges if not top < abs(edge) < np.inf]
        return _overwrite_with_edges(found, edges)


def _overwrite_with_edges(found: np.ndarray, edges: Sequence[float]) -> np.ndarray:
    """Overwrite the first elements of an array with edge values such as zero and NaN."""
    flat = found.reshape(-1)
    count = min(len(edges), flat.size)
    flat[:count] = edges[:count]
    return flat.reshape(found.shape)


_ROLES: Mapping[str, str] = {
    "length": r"len|count|size|num",
    "segment": r"segment",
    "index": r"ids?\b|_ids?|idx|index|indices|label|class|token|row|col|y_true|target",
}


def _role(name: str) -> str:
    """Guess the role of an integer argument, such as an index or a count, from its name."""
    return next((role for role, words in _ROLES.items() if re.search(words, name)), "")


def _offset(name: str) -> int:
    """Return a number, different for each size name, that keeps generated sizes apart.

    It is 0 for the most common names.
    """
    return 0 if name in ("n", "axis0", "batch", "b") else 1 + zlib.crc32(name.encode()) % 3


def _dtype(name: str, signature: str = "") -> np.dtype:
    try:
        return np.dtype(getattr(ml_dtypes, name, None) or name)
    except TypeError:
        near = difflib.get_close_matches(name, _DTYPES, n=1)
        hint = f"; did you mean `{near[0]}`?" if near else "."
        message = f"--inputs: there is no type `{name}`{hint}"
        raise DiffError(message, signature, name) from None
