"""The benchmarks' own arithmetic: ratios, spreads, verdicts, regressions, and the page that they write."""

import dataclasses
import importlib
import math
import random
import statistics
import time

import jax
import numpy as np
import pytest

from benchmarks import __main__ as benchmarks
from benchmarks import idleness, page, peak_memory, plot
from benchmarks.timing import Result, compare, in_turns, say, spread

TIMED = Result("q", "them", "1 s", "2 s", 0.5, 1.0, (0.45, 0.55))
COUNT = Result("compilations", "(a count)", "9", "", 9.0, 12.0)


def test_ratios_and_goals():
    times = {"ours": [0.002] * 9, "fast": [0.001] * 9, "slow": [0.01] * 9}
    found = compare("q", times, "ours", {"fast": 1.0, "slow": 1.0})
    assert [(row.against, row.ours, row.theirs, row.ratio, row.verdict) for row in found] == [
        ("fast", "2 ms", "1 ms", pytest.approx(2.0), "missed"),
        ("slow", "2 ms", "10 ms", pytest.approx(0.2), "met"),
    ]
    assert not compare("q", times, "ours", {"fast": None})[0].verdict


def test_a_slow_moment_of_the_machine_is_no_spread():
    """Both take ten times as long in two rounds of nine."""
    slow = [1, 1, 10, 1, 1, 1, 10, 1, 1]
    times = {"ours": [0.002 * s for s in slow], "theirs": [0.004 * s for s in slow]}
    (row,) = compare("q", times, "ours", {"theirs": 1.0})
    assert row.spread == pytest.approx((0.5, 0.5))


@pytest.mark.parametrize(("rounds", "outer"), [(5, 0), (8, 0), (30, 7), (200, 81)])
def test_a_spread_leaves_out_the_outer_rounds(rounds, outer):
    ratios = random.Random(0).sample(range(rounds), rounds)
    assert spread(ratios) == (outer, rounds - 1 - outer)


def test_a_spread_contains_the_true_median():
    draw, missed = random.Random(1), 0
    for _ in range(1000):
        low, high = spread([math.exp(draw.gauss(0, 0.3)) for _ in range(21)])
        missed += not low <= 1 <= high
    assert missed <= 20


def test_verdicts():
    of = lambda low, high, others=0.0: dataclasses.replace(
        TIMED, ratio=(low + high) / 2, spread=(low, high), others=others
    )
    assert of(0.8, 0.9).verdict == "met"
    assert of(1.1, 1.3).verdict == "missed"
    assert of(0.9, 1.1).verdict == "noisy"  # the goal lies within the spread
    assert of(0.8, 0.9, others=0.5).verdict == of(1.1, 1.3, others=0.5).verdict == "noisy"
    assert dataclasses.replace(COUNT, others=0.5).verdict == "met"  # a count is exact
    assert dataclasses.replace(COUNT, ratio=13.0, others=0.5).verdict == "missed"


def test_regressions_are_beyond_both_spreads():
    def after(ratio, low, high, others=0.0):
        return [dataclasses.replace(TIMED, ratio=ratio, spread=(low, high), others=others)]

    assert not page.regressions(after(0.54, 0.5, 0.6), [TIMED])
    assert page.regressions(after(0.7, 0.6, 0.8), [TIMED])
    assert not page.regressions(after(0.7, 0.6, 0.8, others=0.5), [TIMED])
    assert not page.regressions(after(0.7, 0.6, 0.8), [dataclasses.replace(TIMED, question="r")])
    more = dataclasses.replace(COUNT, ratio=10.0, ours="10")
    assert page.regressions([more], [COUNT]) == [(more, COUNT)]


def test_exit_codes():
    missed = dataclasses.replace(TIMED, ratio=1.2, spread=(1.1, 1.3))
    noisy = dataclasses.replace(TIMED, others=0.5)
    undecided = dataclasses.replace(TIMED, ratio=1.0, spread=(0.9, 1.1))
    assert benchmarks.code_of([TIMED, COUNT, undecided], 0) == 0
    assert benchmarks.code_of([TIMED, missed], 0) == 1
    assert benchmarks.code_of([TIMED], 1) == 1
    assert benchmarks.code_of([TIMED, noisy], 0) == 3


