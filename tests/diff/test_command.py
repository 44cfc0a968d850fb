"""`tf2jax-port diff` from outside: exit codes, files, messages."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tf2jax_port.cli.diff import diff

ROOT = Path(__file__).parents[2]

OLD = """
import tensorflow as tf
def total(x): return tf.reduce_sum(tf.abs(x))
def half(x): return 0.5 * x
"""
NEW = """
import jax.numpy as jnp
def total(x): return jnp.sum(jnp.abs(x))
def half(x): return 0.5 * x
"""
CASES = """
import numpy as np
def cases():
    yield (np.array([0, 1, -2], np.float32),)
    yield (np.array([0.5, 3], np.float32),)
def bad():
    yield 1
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, text in (("old.py", OLD), ("new.py", NEW), ("cases.py", CASES)):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


def invoke(*arguments: str):
    # In this process, where TensorFlow is imported already.
    return CliRunner().invoke(diff, ("--no-isolate", *arguments))


def call(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3"}
    program = "from tf2jax_port.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", program, "diff", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_equal_is_0(folder):
    done = call(folder, "old.py:half", "new.py:half", "--inputs", "cases.py")
    assert done.returncode == 0, done.stderr
    assert "EQUAL" in done.stdout


def test_different_is_1_and_both_files_are_written(folder):
    done = call(
        folder,
        "old.py:total",
        "new.py:total",
        *("--inputs", "cases.py", "--json", "out.json", "--html", "out.html"),
    )
    assert done.returncode == 1, done.stderr
    assert "Written: out.json" in done.stdout
    assert "Written: out.html" in done.stdout
    data = json.loads((folder / "out.json").read_text())
    assert (data["verdict"], data["stage"]) == ("different", "gradients")
    assert data["reproduce"] == (
        "tf2jax-port diff old.py:total new.py:total --inputs cases.py --seed 0 --no-x64 --locate "
        "--case 0"
    )
    page = (folder / "out.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "The first divergence" in page  # a page asks for the first divergence, too


def test_what_cannot_run_is_2(folder):
    done = call(folder, "old.py:nothing", "new.py:half", "--inputs", "cases.py")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "old.py:nothing: there is no `nothing` in old.py."


def test_the_command_that_is_printed_does_it_again(folder):
    arguments = ("old.py:total", "new.py:total", "--inputs", "cases.py", "--json", "a.json")
    assert invoke(*arguments).exit_code == 1
    words = json.loads((folder / "a.json").read_text())["reproduce"].split()
    assert words[:2] == ["tf2jax-port", "diff"]
    again = invoke(*words[2:], "--json", "b.json")
    assert again.exit_code == 1
    assert len(json.loads((folder / "b.json").read_text())["cases"]) == 1


def test_one_case_of_many(folder):
    assert (
        invoke("old.py:total", "new.py:total", "--inputs", "cases.py", "--case", "1").exit_code == 0
    )
    done = invoke("old.py:total", "new.py:total", "--inputs", "cases.py", "--case", "7")
    assert done.exit_code == 2
    assert (
        done.stderr
        == "--case 7: there is no case with this number.\n  Required: a number from 0 to 1\n"
    )


def test_cases_under_another_name(folder):
    done = invoke("old.py:half", "new.py:half", "--inputs", "cases.py:bad")
    assert done.exit_code == 2
    assert "cases(): case 0 is not a tuple of arguments." in done.stderr


def test_without_inputs(folder):
    done = invoke("old.py:half", "new.py:half")
    assert done.exit_code == 2
    assert "Missing option '--inputs'" in done.stderr


def test_without_tensorflow(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorflow", None)
    done = invoke("old.py:half", "new.py:half", "--inputs", "cases.py")
    assert done.exit_code == 2
    assert "pip install tensorflow" in done.stderr


def test_a_report_that_has_no_folder(folder, monkeypatch):
    monkeypatch.setattr("tf2jax_port.cli.diff._run", None)  # nothing runs before that is said
    done = invoke(
        *("old.py:half", "new.py:half", "--inputs", "cases.py", "--json", "nowhere/out.json")
    )
    assert done.exit_code == 2
    assert done.stderr == (
        "nowhere/out.json: the report cannot be written.\n  Received: there is no such folder\n"
    )


def test_a_report_that_cannot_be_written(folder):
    (folder / "out.json").mkdir()
    done = invoke("old.py:half", "new.py:half", "--inputs", "cases.py", "--json", "out.json")
    assert done.exit_code == 2
    assert done.stderr == (
        "out.json: the report cannot be written.\n"
        "  Received: [Errno 21] Is a directory: 'out.json'\n"
    )


def test_an_interrupt_is_not_a_difference(folder, monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr("tf2jax_port.cli.diff.require_tensorflow", interrupted)
    done = invoke("old.py:half", "new.py:half", "--inputs", "cases.py")
    assert done.exit_code == 130
    assert done.stderr == "diff: interrupted, so there is no verdict.\n"


def test_a_fault_of_ours_is_not_a_difference(folder, monkeypatch):
    def broken():
        raise AssertionError("ours")

    monkeypatch.setattr("tf2jax_port.cli.diff.require_tensorflow", broken)
    done = invoke("old.py:half", "new.py:half", "--inputs", "cases.py")
    assert done.exit_code == 2
    assert done.stderr.endswith(
        "AssertionError: ours\n\ndiff: this is an error in tf2jax-port itself, not in the port.\n"
    )


def test_importing_the_command_loads_no_framework():
    program = (
        "import sys, tf2jax_port.cli.diff\n"
        "print([m for m in ('tensorflow', 'jax', 'shims') if m in sys.modules])"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
