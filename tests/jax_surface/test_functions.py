"""Call public functions of JAX over selections and sizes: no cell is worse than the scorecard says.

A few functions, in two lanes, run at every change; `make test-long` runs all functions in all lanes.
"""

import functools
import json
import pathlib

import pytest

from tools.jax_scorecard.cases import cases
from tools.jax_scorecard.judging import RANK
from tools.jax_scorecard.lanes import LANES
from tools.jax_scorecard.surface import by_name, functions
from tools.jax_scorecard.worker import cell

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "jax-scorecard.json"
CALLED = [f.name for f in functions() if not f.outside]
# `hyp2f1` compiles for more than a minute: only the long run has it.
SAMPLE = [name for name in CALLED[::72] if not name.endswith(".hyp2f1")]


@functools.cache
def _states():
    lines = json.loads(PAGE.read_text())["functions"]
    return {line["name"]: line.get("cases", {}) for line in lines}


def _assert_no_worse(name, lane, case):
    known = _states()[name].get(case.label, {}).get(lane)
    if known is None:
        return  # the page says nothing of it yet
    found = cell(case, lane)
    if found["state"] == "n/a":
        return
    known = max(known, "refused", key=lambda state: RANK.get(state, 0))
    assert RANK[found["state"]] <= RANK[known], (name, case.label, lane, found)


@pytest.mark.parametrize("name", SAMPLE)
def test_a_call_of_a_few_functions(name):
    for case in cases(by_name()[name])[:1]:
        for lane in ("function", "jit"):
            _assert_no_worse(name, lane, case)


@pytest.mark.long
@pytest.mark.parametrize("name", CALLED)
def test_all_calls(name):
    for case in cases(by_name()[name]):
        for lane in LANES:
            _assert_no_worse(name, lane, case)
