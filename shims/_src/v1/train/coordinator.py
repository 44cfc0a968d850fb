"""Define `Coordinator`, which stops a group of threads together."""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
import time
from collections.abc import Iterator

from shims._src.errors import errors
from shims._src.platform.threads_at_exit import end_at_exit

_LOGGER = logging.getLogger("tensorflow")


class Coordinator:
    """A coordinator that stops threads together and re-raises their errors in the main thread.

    Args:
      clean_stop_exception_types: exceptions that stop the threads without a failure;
        `OutOfRangeError` when `None`.

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
        """Ask all threads to stop.

        Args:
          ex: the error that caused the request, as an exception or as the result of `sys.exc_info()`.
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
        """Reset the coordinator, so that threads can run again after a stop."""
        with self._lock:
            self._joined, self._failure = False, None
            self._stopping.clear()

    def should_stop(self) -> bool:
        """Return whether the threads were asked to stop."""
        return self._stopping.is_set()

    @contextlib.contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """Ask all threads to stop if the `with` block raises an exception."""
        try:
            yield
        except BaseException:  # noqa: BLE001  # raised again where the threads are joined
            self.request_stop(ex=sys.exc_info())

    def wait_for_stop(self, timeout=None) -> bool:
        """Wait until the threads are asked to stop; return whether they were."""
        return self._stopping.wait(timeout)

    def register_thread(self, thread) -> None:
        """Add a thread to the registered threads, for which `join` waits."""
        with self._lock:
            self._threads.add(thread)

    def join(self, threads=None, stop_grace_period_secs=120, ignore_live_threads=False) -> None:
        """Wait for threads to end.

        Args:
          threads: threads to wait for besides the registered ones.
          stop_grace_period_secs: the seconds to wait after the stop was requested.
          ignore_live_threads: whether to tolerate threads that are still running.

        Raises:
          RuntimeError: some threads are still running.
          Exception: the exception that a thread reported.
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
        """Whether `join` has finished."""
        return self._joined

    def raise_requested_exception(self) -> None:
        """Raise the exception that a thread reported, if any."""
        with self._lock:
            if self._failure is not None:
                raise self._failure


class LooperThread(threading.Thread):
    """A thread that calls a function repeatedly until a coordinator stops it.

    Args:
      coord: the coordinator.
      timer_interval_secs: the seconds from one call to the next; `None` for no pause.
      target: the function to call; a subclass may override `run_loop` instead.
      args: its arguments.
      kwargs: the keyword arguments of the function.

    Raises:
      ValueError: `coord` is not a `Coordinator`.

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
        end_at_exit(self, coord.request_stop)

    @staticmethod
    def loop(coord, timer_interval_secs, target, args=None, kwargs=None) -> LooperThread:
        """Create and start a thread that calls `target` repeatedly."""
        looper = LooperThread(coord, timer_interval_secs, target, args, kwargs)
        looper.start()
        return looper

    def run(self) -> None:
        """Run the loop until the coordinator asks to stop."""
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
        """Prepare the loop; called once before the first iteration."""

    def stop_loop(self) -> None:
        """Clean up after the loop; called once after the last iteration."""

    def run_loop(self) -> None:
        """Run one iteration: call the target function."""
        if self._called:
            self._called(*self._arguments, **self._named)
