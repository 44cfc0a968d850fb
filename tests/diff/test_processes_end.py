"""No process outlives the one that started it, however that ends, and no pipe is waited on forever."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tf2jax_port.diff.processes.guard import guarded

from .test_containment import ROOT, run, why  # noqa: F401 - `run` is a fixture

COMMAND = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background leaves it ignored
from tf2jax_port.diff.sessions.orders import Order
from tf2jax_port.diff.supervision import supervisor

supervisor.PROGRAM = "tests.diff.program_of_cases"
order = Order("old", "new", "", 0, None, (7,), None, False, True, False, tuple(sys.path))
supervisor.supervised(order, 1, 60.0, lambda done, total, lane: print(lane, flush=True))
"""


def marked(mark: str) -> list[int]:
    """The processes that run now and inherited a mark in their environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue  # it has ended meanwhile
    return found


def wait_for(condition) -> bool:
    end = time.monotonic() + 60  # processes start slowly where others run
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


@pytest.mark.parametrize(
    ("sent", "leads"),
    [
        (signal.SIGINT, True),
        (signal.SIGINT, False),
        (signal.SIGTERM, False),
        (signal.SIGKILL, True),
    ],
)
def test_no_process_outlives_the_command(sent, leads):
    mark = f"mark-of-{os.getpid()}-{sent}-{leads}"
    command = subprocess.Popen(
        [sys.executable, "-c", COMMAND],
        env={**os.environ, "PYTHONPATH": str(ROOT), "MARK": mark},
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=leads,
    )
    try:
        assert command.stdout.readline() == b"JAX jit\n"
        # The command, the process of cases, its lane and its child.
        assert wait_for(lambda: len(marked(mark)) >= 4)
        command.send_signal(sent)
        command.wait(15)
        assert wait_for(lambda: not marked(mark)), marked(mark)
    finally:
        command.kill()
        command.wait()
        command.stdout.close()
        for process in marked(mark):
            os.kill(process, signal.SIGKILL)


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        (8, "the function raised KeyboardInterrupt, in JAX jit"),
        (9, "no result within 2 seconds"),
    ],
)
def test_a_forked_process_that_keeps_the_pipe_does_not_delay_the_report(run, case, expected):  # noqa: F811
    began = time.monotonic()
    report = run(0, case, timeout=2.0)
    assert expected in why(report)[case]
    assert time.monotonic() - began < 12


def test_a_command_hears_interrupts_where_its_starter_ignores_them():
    """A shell starts programs in the background like that; `capture` interrupts them at its time limit."""
    watched, held = os.pipe()
    said = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        done = subprocess.run(
            guarded([sys.executable, "-c", said], watched),
            pass_fds=(watched,),
            start_new_session=True,
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        signal.signal(signal.SIGINT, before)
        os.close(held)
        os.close(watched)
    assert done.stdout == "True\n"
