"""`Coordinator`: threads that stop together."""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
import time
from collections.abc import Iterator

from shims._src.errors import errors
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.variables.variables import GraphKeys

_LOGGER = logging.getLogger("tensorflow")


class Coordinator:
    """Lets threads stop together, and raises in the main thread what one of them has raised.

    Args:
      clean_stop_exception_types: exceptions that mean the end and no failure; `OutOfRangeError` if
        `None`.

    https://www.tensorflow.org/api_docs/python/tf/train/Coordinator
    """

    __module__ = "shims.compat.v1.train"

    def __init__(self, clean_stop_exception_types=None):
        if clean_stop_exception_types is None:
            clean_stop_exception_types = (errors.OutOfRangeError,)
        self._clean = tuple(clean_stop_exception_types)
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._failure: BaseException | None = None
        self._threads: set[threading.Thread] = set()
        self._joined = False

    def request_stop(self, ex=None) -> None:
        """Let all threads stop.

        Args:
          ex: what went wrong: an exception, or what `sys.exc_info()` gives.
        """
        error = ex[1] if isinstance(ex, tuple) else ex
        with self._lock:
            if self._joined:
                if error is not None:
                    raise error
                return
            if self._stopping.is_set():
                return
            if error is not None and not isinstance(error, self._clean):
                _LOGGER.info("Error reported to Coordinator: %s, %s", type(error).__name__, error)
                self._failure = error
            self._stopping.set()

    def clear_stop(self) -> None:
        """Begin anew."""
        with self._lock:
            self._joined, self._failure = False, None
            self._stopping.clear()

    def should_stop(self) -> bool:
        """Whether all threads are to stop."""
        return self._stopping.is_set()

    @contextlib.contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """A block whose exceptions let all threads stop."""
        try:
            yield
        except BaseException:  # noqa: BLE001  # raised again where the threads are joined
            self.request_stop(ex=sys.exc_info())

    def wait_for_stop(self, timeout=None) -> bool:
        """Wait until all threads are to stop; gives whether they are."""
        return self._stopping.wait(timeout)

    def register_thread(self, thread) -> None:
        """Let `join` wait for a thread."""
        with self._lock:
            self._threads.add(thread)

    def join(self, threads=None, stop_grace_period_secs=120, ignore_live_threads=False) -> None:
        """Wait for threads to end.

        Args:
          threads: more threads than those that are registered.
          stop_grace_period_secs: how long they may go on when they are to stop.
          ignore_live_threads: whether those that go on are no error.

        Raises:
          RuntimeError: some go on.
          Exception: what one of them has raised.
        """
        with self._lock:
            waited = self._threads | set(threads or ())
        while any(t.is_alive() for t in waited) and not self.wait_for_stop(0.05):
            pass
        end = time.time() + stop_grace_period_secs
        while any(t.is_alive() for t in waited) and time.time() < end:
            time.sleep(0.005)
        late = [t.name for t in waited if t.is_alive()]
        with self._lock:
            self._joined = True
            self._threads = set()
            failure = self._failure
        if failure is not None:
            raise failure
        if late:
            message = f"Coordinator stopped with threads still running: {' '.join(late)}"
            if not ignore_live_threads:
                raise RuntimeError(message)
            _LOGGER.info(message)

    @property
    def joined(self) -> bool:
        """Whether the threads have been waited for."""
        return self._joined

    def raise_requested_exception(self) -> None:
        """Raise what a thread has raised, if one has."""
        with self._lock:
            if self._failure is not None:
                raise self._failure


class LooperThread(threading.Thread):
    """A thread that calls something again and again until a coordinator says stop.

    Args:
      coord: the coordinator.
      timer_interval_secs: the seconds from call to call; `None` for no pause.
      target: what is called; `run_loop` of a subclass if `None`.
      args: its arguments.
      kwargs: the same.

    Raises:
      ValueError: `coord` is something else.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/LooperThread
    """

    __module__ = "shims.compat.v1.train"

    def __init__(self, coord, timer_interval_secs, target=None, args=None, kwargs=None):
        if not isinstance(coord, Coordinator):
            raise ValueError(f"'coord' argument must be a Coordinator: {coord}")
        super().__init__(daemon=True)
        self._coord, self._interval = coord, timer_interval_secs
        self._called, self._arguments, self._named = target, args or (), kwargs or {}
        coord.register_thread(self)

    @staticmethod
    def loop(coord, timer_interval_secs, target, args=None, kwargs=None) -> LooperThread:
        """A thread that has been started."""
        looper = LooperThread(coord, timer_interval_secs, target, args, kwargs)
        looper.start()
        return looper

    def run(self) -> None:
        """The loop."""
        with self._coord.stop_on_exception():
            self.start_loop()
            due = time.time()
            while not self._coord.should_stop():
                self.run_loop()
                if self._interval is not None:
                    due += self._interval
                    self._coord.wait_for_stop(max(0.0, due - time.time()))
            self.stop_loop()

    def start_loop(self) -> None:
        """Called once before the loop."""

    def stop_loop(self) -> None:
        """Called once after the loop."""

    def run_loop(self) -> None:
        """Called again and again."""
        if self._called:
            self._called(*self._arguments, **self._named)


def start_queue_runners(
    sess=None, coord=None, daemon=True, start=True, collection=GraphKeys.QUEUE_RUNNERS
) -> list:
    """The threads that fill queues: none, as there are no queues.

    Args:
      sess: accepted.
      coord: accepted.
      daemon: accepted.
      start: accepted.
      collection: must be empty.

    Raises:
      UnimplementedError: the collection holds something.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/start_queue_runners
    """
    del sess, coord, daemon, start
    if get_default_graph().get_collection(collection):
        raise errors.UnimplementedError(
            errors.message(
                "start_queue_runners",
                "there are no queues.",
                do="read the data in Python and feed it",
            )
        )
    return []


def add_queue_runner(qr, collection=GraphKeys.QUEUE_RUNNERS) -> None:
    """Refused: there are no queues."""
    del qr, collection
    raise errors.UnimplementedError(
        errors.message(
            "add_queue_runner", "there are no queues.", do="read the data in Python and feed it"
        )
    )
