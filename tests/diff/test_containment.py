"""Nothing that the functions do ends the comparison: crashes, loops, exits, forks, interrupts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tf2jax_port.diff.functions.loading import DiffError
from tf2jax_port.diff.sessions.orders import Order
from tf2jax_port.diff.supervision import supervisor
from tf2jax_port.diff.supervision.supervisor import supervised

ROOT = Path(__file__).parents[2]


@pytest.fixture
def run(monkeypatch):
    monkeypatch.setattr(supervisor, "PROGRAM", "tests.diff.program_of_cases")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))

    def made(
        *only, jobs=1, timeout=20.0, step=lambda done, total, lane: None, old="old", worst=False
    ):
        path = (str(ROOT), *sys.path)
        order = Order(old, "new", "", 0, None, only, None, False, True, worst, path)
        return supervised(order, jobs, timeout, step)

    return made


def why(report):
    return {case: r.why for r in report.reasons if r.what == "inputs" for case in r.cases}


def test_each_case_that_ends_its_process_is_left_out_with_its_reason(run):
    report = run(0, 1, 3, 4, 6)
    assert report.verdict == "limited"
    assert why(report) == {
        1: "the function crashed (SIGSEGV), in JAX jit",
        4: "the function ended its process (exit code 7), in JAX jit",
    }
    # Case 3 forks: one of the two goes on.
    assert [row.index for row in report.cases] == [0, 3, 6]
    assert report.cases[0].inputs == ("x float32[2]", "'text'")


def test_a_loop_without_an_end_and_want_of_memory(run):
    report = run(0, 2, 5, timeout=4.0)
    assert why(report) == {
        2: "no result within 4 seconds, in JAX jit",
        5: "the function ended its process (exit code 1), in JAX jit: MemoryError: no room",
    }


def test_three_such_cases_are_enough(run, monkeypatch):
    monkeypatch.setattr(supervisor, "MOST_CRASHES", 1)
    report = run(0, 4, 5, 6)
    assert (
        why(report)[5]
        == why(report)[6]
        == "not run, because the limit of 1 unfinished cases was reached"
    )


def test_several_processes_share_the_cases(run):
    report = run(0, 1, 3, 6, jobs=2)
    assert [row.index for row in report.cases] == [0, 3, 6]
    assert list(why(report)) == [1]


@pytest.fixture
def listening():
    """An interrupt is heard, though the tests may run where it is not: in the background of a shell."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("listening")
def test_an_interrupt_leaves_a_report(run):
    def step(done, total, lane):
        if done == 1:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)  # it is heard before the next case is through

    report = run(0, 2, 6, step=step)
    assert report.verdict == "limited"
    assert why(report) == {
        2: "the comparison was interrupted before these cases ran",
        6: "the comparison was interrupted before these cases ran",
    }
    assert [row.index for row in report.cases] == [0]
    with pytest.raises(KeyboardInterrupt):
        run(2, step=lambda done, total, lane: os.kill(os.getpid(), signal.SIGINT))


def test_what_cannot_be_run_is_said_here(run):
    with pytest.raises(DiffError, match="there is nothing"):
        run(old="nothing")


def test_an_explanation_that_crashes_or_is_interrupted_leaves_the_report(run, monkeypatch):
    note = run(0, worst=True).notes[-1]
    assert note.text == "worst input: the function crashed (SIGSEGV), between two lanes"

    def interrupted(worker, message, step):
        raise KeyboardInterrupt

    seen = run(0)
    with monkeypatch.context() as patch:
        patch.setattr(supervisor.Worker, "ask", interrupted)
        worker = supervisor.Worker(None, 1.0)
        found = supervisor._explained(worker, seen, "worst")
    assert found.notes[-1].text == "worst input: interrupted"


def test_one_process_for_one_order_after_another(run):
    order = Order("old", "new", "", 0, None, (0,), None, False, True, False, (str(ROOT), *sys.path))
    worker = supervisor.Worker(None, 20.0)
    try:
        for only, seen in (((0,), [0]), ((4, 6), [6]), ((6,), [6])):
            report = supervised(
                replace(order, only=only), 1, 20.0, lambda *told: None, None, worker
            )
            assert [row.index for row in report.cases] == seen
        with pytest.raises(DiffError, match="there is nothing"):
            supervised(
                replace(order, old="nothing", only=()), 1, 20.0, lambda *told: None, None, worker
            )
    finally:
        worker.close()


def test_no_process_has_all_memory(monkeypatch):
    code = (
        "import resource; from tf2jax_port.diff.processes.memory_limit import limit_memory; limit_memory()\n"
        "most = resource.getrlimit(resource.RLIMIT_DATA)[0]\n"
        "try: bytearray(most)\n"
        "except MemoryError: print(most)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) > 1 << 30


@pytest.mark.parametrize(("most", "kept"), [(65530, 1), (10, 0)])
def test_compiled_programs_are_forgotten_before_they_are_too_many(tmp_path, most, kept):
    limit = tmp_path / "max_map_count"
    limit.write_text(f"{most}\n")
    code = (
        "import pathlib, jax; from tf2jax_port.diff.processes import memory_limit\n"
        f"memory_limit._MOST_MAPS = pathlib.Path({str(limit)!r})\n"
        "f = jax.jit(lambda x: x + 1); f(1.0); memory_limit.spare_maps(); print(f._cache_size())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) == kept


def test_no_process_is_left(run):
    run(0, 2, timeout=1.5)
    found = subprocess.run(["ps", "-eo", "ppid,args"], capture_output=True, text=True, check=True)
    mine = [line.split(None, 1) for line in found.stdout.splitlines()[1:]]
    assert [a for p, a in mine if int(p) == os.getpid() and "program_of_cases" in a] == []
