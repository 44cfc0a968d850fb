"""Faithful ports are equal: nobody is blamed for rounding."""

from __future__ import annotations

import pytest

from .pair import Pair, run
from .ports import PORTS


@pytest.mark.parametrize("pair", PORTS, ids=lambda pair: pair.id)
def test_is_equal(pair: Pair):
    report = run(pair)
    assert (report.verdict, report.stage) == ("equal", None), report.headline + "".join(
        f"\n  {reason.text}" for reason in report.reasons
    )
    assert report.exit_code == 0
    assert report.counts["comparisons"] > 0


def test_ids_are_unique():
    assert len({pair.id for pair in PORTS}) == len(PORTS)
