"""The benchmarks' own arithmetic: ratios, goals, and the page that they write."""

import pytest

from benchmarks import page
from benchmarks.timing import Result, compare, in_turns, say


def test_ratios_and_goals():
    times = {"ours": 0.002, "fast": 0.001, "slow": 0.01}
    found = compare("q", times, "ours", {"fast": 1.0, "slow": 1.0})
    assert [(row.against, row.ours, row.theirs, row.ratio, row.met) for row in found] == [
        ("fast", "2 ms", "1 ms", pytest.approx(2.0), False),
        ("slow", "2 ms", "10 ms", pytest.approx(0.2), True),
    ]
    assert compare("q", times, "ours", {"fast": None})[0].met


def test_units():
    assert [say(value) for value in (2.5, 0.0125, 3e-6)] == ["2.5 s", "12.5 ms", "3 us"]


def test_candidates_take_turns():
    calls = []
    times = in_turns(
        {"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, rounds=2, warm=1, repeat=2
    )
    assert "".join(calls) == "ab" + "aabb" * 2
    assert set(times) == {"a", "b"}


def test_the_page_keeps_everything_outside_its_markers():
    row = Result("q", "them", "1 s", "2 s", 0.5, 1.0)
    missed = Result("r", "them", "2 s", "1 s", 2.0, 1.0)
    text = f"before\n{page.BEGIN}\nold\n{page.END}\nafter\n"
    written = page.replace_block(text, page.table([row, missed], "a machine"))
    assert written == (
        f"before\n{page.BEGIN}\n"
        "Measured on a machine.\n\n"
        "| question | against | ours | theirs | ratio | goal |\n"
        "|---|---|---|---|---|---|\n"
        "| q | them | 1 s | 2 s | 0.5 | at most 1 |\n"
        "| r | them | 2 s | 1 s | 2 | at most 1, missed |\n"
        f"{page.END}\nafter\n"
    )


def test_a_page_without_markers_is_refused():
    with pytest.raises(ValueError, match=r"performance.md has lost its markers"):
        page.replace_block("no markers here", "block")


def test_the_real_page_has_its_markers():
    text = page.PAGE.read_text()
    assert page.replace_block(text, "x") != text
