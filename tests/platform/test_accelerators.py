"""What runs on accelerators alone runs here on a CPU that is taken for one."""

import subprocess
import sys

import pytest

from benchmarks import accelerator
from tests.platform.accelerator_checks import CHECKS


def test_checks_hold():
    """Operators are compiled once for a process, so that pretending needs one of its own."""
    command = [sys.executable, "-m", "tests.platform.accelerator_checks", "--pretend"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = run.stdout.splitlines()
    assert lines[0].endswith("taken for accelerator"), run.stderr
    assert lines[1:] == [f"{check.__name__}: held" for check in CHECKS]
    assert run.returncode == 0


def measured(*words):
    command = [sys.executable, "-m", "benchmarks.accelerator", "--write", *words]
    before = accelerator.PAGE.read_text()
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert accelerator.PAGE.read_text() == before
    return run.stdout


def test_nothing_is_measured_without_an_accelerator():
    assert measured().startswith("JAX has no accelerator here: nothing is measured.")


@pytest.mark.long
def test_a_cpu_is_measured_as_one_that_was_taken_for_an_accelerator():
    said = measured("--pretend", "--sizes", "1000")
    assert said.startswith("Measured on one CPU (cpu) that was taken for an accelerator")
    assert "stays as it is: no accelerator was measured" in said
    for name in ("sort", "top_k", "segment_sum", "masked mean", "detection example"):
        assert f"| {name}" in said
    assert "at most" not in said  # the goals are those of an accelerator


def test_the_table_names_the_card():
    text = f"before\n{accelerator.BEGIN}\nold\n{accelerator.END}\nafter\n"
    written = accelerator.write(text, accelerator.table([], "NVIDIA H200"))
    assert written.startswith(f"before\n{accelerator.BEGIN}\nMeasured on one NVIDIA H200, JAX ")
    assert "old" not in written
    assert accelerator.BEGIN in accelerator.PAGE.read_text()
