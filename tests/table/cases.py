"""The rows' cases as test parameters, and their descriptors as arrays."""

from __future__ import annotations

import ast
import collections
import dataclasses
import zlib

import numpy as np
import pytest

from tf2jax_port.table import ROWS, Case, Keep, Manual, Row
from tf2jax_port.table.inputs import Descriptor, Draw, Values


@dataclasses.dataclass(frozen=True, eq=False)
class Point:
    """One case of one row; made once, so that what is computed for it can be kept."""

    row: Row
    case: Case

    @property
    def id(self) -> str:
        """Reads like `boolean_mask-rank2-axis1-nan`."""
        return f"{self.row.name.replace('.', '_')}-{self.case.id}"


def operators() -> list[Row]:
    """The rows that are called."""
    return [r for r in ROWS if r.params is not None and not isinstance(r.target, (Keep, Manual))]


POINTS = tuple(Point(row, case) for row in operators() for case in row.inputs)


def points(keep=lambda point: True, *, first: int | None = None) -> list:
    """The cases that `keep` lets through, as parameters.

    Args:
      keep: which cases have the test.
      first: how many cases of an operator are tested at every change, all of them where sizes are
        fresh; the others belong to `make test-long`.
    """
    found, seen = [], collections.Counter()
    for p in filter(keep, POINTS):
        seen[p.row.name] += 1
        is_due = first is None or p.row.fresh or seen[p.row.name] <= first
        found.append(pytest.param(p, id=p.id, marks=() if is_due else pytest.mark.long))
    return found


def succeeds(point: Point) -> bool:
    """Whether TensorFlow gives an answer."""
    return not point.case.raises


def realise(descriptor: Descriptor, seed: str) -> np.ndarray:
    """The array that a descriptor describes."""
    if isinstance(descriptor, Values):
        return np.asarray(descriptor.values, descriptor.dtype)
    assert isinstance(descriptor, Draw)
    rng = np.random.default_rng(zlib.crc32(seed.encode()))
    dtype = np.dtype(descriptor.dtype)
    if dtype.kind == "b":
        array = rng.integers(0, 2, descriptor.shape).astype(bool)
    elif dtype.kind in "iu":
        array = rng.integers(int(descriptor.low), int(descriptor.high), descriptor.shape)
    else:
        array = rng.uniform(descriptor.low, descriptor.high, descriptor.shape)
    return array.astype(dtype)


def arguments(point: Point) -> dict[str, object]:
    """The arguments of a case by name, arrays as NumPy arrays, lists of arrays as tuples."""
    found = {}
    for name, value in point.case.arguments:
        seed = f"{point.id}-{name}"
        if isinstance(value, Descriptor):
            found[name] = realise(value, seed)
        elif name in point.case.arrays():
            found[name] = tuple(
                realise(v, f"{seed}-{i}") if isinstance(v, Descriptor) else v
                for i, v in enumerate(value)
            )
        else:
            found[name] = value
    return found


def floating(point: Point) -> tuple[str, ...]:
    """The arguments to differentiate."""
    if point.case.gradient is not None:
        return point.case.gradient
    given = arguments(point)
    names = []
    for name in point.case.arrays():
        value = given[name] if isinstance(given[name], tuple) else (given[name],)
        if all(np.issubdtype(np.asarray(v).dtype, np.floating) for v in value):
            names.append(name)
    return tuple(names)


def apply(function, row: Row, given: dict[str, object]):
    """`function(**given)`, where a `*args` parameter is spliced in."""
    variadic = ast.parse(f"def f({row.params}): pass").body[0].args.vararg
    if variadic is None:
        return function(**given)
    given = dict(given)
    before = [given.pop(p) for p in _before_variadic(row) if p in given]
    return function(*before, *given.pop(variadic.arg), **given)


def _before_variadic(row: Row) -> list[str]:
    return [a.arg for a in ast.parse(f"def f({row.params}): pass").body[0].args.args]
