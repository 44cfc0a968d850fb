"""A TensorFlow function, something that says it is its port, and inputs."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tf2jax_port.diff import compare
from tf2jax_port.diff.report.report import Report

Cases = Callable[[], Iterable[tuple[Any, ...]]]


@dataclass(frozen=True)
class Pair:
    """One row of the tables of ports and faults.

    Attributes:
      id: what is ported, or what is wrong with the port.
      old: the TensorFlow function.
      new: the port.
      cases: the inputs.
      stage: for a fault, the stage at which it must be found.
    """

    id: str
    old: Callable[..., Any]
    new: Callable[..., Any]
    cases: Cases
    stage: str = ""


def run(pair: Pair) -> Report:
    """The report on a pair, with 64-bit types off."""
    return compare(pair.old, pair.new, pair.cases, x64=False)


def normals(*shapes: tuple[int, ...], scale: float = 1.0) -> Cases:
    """Two cases: arrays of these shapes, and arrays with one row more."""

    def cases() -> Iterable[tuple[Any, ...]]:
        rng = np.random.default_rng(7)
        for extra in (0, 1):
            grown = [(shape[0] + extra, *shape[1:]) if shape else () for shape in shapes]
            yield tuple((scale * rng.normal(size=s)).astype(np.float32) for s in grown)

    return cases


def once(*shapes: tuple[int, ...], scale: float = 1.0) -> Cases:
    """The first case of `normals`, enough to find a fault by."""
    return lambda: itertools.islice(normals(*shapes, scale=scale)(), 1)


def given(*calls: tuple[Any, ...]) -> Cases:
    """These argument tuples; Python floats in lists become float32."""
    made = [tuple(_array(argument) for argument in call) for call in calls]
    return lambda: made


def _array(argument: Any) -> Any:
    if not isinstance(argument, list):
        return argument
    array = np.array(argument)
    return array.astype(np.float32) if array.dtype == np.float64 else array
