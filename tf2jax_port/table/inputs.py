"""Descriptors of test inputs: what an array looks like, without the array.

The tests realize them with a generator seeded by the case's id, so that a row's inputs never
depend on other rows.
"""

from __future__ import annotations

from dataclasses import dataclass

NAN, INF = float("nan"), float("inf")


@dataclass(frozen=True, slots=True)
class Values:
    """An array that is written out."""

    values: object
    dtype: str = "float32"


@dataclass(frozen=True, slots=True)
class Draw:
    """An array of drawn numbers, uniform in [low, high); `edges` replace its first elements."""

    shape: tuple[int, ...]
    dtype: str = "float32"
    low: float = -2.0
    high: float = 2.0
    edges: tuple[float, ...] = ()


Descriptor = Values | Draw


def f32(values: object) -> Values:
    """A float32 array that is written out."""
    return Values(_frozen(values), "float32")


def i32(values: object) -> Values:
    """An int32 array that is written out."""
    return Values(_frozen(values), "int32")


def bools(values: object) -> Values:
    """A boolean array that is written out; 0 and 1 will do."""
    return Values(_frozen(values), "bool")


def draw(*shape: int, low: float = -2.0, high: float = 2.0, edges: tuple[float, ...] = ()) -> Draw:
    """A float32 array of drawn numbers."""
    return Draw(shape, "float32", low, high, edges)


def draw_ints(*shape: int, low: int = 0, high: int = 5, dtype: str = "int32") -> Draw:
    """An integer array of drawn numbers in [low, high)."""
    return Draw(shape, dtype, low, high)


def empty(*shape: int, dtype: str = "float32") -> Draw:
    """An array without elements."""
    return Draw(shape, dtype)


def _frozen(values: object) -> object:
    return tuple(_frozen(v) for v in values) if isinstance(values, (list, tuple)) else values
