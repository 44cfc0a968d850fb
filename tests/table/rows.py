"""Lanes that compile: one program per row that runs all of its cases."""

from __future__ import annotations

import zlib

import pytest

from . import cases
from .cases import Point


def points_of(row, keep=cases.succeeds) -> list[Point]:
    """The row's cases that `keep` lets through."""
    return [p for p in cases.POINTS if p.row is row and keep(p)]


def parameters(keep=lambda row: True, *, every: int = 1) -> list:
    """The operators that `keep` lets through, as parameters.

    Args:
      keep: which operators have the test.
      every: one in how many is tested at every change, those of fresh sizes always; the others
        belong to `make test-long`.
    """
    kept = [row for row in cases.operators() if row.inputs and keep(row)]
    return [
        pytest.param(row, id=row.name, marks=() if _is_due(row, every) else pytest.mark.long)
        for row in kept
    ]


def names(always, *, every: int) -> list:
    """The names of all operators as parameters: of those that are not `always` tested, one in `every`."""
    return [
        pytest.param(row.name, marks=() if always(row) or _is_due(row, every) else pytest.mark.long)
        for row in cases.operators()
        if row.inputs
    ]


def _is_due(row, every: int) -> bool:
    return row.fresh or zlib.crc32(row.name.encode()) % every == 0


def report(problems: dict[str, str]) -> None:
    """Fails with all that went wrong."""
    assert not any(problems.values()), "\n".join(f"{k}: {v}" for k, v in problems.items() if v)
