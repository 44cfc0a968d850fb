"""`case_program` with functions that misbehave, and without the frameworks, which take long to import."""

from __future__ import annotations

import os
import signal
import time
from types import SimpleNamespace

import numpy as np

from tf2jax_port.diff.closeness.facts import Facts
from tf2jax_port.diff.functions.loading import DiffError
from tf2jax_port.diff.processes.running import Running
from tf2jax_port.diff.sessions.run import Plan
from tf2jax_port.diff.supervision import case_program
from tf2jax_port.diff.values.arguments import bind
from tf2jax_port.diff.values.attempt import Failure
from tf2jax_port.diff.values.observation import Observation
from tf2jax_port.diff.vocabulary.lanes import JAX_JIT, LANES


class Text(str):
    """A type that nobody else knows."""


def misbehave(index: int) -> None:
    if index == 1:
        os.kill(os.getpid(), signal.SIGSEGV)
    if index == 2:
        time.sleep(60)
    if index == 3:
        os.fork()
    if index == 4:
        os._exit(7)
    if index == 5:
        raise MemoryError("no room")
    if index == 7:  # a lane of its own, a child, and no end
        Running("tests.diff.program_without_an_end")
        os.fork()
        loop()
    if index in (8, 9) and os.fork() == 0:  # keeps the pipe of answers, out of reach of all signals
        os.setsid()
        time.sleep(20)
        os._exit(0)
    if index == 8:
        raise KeyboardInterrupt
    if index == 9:
        loop()


def loop() -> None:
    while True:
        pass


class Session:
    def __init__(self, request, source):
        if request == "nothing":
            raise DiffError("there is nothing")
        cases = [(np.float32([0.5, n]), Text("text")) for n in range(10)]
        fitted = tuple(bind(i, case, lambda x, y: x) for i, case in enumerate(cases))
        kept = [case for case in fitted if case.index in request]
        self.plan = Plan(False, tuple(kept), (), {})

    def observe(self, case, step):
        step(JAX_JIT.title)
        misbehave(case.index)
        ran = Observation({"output": 3 * case.arrays[0]})
        lanes = {lane.id: ran for lane in LANES}
        absent = Failure("same", "")
        return Facts(case.index, lanes, absent, None, False, {}, lambda: None, lambda: absent)

    def explained(self, report, what):
        misbehave({"locate": 4, "worst": 1}[what])

    def close(self):
        pass


case_program.require_tensorflow = lambda: None
case_program.loaded = lambda order: (order.only or order.old, SimpleNamespace(calls=list))
case_program.Session = Session

if __name__ == "__main__":
    case_program.main()