def test_units():
    assert [say(value) for value in (2.5, 0.0125, 3e-6)] == ["2.5 s", "12.5 ms", "3 us"]


def test_candidates_take_turns():
    calls = []
    times = in_turns(
        {"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, rounds=2, warm=1, repeat=2
    )
    assert "".join(calls) == "ab" + "aabb" * 2
    assert {name: len(found) for name, found in times.items()} == {"a": 2, "b": 2}


def test_what_others_take_is_measured(monkeypatch):
    readings = iter([(100.0, 2), (104.0, 2)])
    own, clock = iter([10.0, 11.0]), iter([0.0, 2.0])
    monkeypatch.setattr(idleness, "_busy", lambda: next(readings))
    monkeypatch.setattr(idleness, "_own", lambda: next(own))
    monkeypatch.setattr(time, "perf_counter", lambda: next(clock))
    with idleness.watched() as shares:
        pass
    assert shares == [
        pytest.approx(3 / 4)
    ]  # of four seconds of work on two processors, one is ours


def test_the_page_keeps_everything_outside_its_markers():
    missed = dataclasses.replace(TIMED, question="r", ratio=2.0, spread=(1.8, 2.2))
    text = f"before\n{page.BEGIN}\nold\n{page.END}\nafter\n"
    written = page.replace_block(text, page.table([TIMED, missed, COUNT], "a machine"))
    assert written == (
        f"before\n{page.BEGIN}\n"
        "Measured on a machine.\n\n"
        "| question | against | ours | theirs | ratio | spread | goal |\n"
        "|---|---|---|---|---|---|---|\n"
        "| q | them | 1 s | 2 s | 0.5 | 0.45 to 0.55 | at most 1 |\n"
        "| r | them | 1 s | 2 s | 2 | 1.8 to 2.2 | at most 1, missed |\n"
        "| compilations | (a count) | 9 |  | 9 |  | at most 12 |\n"
        f"{page.END}\nafter\n"
    )
    assert page.last_table(written) == ("a machine", [TIMED, missed, COUNT])


def test_a_page_without_markers_is_refused():
    with pytest.raises(ValueError, match=r"performance.md has lost its markers"):
        page.replace_block("no markers here", "block")


def test_the_real_page_is_read():
    """Rows that were written without a spread get one."""
    _, rows = page.last_table(page.PAGE.read_text())
    assert {"met", "missed", "noisy"} >= {row.verdict for row in rows if row.goal is not None}
    assert all(row.range[0] <= row.ratio <= row.range[1] for row in rows)
    shown = [plot.panel_of(row) for row in rows]
    assert all(shown.count(panel) >= 5 for panel in plot.PANELS)
    assert shown.count(None) < len(rows) / 4


def test_a_picture_has_a_box_for_each_ratio():
    rows = [dataclasses.replace(TIMED, question=f"eager {n}, 10") for n in ("shape", "sort")]
    text = plot.draw([*rows, COUNT], "eager")
    assert text.count('class="used"') == 2
    assert ">shape<" in text
    assert plot.at(0.5) < plot.at(1.0) < plot.at(2.0)
    assert statistics.mean([plot.at(0.5), plot.at(2.0)]) == pytest.approx(plot.at(1.0))


@pytest.mark.parametrize("folder", ["point_clouds", "proposals", "token_pooling"])
def test_what_is_written_by_hand_computes_the_same(folder):
    example = peak_memory.EXAMPLES[folder]
    cases = importlib.import_module(f"examples.{folder}.cases").cases
    by_hand = getattr(importlib.import_module(example.by_hand), example.function)
    port = getattr(importlib.import_module(f"examples.{folder}.port"), example.function)
    for arguments in cases():
        for made, right in zip(
            jax.tree.leaves(by_hand(*arguments)), jax.tree.leaves(port(*arguments)), strict=False
        ):
            kept = made[: len(right)] if right.ndim else made
            np.testing.assert_allclose(kept, right, rtol=1e-5, atol=1e-6)
