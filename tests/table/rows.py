"""Lanes that compile: one program per row that runs all of its cases."""

from __future__ import annotations

import pytest

from . import cases
from .cases import Point


def points_of(row, keep=cases.succeeds) -> list[Point]:
    """The row's cases that `keep` lets through."""
    return [p for p in cases.POINTS if p.row is row and keep(p)]


def parameters(keep=lambda row: True) -> list:
    """The operators that `keep` lets through, as parameters."""
    return [pytest.param(row, id=row.name) for row in cases.operators() if row.inputs and keep(row)]


def report(problems: dict[str, str]) -> None:
    """Fails with all that went wrong."""
    assert not any(problems.values()), "\n".join(f"{k}: {v}" for k, v in problems.items() if v)
