"""A comparison whose functions run elsewhere: nothing that they do can end it.

A process runs one case after another and says which lane comes next. Where it crashes, or says nothing
for too long, the case is left out with that reason, and a new process goes on with the next case. An
interrupt ends the processes and leaves the report on what was seen.
"""

from __future__ import annotations

import contextlib
import functools
import pickle
import queue
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from tf2jax_port.diff.functions.loading import DiffError, Loaded
from tf2jax_port.diff.processes.lane_process import MOST_CRASHES, Running, signal_name
from tf2jax_port.diff.report.report import Report
from tf2jax_port.diff.sessions.orders import Order
from tf2jax_port.diff.sessions.run import (
    LOCATE,
    WORST,
    Plan,
    Request,
    Step,
    conclude,
    explanations,
    interrupted,
)
from tf2jax_port.diff.supervision.case_messages import PLAN, REFUSED, STEP
from tf2jax_port.diff.vocabulary.reasons import Reason, grouped

PROGRAM = "tf2jax_port.diff.supervision.case_program"
_STARTING = "starting"
_LEAST_TO_START = 120.0
_LISTENING = 0.2


class RefusedError(DiffError):
    """The process says why it cannot run this."""


class EndedError(Exception):
    """The process is no more; the message says how and where."""


class Worker:
    """One process, replaced when it ends.

    Args:
      order: what it runs; nothing until `use` says so.
      timeout: for how many seconds it may say nothing.
    """

    def __init__(self, order: Order | None, timeout: float) -> None:
        self._order, self._timeout = order, timeout
        self._running: Running | None = None
        self._plan: Plan | None = None
        self.start()

    def start(self) -> None:
        """Start it; it imports while nobody waits for it."""
        self._running, self._plan = Running(PROGRAM), None
        if self._order is not None:
            self._running.send(self._order)

    def use(self, order: Order, timeout: float) -> None:
        """Go on with something else; what is imported stays imported."""
        self._order, self._timeout = order, timeout
        self._plan = None
        if self._running is not None:
            self._running.send(order)

    def plan(self) -> Plan:
        """What there is to run.

        Raises:
          DiffError: it cannot be run.
          EndedError: the process has ended.
        """
        if self._running is None:
            self.start()
        if self._plan is None:
            word, content = self._receive(lambda lane: None)
            if word == REFUSED:
                raise RefusedError(content)
            assert word == PLAN
            self._plan = content
        return self._plan

    def ask(self, message: Any, step: Callable[[str], None]) -> Any:
        """The answer to the number of a case, or to a report and what to explain of it.

        Raises:
          EndedError: the process has ended.
        """
        self.plan()
        assert self._running is not None
        self._running.send(message)
        return self._receive(step)[1]

    def close(self) -> None:
        """End it."""
        if self._running is not None:
            running, self._running = self._running, None
            running.end()

    def _receive(self, step: Callable[[str], None]) -> tuple[str, Any]:
        place = _STARTING if self._plan is None else "between two lanes"
        # Importing TensorFlow takes as long as it takes.
        seconds = max(self._timeout, _LEAST_TO_START if self._plan is None else 0.0)
        while True:
            assert self._running is not None
            try:
                word, content = self._running.receive(seconds)
            except TimeoutError:
                self.close()
                raise EndedError(f"no end within {seconds:g} seconds, in {place}") from None
            except (EOFError, pickle.UnpicklingError):
                code, said = self._running.wait()
                self._running = None
                raise EndedError(f"{_how(code)}, in {place}{_last(said)}") from None
            if word != STEP:
                return word, content
            place = content
            step(content)


@dataclass(frozen=True, slots=True)
class Observed:
    """What became of the cases.

    Attributes:
      plan: with the cases that could not be run, and why.
      seen: what there is of the others.
      interrupted: whether somebody did not want to wait.
      worker: a process to ask for more.
    """

    plan: Plan
    seen: list[Any]
    interrupted: bool
    worker: Worker


def supervised(
    order: Order,
    jobs: int,
    timeout: float,
    step: Step,
    request: Request | None = None,
    worker: Worker | None = None,
) -> Report:
    """The report on an order.

    Args:
      order: what is compared.
      jobs: how many processes run cases.
      timeout: how long one lane of one case may take, in seconds.
      step: told the number of cases done, their total, and the lane that runs next.
      request: what the report says was asked for; by default what the order says.
      worker: a process that stays afterwards; by default a new one that ends.

    Raises:
      DiffError: the cases cannot be had, or TensorFlow is not there.
      KeyboardInterrupt: it came before the first case was through.
    """
    request = request or _request(order)
    with observed(order, jobs, timeout, step, worker) as found:
        report = conclude(request, found.plan, found.seen)
        if found.seen and not found.interrupted:
            for what in explanations(request, report):
                report = _explained(found.worker, report, what)
        return report


