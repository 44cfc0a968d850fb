"""The last verdicts of a pair are kept and shown, and nothing else depends on them."""

from __future__ import annotations

import dataclasses

from tf2jax_port.cli.history import VARIABLE, earlier_runs

from .reports import report


def test_the_last_verdicts_of_a_pair_are_shown(tmp_path, monkeypatch):
    file = tmp_path / "folder" / "history.json"
    monkeypatch.setenv(VARIABLE, str(file))
    wrong = report("different")
    right = dataclasses.replace(report("equal"), old=wrong.old, new=wrong.new)
    assert earlier_runs(wrong, "cases.py", 1000.0) == []
    (line,) = earlier_runs(right, "cases.py", 1130.0)
    assert line.startswith(
        "2 minutes ago: not equal: the gradient for x is 1, should be 0 at [0] (R "
    )
    assert earlier_runs(right, "other.py", 1131.0) == []
    assert [run.split(":")[0] for run in earlier_runs(right, "cases.py", 1130.5)] == [
        "2 minutes ago",
        "just now",
    ]
    for n in range(20):
        assert len(earlier_runs(right, "cases.py", 2000.0 + n)) <= 4


def test_no_history_is_no_error(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, "")
    assert earlier_runs(report("equal"), "") == earlier_runs(report("equal"), "") == []
    broken = tmp_path / "history.json"
    broken.write_text("no JSON")
    monkeypatch.setenv(VARIABLE, str(broken))
    assert earlier_runs(report("equal"), "") == []
    assert len(earlier_runs(report("equal"), "")) == 1
    monkeypatch.setenv(VARIABLE, str(tmp_path / "history.json" / "beneath"))
    assert earlier_runs(report("equal"), "") == earlier_runs(report("equal"), "") == []
