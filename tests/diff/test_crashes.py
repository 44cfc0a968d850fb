"""A lane that takes its process down is not covered; the comparison goes on without it."""

from __future__ import annotations

import json
import signal
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from tf2jax_port.cli.diff import diff
from tf2jax_port.diff import compare
from tf2jax_port.diff.functions.loading import load
from tf2jax_port.diff.processes.lane_process import MOST_CRASHES, LaneProcess, how_it_ended
from tf2jax_port.diff.processes.lane_program import Setup
from tf2jax_port.diff.report.as_json import to_json
from tf2jax_port.diff.values.arguments import bind
from tf2jax_port.diff.values.attempt import Failure

# Only the tracing for XLA is not eager and knows sizes: that lane ends in another way at each size.
OLD = """
import os, signal
import tensorflow as tf

def at(x, size):
    return not tf.executing_eagerly() and x.shape[0] == size

@tf.custom_gradient
def tripled(x):
    def backward(dy):
        if at(x, 3): os.kill(os.getpid(), signal.SIGABRT)
        return 3.0 * dy
    return 3.0 * x, backward

def ends(x):
    if at(x, 2): os.kill(os.getpid(), signal.SIGSEGV)
    if at(x, 4): os._exit(7)
    return tripled(x)

def times(x): return 3.0 * x
"""
NEW = """
import os, signal, jax
def times(x): return 3.0 * x
def eager_crash(x):
    if not isinstance(x, jax.core.Tracer): os.kill(os.getpid(), signal.SIGSEGV)
    return 3.0 * x
"""
CASES = """
import numpy as np
def cases():
    for n in (1, 2, 3, 4, 5): yield (np.arange(n, dtype=np.float32) + 0.3,)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, text in (("old.py", OLD), ("new.py", NEW), ("cases.py", CASES)):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


def compared(folder, old, new, exit_code):
    words = (f"old.py:{old}", f"new.py:{new}", "--inputs", "cases.py", "--json", "out.json")
    done = CliRunner().invoke(diff, ("--no-isolate", *words))
    assert done.exit_code == exit_code, done.output
    lanes = json.loads((folder / "out.json").read_text())["covered"]["lanes"]
    return {lane["lane"]: lane for lane in lanes}


def test_a_crash_costs_one_case_and_three_crashes_the_rest(folder):
    assert MOST_CRASHES == 3
    lanes = compared(folder, "ends", "times", 0)
    why = {
        reason["cases"][0]: (reason["what"], reason["why"]) for reason in lanes["tf-xla"]["reasons"]
    }
    assert why == {
        1: ("values", "TensorFlow crashed (SIGSEGV)"),
        2: ("gradients", "TensorFlow crashed (SIGABRT)"),
        3: ("values", "the process exited before it returned a result (exit code 7)"),
        4: ("values", "not run, because the limit of 3 crashes was reached"),
    }
    assert (lanes["tf-xla"]["values"], lanes["tf-xla"]["gradients"]) == (2, 1)
    assert all(lanes[lane]["gradients"] == 5 for lane in lanes if lane != "tf-xla")


@pytest.mark.long
def test_one_process_or_several_give_the_same_numbers(folder):
    words = ("--inputs", "cases.py", "--json", "out.json")
    done = CliRunner().invoke(diff, ("--no-isolate", "old.py:times", "new.py:times", *words))
    assert done.exit_code == 0, done.output
    several = json.loads((folder / "out.json").read_text())
    old, new, cases = (
        load(spec).function for spec in ("old.py:times", "new.py:times", "cases.py:cases")
    )
    one = json.loads(to_json(compare(old, new, cases, x64=False)))
    for part in ("verdict", "lanes", "leaves", "covered", "cases", "contract"):
        assert several[part] == one[part]


def test_a_crash_of_the_port_limits_the_verdict(folder):
    lanes = compared(folder, "times", "eager_crash", 3)
    assert lanes["jax-eager"]["values"] == 0
    assert lanes["jax-eager"]["reasons"][0]["why"] == "JAX crashed (SIGSEGV)"
    assert lanes["jax-jit"]["values"] == 5


def test_what_cannot_be_sent_is_said(folder):
    runner = LaneProcess(Setup("tf-xla", "old.py:times", "cases.py", 0, False, tuple(sys.path)))
    try:
        runner.start(bind(0, (np.float32(1), lambda: 0), lambda x, f: x), {})
        outputs = runner.result().outputs
    finally:
        runner.close()
    assert isinstance(outputs, Failure)
    assert outputs.reason.startswith("the case cannot be sent to another process: ")


@pytest.mark.parametrize(
    ("lane", "code", "words"),
    [
        ("tf-xla", -signal.SIGSEGV, "TensorFlow crashed (SIGSEGV)"),
        ("jax-eager", -signal.SIGABRT, "JAX crashed (SIGABRT)"),
        ("tf-xla", -99, "TensorFlow crashed (signal 99)"),
        ("tf-xla", 0, "the process exited before it returned a result (exit code 0)"),
    ],
)
def test_how_a_process_ended(lane, code, words):
    assert how_it_ended(lane, code) == words
