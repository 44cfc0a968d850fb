"""List the test cases of the operator table, with their arguments as arrays."""

from __future__ import annotations

import ast
import dataclasses
import difflib
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tf2jax_port.diff.functions.loading import DiffError
from tf2jax_port.table import ROWS, Case, Keep, Manual, Row
from tf2jax_port.table.inputs import Descriptor, Draw, Values


@dataclasses.dataclass(frozen=True, eq=False)
class Point:
    """A test case of a table row; created only once, so that results can be cached by identity."""

    row: Row
    case: Case

    @property
    def id(self) -> str:
        """A readable identifier such as `boolean_mask-rank2-axis1-nan`."""
        return f"{self.row.name.replace('.', '_')}-{self.case.id}"


def operators() -> list[Row]:
    """Return the table rows that describe functions."""
    return [r for r in ROWS if r.params is not None and not isinstance(r.target, (Keep, Manual))]


POINTS = tuple(Point(row, case) for row in operators() for case in row.inputs)


def points_of(name: str) -> list[Point]:
    """Return the cases of an operator on which TensorFlow raises no error."""
    return [p for p in POINTS if p.row.name == name and succeeds(p)]


def named(names: Sequence[str] = ()) -> dict[str, list[Point]]:
    """Return a dict from operators to the cases on which TensorFlow raises no error.

    names: the operators; empty for all.

    Raises:
      DiffError: there is no such operator.
    """
    found: dict[str, list[Point]] = {}
    for point in filter(succeeds, POINTS):
        found.setdefault(point.row.name, []).append(point)
    for name in names:
        if name not in found:
            near = ", ".join(difflib.get_close_matches(name, found, 3))
            raise DiffError(
                f"--only {name}: there is no operator with this name.\n  Near:     {near}"
            )
    return {name: found[name] for name in names} if names else found


def succeeds(point: Point) -> bool:
    """Return whether TensorFlow raises no error on a case."""
    return not point.case.raises


def realize(descriptor: Descriptor, seed: str) -> np.ndarray:
    """Create the array that a descriptor specifies, reproducibly for a seed."""
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


def arguments(point: Point) -> dict[str, Any]:
    """Return the arguments of a case as a dict; lists of arrays become tuples of NumPy arrays."""
    found: dict[str, Any] = {}
    value: Any
    for name, value in point.case.arguments:
        seed = f"{point.id}-{name}"
        if isinstance(value, Descriptor):
            found[name] = realize(value, seed)
        elif name in point.case.arrays():
            found[name] = tuple(
                realize(v, f"{seed}-{i}") if isinstance(v, Descriptor) else v
                for i, v in enumerate(value)
            )
        else:
            found[name] = value
    return found


def floating(point: Point) -> tuple[str, ...]:
    """Return the names of the arguments with respect to which gradients are computed."""
    if point.case.gradient is not None:
        return point.case.gradient
    given = arguments(point)
    names = []
    for name in point.case.arrays():
        value = given[name] if isinstance(given[name], tuple) else (given[name],)
        if all(np.issubdtype(np.asarray(v).dtype, np.floating) for v in value):
            names.append(name)
    return tuple(names)


def apply(function: Callable[..., Any], row: Row, given: dict[str, Any]) -> Any:
    """Call a function with a dict of arguments; arguments of a `*args` parameter are passed by position."""
    variadic = _parameters(row).vararg
    if variadic is None:
        return function(**given)
    given = dict(given)
    before = [given.pop(p) for p in _before_variadic(row) if p in given]
    return function(*before, *given.pop(variadic.arg), **given)


def _before_variadic(row: Row) -> list[str]:
    return [a.arg for a in _parameters(row).args]


def _parameters(row: Row) -> ast.arguments:
    (definition,) = ast.parse(f"def f({row.params}): pass").body
    assert isinstance(definition, ast.FunctionDef)
    return definition.args
