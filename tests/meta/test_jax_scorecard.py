"""The scorecard of JAX names every public function, adds up, and judges what it is shown."""

import json
import pathlib

import numpy as np
import pytest

from tests.meta.tree import ROOT
from tools.jax_scorecard import judging, page
from tools.jax_scorecard.surface import functions

DOCS = pathlib.Path(ROOT) / "docs"
DATA = json.loads((DOCS / "jax-scorecard.json").read_text())
MAKE = "run `make jax-scorecard`"


def test_the_page_is_made_from_the_data():
    assert (DOCS / "jax-scorecard.md").read_text() == page.as_page(DATA), MAKE


def test_every_public_function_has_a_line():
    assert [line["name"] for line in DATA["functions"]] == [f.name for f in functions()], MAKE


def test_the_calls_are_those_of_the_sources():
    assert DATA["calls"] == page.fingerprint(), MAKE


def test_totals_are_sums_of_cells():
    cells = [
        (lane, state)
        for line in DATA["functions"]
        for case in line.get("cases", {}).values()
        for lane, state in case.items()
    ]
    assert cells
    for lane, totals in DATA["totals"].items():
        for state, number in totals.items():
            assert number == cells.count((lane, state)), (lane, state)


@pytest.mark.parametrize(
    ("found", "state"),
    [
        (np.float32([1, 2]), "right"),
        (np.float32([1, 2.001]), "wrong"),
        (np.float32([1, 2, 0]), "wrong"),
        (np.float64([1, 2]), "wrong"),
        (np.float32([np.nan, np.nan]), "nan"),
        (np.float32([1, np.nan]), "nan"),
        (np.float32([3, np.nan]), "wrong"),
    ],
)
def test_results_are_judged_by_the_exact_arrays(found, state):
    assert judging.judged(lambda: found, np.float32([1, 2]), rows=False)[0] == state


def test_errors_are_judged_by_what_they_say():
    def raises(text):
        def call():
            raise TypeError(text)

        return judging.judged(call, np.float32(1), rows=False)[0]

    assert raises("no\n  At:       a.py:1  f(x)\n  Do:       write g") == "refused"
    assert raises("no\n  At:       a.py:1  f(x)") == "unclear"


def test_a_number_in_place_of_an_error_is_a_finding():
    assert judging.judged(lambda: np.float32(1), ValueError("empty"), rows=False)[0] == "no error"
