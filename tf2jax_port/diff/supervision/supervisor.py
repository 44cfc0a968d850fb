"""Run a comparison in child processes, so that a crash of the functions does not end it.

A process runs one case after another and reports which lane runs next. If it crashes, or reports
nothing for too long, the case is skipped with that reason, and a new process continues with the next
case. An interrupt ends the processes; the report covers the cases so far.
"""

from __future__ import annotations

import contextlib
import functools
import pickle
import queue
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from tf2jax_port.diff.functions.loading import DiffError, Loaded
from tf2jax_port.diff.processes.lane_process import MOST_CRASHES, signal_name
from tf2jax_port.diff.processes.running import Running
from tf2jax_port.diff.report.report import Report
from tf2jax_port.diff.sessions.orders import Order
from tf2jax_port.diff.sessions.run import (
    LOCATE,
    STRENGTH,
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
_STARTING = "while the process started"
_TITLES = {LOCATE: "first divergence", WORST: "worst input", STRENGTH: "planted faults"}
_MIN_STARTUP_SECONDS = 120.0
_POLL_SECONDS = 0.2
_MOST_SECONDS_TO_STOP = 5.0


class RefusedError(DiffError):
    """The error for an order that the child process cannot run; the message is the child's."""


class EndedError(Exception):
    """The error for a child process that has ended; the message says how and where."""


class Worker:
    """A child process, which is restarted if it ends.

    Args:
      order: the comparison that it runs; `None` to wait for a call of `use`.
      timeout: the number of seconds after which a process that reports nothing is ended.
    """

    def __init__(self, order: Order | None, timeout: float) -> None:
        self._order, self._timeout = order, timeout
        self._running: Running | None = None
        self._plan: Plan | None = None
        self.start()

    def start(self) -> None:
        """Start the process; it imports its modules while this process continues."""
        self._running, self._plan = Running(PROGRAM), None
        if self._order is not None:
            self._running.send(self._order)

    def use(self, order: Order, timeout: float) -> None:
        """Give the process another order and timeout; imported modules stay imported."""
        self._order, self._timeout = order, timeout
        self._plan = None
        if self._running is not None:
            self._running.send(order)

    def plan(self, step: Callable[[str], None] = lambda lane: None) -> Plan:
        """Wait for the plan of the order and return it.

        Args:
          step: called with what is done meanwhile.

        Raises:
          DiffError: the order cannot be run.
          EndedError: the process has ended.
        """
        if self._running is None:
            self.start()
        if self._plan is None:
            word, content = self._receive(step)
            if word == REFUSED:
                raise RefusedError(*content)
            assert word == PLAN
            self._plan = content
        return self._plan

    def ask(self, message: Any, step: Callable[[str], None]) -> Any:
        """Send the number of a case to run, or a report to explain, and return the answer.

        Raises:
          EndedError: the process has ended.
        """
        self.plan()
        assert self._running is not None
        self._running.send(message)
        return self._receive(step)[1]

    def close(self) -> None:
        """End the process."""
        if self._running is not None:
            running, self._running = self._running, None
            running.end()

    def _receive(self, step: Callable[[str], None]) -> tuple[str, Any]:
        place = _STARTING if self._plan is None else "between two lanes"
        # Importing TensorFlow is slow, whatever the timeout.
        seconds = max(self._timeout, _MIN_STARTUP_SECONDS if self._plan is None else 0.0)
        end = time.monotonic() + seconds
        while True:
            assert self._running is not None
            # Collecting the cases takes one time limit together, each lane of a case its own.
            left = max(end - time.monotonic(), 0.01) if self._plan is None else seconds
            try:
                word, content = self._running.receive(left)
            except TimeoutError:
                self.close()
                raise EndedError(f"no result within {seconds:g} seconds, {place}") from None
            except (EOFError, pickle.UnpicklingError):
                code, said = self._running.wait()
                self._running = None
                raise EndedError(
                    f"{_describe_exit(code)}, {place}{_last_error_line(said)}"
                ) from None
            if word != STEP:
                return word, content
            place = f"in {content}"
            step(content)


@dataclass(frozen=True, slots=True)
class Observed:
    """The results of running all cases of an order.

    Attributes:
      plan: the plan, with the cases that could not be run and the reasons.
      seen: the observations of the cases that were run.
      interrupted: whether an interrupt stopped the observation.
      worker: a process for further requests.
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
    """Run an order in child processes and return the report.

    Args:
      order: the comparison to run.
      jobs: the number of processes that run cases.
      timeout: the time limit for one lane of one case, in seconds.
      step: called with the number of cases done, their total, and the lane that runs next.
      request: the request in the report; by default made from the order.
      worker: a process that keeps running; by default a new one that ends.

    Raises:
      DiffError: the cases cannot be loaded, or TensorFlow is not installed.
      KeyboardInterrupt: it came before the first case was finished.
    """
    request = request or request_of(order)
    with observed(order, jobs, timeout, step, worker) as found:
        report = conclude(request, found.plan, found.seen)
        if found.seen and not found.interrupted:
            for what in explanations(request, report):
                step(0, 0, f"the search for the {_TITLES[what]}")
                report = _explained(found.worker, report, what)
        return report


@contextlib.contextmanager
def observed(
    order: Order, jobs: int, timeout: float, step: Step, worker: Worker | None = None
) -> Iterator[Observed]:
    """Run all cases of an order in child processes, which end with the `with` block.

    Raises:
      DiffError: the cases cannot be loaded, or TensorFlow is not installed.
      KeyboardInterrupt: it came before the first case was finished.
    """
    if worker is not None:
        worker.use(order, timeout)
    workers = [worker or Worker(order, timeout)]
    handler = signal.getsignal(signal.SIGINT)
    try:
        try:
            plan = workers[0].plan(functools.partial(step, 0, 0))
        except EndedError as error:
            raise DiffError(
                f"the functions could not be imported and the cases could not be collected: {error}."
            ) from None
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
    """A queue of cases, from which idle workers take the next one."""

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
        """The judged cases, in their original order."""
        return [self._seen[index] for index in self.done]

    @property
    def done(self) -> list[int]:
        """The numbers of the cases that have been run, in order."""
        return [c.index for c in self._plan.fitted if c.index in self._seen]

    def run(self, workers: list[Worker]) -> None:
        """Run all cases with one thread per worker; errors are raised, interrupts recorded."""
        threads = [threading.Thread(target=self._work, args=(w,), daemon=True) for w in workers]
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                # A join without a timeout may not be interruptible.
                while thread.is_alive():
                    thread.join(_POLL_SECONDS)
        except KeyboardInterrupt:
            # The report is fast: a second interrupt must not prevent it.
            with contextlib.suppress(ValueError):  # only the main thread may set handlers
                signal.signal(signal.SIGINT, signal.SIG_IGN)
            self.interrupted = True
            self._stop.set()
            for worker in workers:
                worker.close()
            for thread in threads:  # one may be about to start its process again
                thread.join(_MOST_SECONDS_TO_STOP)
        if self._faults and not self.interrupted:
            raise self._faults[0]

    def _work(self, worker: Worker) -> None:
        try:
            while not self._stop.is_set():
                self._take(worker)
        except queue.Empty:
            return
        except BaseException as error:  # noqa: BLE001 - raised again in `run`
            self._faults.append(error)

    def _take(self, worker: Worker) -> None:
        index = self._left.get_nowait()
        if len(self.failed) >= MOST_CRASHES:
            self.failed[index] = (
                f"not run, because the limit of {MOST_CRASHES} unfinished cases was reached"
            )
            return
        done, total = len(self._seen) + len(self.failed), len(self._plan.fitted)
        try:
            self._seen[index] = worker.ask(index, functools.partial(self._step, done, total))
        except EndedError as error:
            self.failed[index] = str(error)


def _explained(worker: Worker, report: Report, what: str) -> Report:
    """Let a worker add an explanation to the report, or a note on why that failed."""
    try:
        found: Report = worker.ask((report, what), lambda lane: None)
        return found
    except EndedError as error:
        why = str(error)
    except KeyboardInterrupt:
        why = "interrupted"
        worker.close()
    return replace(report, notes=(*report.notes, Reason(_TITLES[what], why)))


def request_of(order: Order) -> Request:
    """Make the request that is shown in the report of an order."""

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
        strength=order.strength,
        strengthen=order.strengthen,
    )


def _elsewhere(*arguments: Any) -> Any:
    raise NotImplementedError("the functions run in other processes")


def _describe_exit(code: int) -> str:
    if code >= 0:
        return f"the function ended its process (exit code {code})"
    if code == -signal.SIGINT:  # no interrupt from outside reaches it
        return "the function raised KeyboardInterrupt"
    memory = ", perhaps out of memory" if code == -signal.SIGKILL else ""
    return f"the function crashed ({signal_name(code)}{memory})"


def _last_error_line(said: str) -> str:
    """Return the last line of a process's error output if it is an error message, else `""`."""
    lines = [line for line in said.splitlines() if line.strip()]
    return f": {lines[-1]}" if lines and "Error" in lines[-1] else ""
