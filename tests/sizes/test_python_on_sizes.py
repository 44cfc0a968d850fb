"""Python's operators and builtins over sizes give what they give over integers, or a clear error.

The programs are made by rule, see `python_sweep/cases.py`; `tools/python_on_sizes.py` writes the page of them.
"""

import pathlib
import zlib

import pytest

from tests.sizes.python_sweep import cases, running

# The enclosing trace is left to the long run: it compiles each program again.
_QUICK_LANES = ("function", "function, as written")
_ONE_IN = 140
_CHUNK = 60

PAIRS = [(case, lane) for case in cases.cases() for lane in running.lanes_of(case)]


def _name(case, lane) -> str:
    return f"{case.size}: {case.shown}, {lane}"


def _findings(pairs, folder: pathlib.Path) -> list[str]:
    module = running.load([case for case, _ in pairs], folder)
    found = []
    for number, (case, lane) in enumerate(pairs):
        outcomes = running.outcomes(getattr(module, f"program_{number}"), lane, case)
        found += [
            f"{_name(case, lane)}, {selection}: {state}"
            for selection, state in outcomes.items()
            if not running.is_allowed(state)
        ]
    return found


def test_a_part(tmp_path):
    part = [
        (case, lane)
        for case, lane in PAIRS
        if lane in _QUICK_LANES and zlib.crc32(_name(case, lane).encode()) % _ONE_IN == 0
    ]
    assert len(part) > 20
    assert _findings(part, tmp_path) == []


@pytest.mark.long
@pytest.mark.parametrize("start", range(0, len(PAIRS), _CHUNK))
def test_everything(start, tmp_path):
    assert _findings(PAIRS[start : start + _CHUNK], tmp_path) == []


def test_a_wrong_result_is_found(tmp_path):
    case = cases.Case("fresh", "none", "", "r = isinstance(x, jax.core.Tracer)")
    module = running.load([case], tmp_path)
    states = running.outcomes(module.program_0, "dynamic", case)
    assert all(state.startswith("wrong") for state in states.values())


def test_an_unclear_error_is_found(tmp_path):
    body = "if isinstance(x, jax.core.Tracer):\n    raise OSError\nr = 1"
    case = cases.Case("fresh", "none", "", body)
    module = running.load([case], tmp_path)
    states = running.outcomes(module.program_0, "dynamic", case)
    assert all(state.startswith("unclear") for state in states.values())
