"""Parity: three lanes, what was expected of them, and TensorFlow's answers from a file."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from tf2jax_port.cli.parity import MOST_BYTES, parity
from tf2jax_port.diff.parity import operators, showing
from tf2jax_port.diff.parity.answers import Recorded, fingerprint, store
from tf2jax_port.diff.parity.points import named
from tf2jax_port.diff.processes.running import Running
from tf2jax_port.diff.values.attempt import Failure
from tf2jax_port.diff.vocabulary.lanes import TF_GRAPH, TF_XLA

from .test_command import CASES, NEW, OLD

GOLDEN = Path(__file__).parents[1] / "parity/operators.golden"
AGAIN = "tf2jax-port parity --record tests/parity/operators.golden"


@pytest.fixture(scope="module")
def recorded():
    return Recorded(GOLDEN)


def test_the_file_is_small_and_answers_what_is_asked_today(recorded):
    assert GOLDEN.stat().st_size < MOST_BYTES
    stale = []
    for name, points in named().items():
        kept = recorded._rows.get(name, {})
        stale += [p.id for p in points if kept.get(p.case.id, {}).get("inputs") != fingerprint(p)]
    cases = sum(map(len, named().values()))
    assert len(stale) <= 0.1 * cases, f"{len(stale)} of {cases} are stale, run {AGAIN}: {stale[:5]}"


def test_it_runs_without_tensorflow(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "tensorflow", None)
    words = ["--only", "abs", "--only", "boolean_mask", "--golden", str(GOLDEN)]
    done = CliRunner().invoke(parity, [*words, "--json", str(tmp_path / "out.json")])
    assert done.exit_code == 0, done.output
    data = json.loads((tmp_path / "out.json").read_text())
    assert [line["lanes"] for line in data["totals"]] == [
        "TF graph and TF XLA",
        "TF graph and JAX jit",
        "TF XLA and JAX jit",
    ]
    assert all(line["same"] and not line["unexpected"] for line in data["totals"])


def test_what_nobody_expected_is_said(recorded):
    points = named(["reduce_max"])["reduce_max"]

    def other(points):
        lanes = recorded.lanes(points)
        changed = {k: [a + 1 for a in v] for k, v in lanes[TF_GRAPH.id].items()}
        return {TF_GRAPH.id: changed, TF_XLA.id: changed}

    states = operators.compare(points, other)[1]
    odd = [s for s in states if s.unexpected]
    assert {s.pair[1] for s in odd} == {"tf-xla", "jax-jit"}
    told = showing.lines({"reduce_max": states})
    assert told[-1] == (
        "reduce_max, all cases: TF graph and TF XLA: this known difference no longer occurs: differs: NaN is dropped"
    )
    assert "TF graph and JAX jit: differs: " in told[4]
    as_recorded = operators.compare(points, recorded.lanes)[1]
    assert not any(s.unexpected for s in as_recorded)
    assert any(s.state == operators.DIFFERS and s.known for s in as_recorded)


def test_what_a_device_has_nothing_for_is_no_news(recorded, monkeypatch):
    points = named(["abs"])["abs"][:1]
    for reason, is_news in (("no kernel for integers on this device.", False), ("lost", True)):
        failure = Failure("UnimplementedError", reason)
        answers = {p.case.id: failure for p in points}
        monkeypatch.setattr(operators, "in_jax", lambda _, answers=answers: answers)
        states = operators.compare(points, recorded.lanes)[1]
        assert any(s.unexpected for s in states) == is_news


def test_answers_survive_a_file(tmp_path):
    points = named(["abs"])["abs"][:3]
    ids = [p.case.id for p in points]
    graph = {
        ids[0]: [np.float32([[1, -0.0]]), np.int8(3)],
        ids[1]: [np.array([1 + 2j])],
        ids[2]: [np.zeros((0, 2), bool)],
    }
    xla = {ids[0]: graph[ids[0]], ids[1]: Failure("E", "no kernel"), ids[2]: [np.zeros(0)]}
    path = tmp_path / "file"
    store(path, {"abs": (points, {TF_GRAPH.id: graph, TF_XLA.id: xla})}, MOST_BYTES)
    found = Recorded(path).lanes(named(["abs"])["abs"])
    for case, arrays in graph.items():
        for a, b in zip(found[TF_GRAPH.id][case], arrays, strict=True):
            assert (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes())
    assert found[TF_XLA.id][ids[1]] == Failure("recorded", "no kernel")
    assert found[TF_XLA.id][ids[2]][0].shape == (0,)
    rest = {p.case.id for p in named(["abs"])["abs"]} - set(ids)
    assert all(found[TF_GRAPH.id][case].kind == "stale" for case in rest)


def test_a_crash_costs_the_lane_of_one_operator(monkeypatch):
    points = named(["abs"])["abs"][:1]
    answer = {TF_GRAPH.id: {points[0].case.id: [np.float32(1)]}}

    class Process:
        def __init__(self, program):
            assert program == "tf2jax_port.diff.parity.worker"

        def send(self, message):
            self.lanes = message[2]

        def receive(self, seconds):
            if TF_XLA.id in self.lanes:
                raise EOFError
            return answer

        def wait(self):
            return -11, ""

        def end(self):
            pass

    monkeypatch.setattr(operators, "Running", Process)
    side = operators.TensorFlow()
    found = side.lanes(points)
    assert found[TF_GRAPH.id] == answer[TF_GRAPH.id]
    assert found[TF_XLA.id][points[0].case.id].reason == "TensorFlow crashed (SIGSEGV)"


def test_a_process_that_says_nothing_is_ended():
    running = Running("tf2jax_port.diff.parity.worker")
    with pytest.raises(TimeoutError):
        running.receive(0.2)
    assert running.wait()[0] == -9


def test_an_operator_that_is_none():
    done = CliRunner().invoke(parity, ["--only", "reduce_maks", "--golden", str(GOLDEN)])
    assert done.exit_code == 2
    assert done.stderr.startswith(
        "--only reduce_maks: there is no operator with this name.\n  Near:     reduce_"
    )


def test_a_function_and_its_port(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name, text in (("old.py", OLD), ("new.py", NEW), ("cases.py", CASES)):
        Path(name).write_text(text)
    words = ["old.py:total", "new.py:total", "--inputs", "cases.py"]
    done = CliRunner().invoke(parity, words)
    assert done.exit_code == 1, done.output
    assert done.stdout.splitlines()[1:3] == [
        "TF graph and TF XLA     equal (6 compared)",
        "TF graph and JAX jit    different: d/d x (ones) of case 0: values differ (6 compared)",
    ]
    assert CliRunner().invoke(parity, words[:2]).stderr == (
        "parity: OLD, NEW and --inputs must be used together.\n"
    )
