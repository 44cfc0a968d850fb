"""Define descriptors of test inputs, which specify an array without creating it.

The tests create the arrays with a random generator seeded by the id of the test case, so that the
inputs of one table row never depend on other rows.
"""

from __future__ import annotations

from dataclasses import dataclass

NAN, INF = float("nan"), float("inf")


@dataclass(frozen=True, slots=True)
class Values:
    """An array given by its elements."""

    values: object
    dtype: str = "float32"


@dataclass(frozen=True, slots=True)
class Draw:
    """An array of random numbers, uniform in [low, high); `edges` replace its first elements."""

    shape: tuple[int, ...]
    dtype: str = "float32"
    low: float = -2.0
    high: float = 2.0
    edges: tuple[float, ...] = ()


Descriptor = Values | Draw


def f32(values: object) -> Values:
    """Describe a float32 array by its elements."""
    return Values(_freeze(values), "float32")


def i32(values: object) -> Values:
    """Describe an int32 array by its elements."""
    return Values(_freeze(values), "int32")


def bools(values: object) -> Values:
    """Describe a boolean array by its elements, which may be given as 0 and 1."""
    return Values(_freeze(values), "bool")


def draw(*shape: int, low: float = -2.0, high: float = 2.0, edges: tuple[float, ...] = ()) -> Draw:
    """Describe a float32 array of random numbers in [low, high)."""
    return Draw(shape, "float32", low, high, edges)


def draw_ints(*shape: int, low: int = 0, high: int = 5, dtype: str = "int32") -> Draw:
    """Describe an integer array of random numbers in [low, high)."""
    return Draw(shape, dtype, low, high)


def empty(*shape: int, dtype: str = "float32") -> Draw:
    """Describe an array with no elements."""
    return Draw(shape, dtype)


def _freeze(values: object) -> object:
    """Convert nested lists to tuples."""
    return tuple(_freeze(v) for v in values) if isinstance(values, (list, tuple)) else values
