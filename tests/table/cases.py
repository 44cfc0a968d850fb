"""The rows' cases as test parameters."""

from __future__ import annotations

import collections

import pytest

from tf2jax_port.diff.parity.points import (
    POINTS,
    Point,
    apply,
    arguments,
    floating,
    operators,
    realize,
    succeeds,
)

__all__ = [
    "POINTS",
    "Point",
    "apply",
    "arguments",
    "floating",
    "operators",
    "points",
    "realize",
    "succeeds",
]


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
