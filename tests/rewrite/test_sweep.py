"""The sweep of the rewriter by rule: a sample at every change, all programs in `make test-long`."""

import pytest

from tools.rewrite_sweep import page
from tools.rewrite_sweep.programs import all_programs
from tools.rewrite_sweep.runs import records

SAMPLE = ("tile", "linspace", "one_hot")


def _assert_nothing_silent(found):
    wrong = [
        (r, lane) for r in found for lane, s in r["lanes"].items() if s.startswith("different")
    ]
    assert wrong == []


def test_sample():
    found = records([p for p in all_programs() if p.row in SAMPLE][::6])
    _assert_nothing_silent(found)
    assert page.counts(found)["eager"]["equal"] > len(found) / 2
    assert "| lane |" in page.as_page(found, 6)


@pytest.mark.long
def test_every_program():
    _assert_nothing_silent(records(all_programs()))
