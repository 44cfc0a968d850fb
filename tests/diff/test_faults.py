"""Planted faults are found, at the right stage, in a lane of the port, with the worst element."""

from __future__ import annotations

import pytest

from .faults import FAULTS
from .pair import Pair, run

OLD, NEW = {"tf-eager", "tf-graph", "tf-xla"}, {"jax-eager", "jax-jit"}


@pytest.mark.parametrize("pair", FAULTS, ids=lambda pair: pair.id)
def test_is_found(pair: Pair):
    report = run(pair)
    said = report.headline + "".join(f"\n  {reason.text}" for reason in report.reasons)
    assert (report.verdict, report.stage) == ("different", pair.stage), said
    assert report.exit_code == 1
    assert report.culprit is not None
    assert report.culprit.reference in OLD
    assert report.culprit.lane in NEW
    differing = [p for p in report.pairs if p.state == "different"]
    if report.culprit.quantity.kind != "structure":
        assert {"tf-eager", "jax-eager"} in [set(p.lanes) for p in differing]
        assert not [p for p in differing if set(p.lanes) <= OLD], "the original agrees with itself"


def test_there_are_enough_and_none_twice():
    assert len(FAULTS) >= 20
    assert len({pair.id for pair in FAULTS}) == len(FAULTS)
