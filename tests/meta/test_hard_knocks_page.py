"""The page of damaged files and killed writers is made from its data, which counts every kind."""

import json

from tests.hard_knocks import damage, interrupts, kills, threads
from tests.hard_knocks.kinds import KINDS
from tools import hard_knocks

DATA = json.loads((hard_knocks.DOCS / "hard_knocks.json").read_text())
MAKE = "run `make hard-knocks`"


def test_the_page_is_made_from_the_data():
    assert (hard_knocks.DOCS / "hard_knocks.md").read_text() == hard_knocks.as_page(DATA), MAKE


def test_the_data_count_every_kind():
    assert DATA["damage"].keys() == KINDS.keys(), MAKE
    assert DATA["kills"].keys() == DATA["full disks"].keys() == kills.WRITERS.keys(), MAKE
    for ways in DATA["damage"].values():
        assert ways.keys() == set(damage.WAYS), MAKE
    assert sum(DATA["mutants"].values()) == hard_knocks.MUTANTS, MAKE
    assert DATA["interrupts"].keys() == interrupts.PROGRAMS.keys(), MAKE
    assert {sum(found.values()) for found in DATA["interrupts"].values()} == {
        hard_knocks.INTERRUPTS
    }
    assert DATA["threads"].keys() == threads.WRITERS.keys(), MAKE
    assert all(kept == made for kept, made in DATA["threads"].values()), MAKE
    assert (DATA["calls"]["calls"], DATA["calls"]["traces"]) == (hard_knocks.CALLS, 0), MAKE
    assert {files for files, _, _ in DATA["trees"].values()} == {hard_knocks.FILES}, MAKE