@contextlib.contextmanager
def observed(
    order: Order, jobs: int, timeout: float, step: Step, worker: Worker | None = None
) -> Iterator[Observed]:
    """All cases of an order, run elsewhere; the processes end with the block.

    Raises:
      DiffError: the cases cannot be had, or TensorFlow is not there.
      KeyboardInterrupt: it came before the first case was through.
    """
    if worker is not None:
        worker.use(order, timeout)
    workers = [worker or Worker(order, timeout)]
    handler = signal.getsignal(signal.SIGINT)
    try:
        try:
            plan = workers[0].plan()
        except EndedError as error:
            raise DiffError(f"the process that imports what is to be run: {error}.") from None
        workers += [Worker(order, timeout) for _ in range(1, min(jobs, len(plan.fitted)))]
        cases = _Cases(plan, step)
        cases.run(workers)
        if cases.interrupted and not cases.seen:
            raise KeyboardInterrupt
        failed = [("inputs", why, index) for index, why in sorted(cases.failed.items())]
        plan = replace(plan, skipped=(*plan.skipped, *grouped(failed)))
        if cases.interrupted:
            plan = interrupted(plan, [*cases.done, *cases.failed])
        yield Observed(plan, cases.seen, cases.interrupted, workers[0])
    finally:
        for each in workers:
            if each is not worker:
                each.close()
        with contextlib.suppress(ValueError):
            signal.signal(signal.SIGINT, handler)


class _Cases:
    """All cases, taken by whichever worker is free."""

    def __init__(self, plan: Plan, step: Step) -> None:
        self._plan, self._step = plan, step
        self._left: queue.SimpleQueue[int] = queue.SimpleQueue()
        for case in plan.fitted:
            self._left.put(case.index)
        self._stop = threading.Event()
        self._faults: list[BaseException] = []
        self._seen: dict[int, Any] = {}
        self.failed: dict[int, str] = {}
        self.interrupted = False

    @property
    def seen(self) -> list[Any]:
        """What was seen, in the order of the cases."""
        return [self._seen[index] for index in self.done]

    @property
    def done(self) -> list[int]:
        """The cases that were seen, in their order."""
        return [c.index for c in self._plan.fitted if c.index in self._seen]

    def run(self, workers: list[Worker]) -> None:
        """Run them; an interrupt is kept, and what goes wrong here is raised."""
        threads = [threading.Thread(target=self._work, args=(w,), daemon=True) for w in workers]
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                # An interrupt need not wake a wait that has no end.
                while thread.is_alive():
                    thread.join(_LISTENING)
        except KeyboardInterrupt:
            # The report takes no time: who presses twice shall have it, too.
            with contextlib.suppress(ValueError):  # only the main thread may say so
                signal.signal(signal.SIGINT, signal.SIG_IGN)
            self.interrupted = True
            self._stop.set()
        if self._faults and not self.interrupted:
            raise self._faults[0]

    def _work(self, worker: Worker) -> None:
        try:
            while not self._stop.is_set():
                self._take(worker)
        except queue.Empty:
            return
        except BaseException as error:  # noqa: BLE001 - raised again where it is seen
            self._faults.append(error)

    def _take(self, worker: Worker) -> None:
        index = self._left.get_nowait()
        if len(self.failed) >= MOST_CRASHES:
            self.failed[index] = f"not tried after {MOST_CRASHES} such cases"
            return
        done, total = len(self._seen) + len(self.failed), len(self._plan.fitted)
        try:
            self._seen[index] = worker.ask(index, functools.partial(self._step, done, total))
        except EndedError as error:
            self.failed[index] = str(error)


def _explained(worker: Worker, report: Report, what: str) -> Report:
    """The report with the explanation; without it where that could not be had, or takes too long."""
    try:
        found: Report = worker.ask((report, what), lambda lane: None)
        return found
    except EndedError as error:
        why = str(error)
    except KeyboardInterrupt:
        why = "interrupted"
        worker.close()
    title = {LOCATE: "where they part", WORST: "worst input"}[what]
    return replace(report, notes=(*report.notes, Reason(title, why)))


def _request(order: Order) -> Request:
    """The request as far as a report needs it."""

    def function(spec: str) -> Loaded:
        return Loaded(spec, spec, _elsewhere, "")

    return Request(
        function(order.old),
        function(order.new),
        order.inputs,
        order.seed,
        order.x64,
        order.only,
        state=order.state,
        locate=order.locate,
        worst=order.worst,
        extras=order.extras,
    )


def _elsewhere(*arguments: Any) -> Any:
    raise NotImplementedError("the functions run in other processes")


def _how(code: int) -> str:
    if code >= 0:
        return f"it ended its process (exit code {code})"
    memory = ", perhaps for want of memory" if code == -signal.SIGKILL else ""
    return f"it crashed ({signal_name(code)}{memory})"


def _last(said: str) -> str:
    """The last line on standard error of a process that was not killed."""
    lines = [line for line in said.splitlines() if line.strip()]
    return f": {lines[-1]}" if lines and "Error" in lines[-1] else ""
