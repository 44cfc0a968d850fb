"""The page of Python's operators over sizes is made from its data, and adds up."""

import collections
import json

from tests.sizes.python_sweep import running
from tools import python_on_sizes as sweep

DATA = json.loads((sweep.DOCS / "python-on-sizes.json").read_text())
MAKE = "run `make python-on-sizes`"


def test_the_page_is_made_from_the_data():
    assert (sweep.DOCS / "python-on-sizes.md").read_text() == sweep.as_page(DATA), MAKE


def test_the_programs_are_those_of_the_sources():
    assert DATA["programs"] == sweep.fingerprint(), MAKE
    assert DATA["cells"] == len(sweep.all_cells()), MAKE


def test_totals_count_the_cells_that_are_not_right():
    listed = collections.Counter(
        sweep.state_of(text) for cell in DATA["not right"] for text in cell["states"].values()
    )
    total: collections.Counter = collections.Counter()
    for lanes in DATA["totals"].values():
        for count in lanes.values():
            total.update(count)
    assert total.pop("right") > 0
    assert total == listed


def test_the_page_shows_findings_and_refusals():
    def record(lane, **states):
        names = {"size": "fresh", "group": "binary", "program": "n / o"}
        return {**names, "lane": lane, "key": lane, "states": states}

    records = [
        record("jit", some="wrong: 1, not 2", none="right"),
        record("dynamic", some="refused: no\n  At:       a.py:1  r\n  Do:       write g"),
    ]
    page = sweep.as_page(sweep.as_data(records, 2))
    assert "- `n / o` (fresh), jit: some: wrong: 1, not 2\n" in page
    assert "- 1 (lanes: dynamic). Message: no Do: write g. Examples: `n / o` (fresh)\n" in page
    assert len(running.LANES) == 5
