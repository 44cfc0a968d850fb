"""Define `Supervisor`, which initializes or restores a session and saves it at intervals in threads."""

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections.abc import Iterator
from typing import Any

from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.grouping import group
from shims._src.v1.saving.saver import Saver
from shims._src.v1.session.session import Session
from shims._src.v1.summary import messages
from shims._src.v1.summary.operators import merge_all
from shims._src.v1.train.coordinator import Coordinator, LooperThread
from shims._src.v1.train.global_step import global_step as value_of_step
from shims._src.v1.train.saving_hooks import writer_of
from shims._src.v1.train.session_creation import no_workers, prepared_session
from shims._src.v1.variables.variable_lists import (
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
)
from shims._src.v1.variables.variables import GraphKeys

_LOGGER = logging.getLogger("tensorflow")
_DEFAULT: Any = 0


class Supervisor:
    """An object that creates a ready session, and saves checkpoints and summaries in threads.

    Args:
      graph: the graph, which cannot be extended afterwards; the default graph when `None`.
      ready_op: a tensor with the names of uninitialized variables; `None` for no check.
      ready_for_local_init_op: a tensor with the names of uninitialized variables, like `ready_op`; it is
        checked before `local_init_op` runs.
      is_chief: must be true.
      init_op: the operation that initializes the variables when there is no checkpoint.
      init_feed_dict: the feeds of `init_op`.
      local_init_op: the operation to run in every new session.
      logdir: the folder of checkpoints and summaries.
      summary_op: the summaries to write at intervals; `None` for none.
      saver: the saver; `None` for no checkpoints.
      global_step: the counter of steps.
      save_summaries_secs: the seconds between summaries; 0 for none.
      save_model_secs: the seconds between checkpoints; 0 for none.
      recovery_wait_secs: accepted and ignored.
      stop_grace_secs: the seconds to wait for threads in `stop`.
      checkpoint_basename: the prefix of the names of checkpoints.
      session_manager: must be `None`.
      summary_writer: the `FileWriter` to use; `None` for none.
      init_fn: a function of the session, called after `init_op`.
      local_init_run_options: accepted and ignored.

    Raises:
      UnimplementedError: `is_chief` is false, or there is a `session_manager`.

    Differs from TensorFlow:
      There is one process. Graphs are not written. Without the installation extra `summary`, no event files
      are written, and a log message says so.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/Supervisor
    """

    __module__ = "shims.compat.v1.train"

    USE_DEFAULT: Any = _DEFAULT

    def __init__(
        self,
        graph=None,
        ready_op=_DEFAULT,
        ready_for_local_init_op=_DEFAULT,
        is_chief=True,
        init_op=_DEFAULT,
        init_feed_dict=None,
        local_init_op=_DEFAULT,
        logdir=None,
        summary_op=_DEFAULT,
        saver=_DEFAULT,
        global_step=_DEFAULT,
        save_summaries_secs=120,
        save_model_secs=600,
        recovery_wait_secs=30,
        stop_grace_secs=120,
        checkpoint_basename="model.ckpt",
        session_manager=None,
        summary_writer=_DEFAULT,
        init_fn=None,
        local_init_run_options=None,
    ):
        del recovery_wait_secs, local_init_run_options
        if not is_chief or session_manager is not None:
            raise no_workers("Supervisor")
        self._graph = graph or get_default_graph()
        given = (ready_op, ready_for_local_init_op, init_op, local_init_op, saver, summary_op)
        with self._graph.as_default():
            self._take_operations(given, global_step)
        self.is_chief, self.init_feed_dict, self.init_fn = True, init_feed_dict, init_fn
        self.local_init_feed_dict = None
        self.coord, self._grace = Coordinator(), stop_grace_secs
        self.save_summaries_secs, self.save_model_secs = save_summaries_secs, save_model_secs
        self._folder = logdir
        self.save_path = os.path.join(logdir, checkpoint_basename) if logdir else None
        if _is_default(summary_writer):
            summary_writer = writer_of(logdir) if logdir else None
        self.summary_writer, self._is_writing = summary_writer, summary_writer is not None
        self._graph.finalize()

    def _take_operations(self, given, global_step) -> None:
        """Set the operations that are given; take the others from collections, or create them."""
        ready, ready_for_local, init, local_init, saver, summaries = given
        none = lambda: None
        self.ready_op = _first(ready, GraphKeys.READY_OP, report_uninitialized_variables)
        self.ready_for_local_init_op = _first(
            ready_for_local, GraphKeys.READY_FOR_LOCAL_INIT_OP, none
        )
        self.init_op = _first(init, GraphKeys.INIT_OP, global_variables_initializer)
        local = lambda: group(local_variables_initializer())
        self.local_init_op = _first(local_init, GraphKeys.LOCAL_INIT_OP, local)
        new_saver = lambda: Saver() if global_variables() else None
        self.saver = _first(saver, GraphKeys.SAVERS, new_saver)
        if self.saver is not None:
            self.saver.build()
        self.summary_op = _first(summaries, GraphKeys.SUMMARY_OP, merge_all)
        self.global_step = _first(global_step, GraphKeys.GLOBAL_STEP, self._step_by_name)

    def _step_by_name(self):
        try:
            found = self._graph.get_tensor_by_name("global_step:0")
        except KeyError:
            return None
        return found if found.dtype.is_integer else None

    # ---- sessions --------------------------------------------------------------------------------

    def prepare_or_wait_for_session(
        self,
        master="",
        config=None,
        wait_for_checkpoint=False,
        max_wait_secs=7200,
        start_standard_services=True,
    ) -> Session:
        """Create a session whose variables are restored from `logdir` or initialized.

        Args:
          master: must be empty.
          config: the settings of the session.
          wait_for_checkpoint: accepted and ignored.
          max_wait_secs: accepted and ignored.
          start_standard_services: whether to start the threads that save, and those that fill queues.

        Raises:
          RuntimeError: variables are still uninitialized.
        """
        del wait_for_checkpoint, max_wait_secs
        self.coord.clear_stop()
        if self.summary_writer:
            self.summary_writer.reopen()
            self._is_writing = True
        folder = self._folder if self.saver is not None else None
        with self._graph.as_default():
            session = prepared_session(self, master, config, folder)
        if start_standard_services:
            self.start_standard_services(session)
            self.start_queue_runners(session)
        return session

    @contextlib.contextmanager
    def managed_session(
        self, master="", config=None, start_standard_services=True, close_summary_writer=True
    ) -> Iterator[Session]:
        """Return a context manager with a session, which stops the threads and closes the session at the end.

        The end of an input (`OutOfRangeError`) ends the block without an error.
        """
        session = None
        try:
            session = self.prepare_or_wait_for_session(
                master, config, start_standard_services=start_standard_services
            )
            yield session
        except Exception as error:  # noqa: BLE001 - `stop` raises it again
            self.request_stop(error)
        finally:
            try:
                self.stop(close_summary_writer=close_summary_writer)
            finally:
                if session is not None:
                    session.close()

    # ---- threads ---------------------------------------------------------------------------------

    def start_standard_services(self, sess) -> list | None:
        """Start the threads that write summaries and checkpoints, and return them.

        Returns `None` if there is no `logdir`.
        """
        if not self._folder:
            _LOGGER.warning("Standard services need a 'logdir' passed to the SessionManager")
            return None
        if self.global_step is not None and self.summary_writer:
            start = messages.SessionLog(status=messages.SessionLog.START)
            self.summary_writer.add_session_log(start, value_of_step(sess, self.global_step))
        threads: list[LooperThread] = []
        if self.save_summaries_secs and self.summary_writer:
            if self.summary_op is not None:
                threads.append(self._looper(self.save_summaries_secs, self._summarize, sess))
            if self.global_step is not None:
                speed = _Speed(self, sess)
                threads.append(self._looper(self.save_summaries_secs, speed.write))
        if self.saver is not None and self.save_model_secs:
            threads.append(self._looper(self.save_model_secs, self._save, sess))
        for thread in threads:
            thread.start()
        return threads

    def _looper(self, seconds, target, *args) -> LooperThread:
        return LooperThread(self.coord, seconds, target, args)

    def _summarize(self, session) -> None:
        step = None if self.global_step is None else value_of_step(session, self.global_step)
        self.summary_writer.add_summary(session.run(self.summary_op), step)

    def _save(self, session) -> None:
        self.saver.save(session, self.save_path, global_step=self.global_step)

    def start_queue_runners(self, sess, queue_runners=None) -> list:
        """Start the threads that fill queues, and return them."""
        if queue_runners is None:
            queue_runners = self._graph.get_collection(GraphKeys.QUEUE_RUNNERS)
        every = [
            qr.create_threads(sess, self.coord, daemon=True, start=True) for qr in queue_runners
        ]
        return [thread for threads in every for thread in threads]

    def loop(self, timer_interval_secs, target, args=None, kwargs=None) -> LooperThread:
        """Start a thread that calls a function at intervals until `stop` is called."""
        return LooperThread.loop(self.coord, timer_interval_secs, target, args, kwargs)

    Loop = loop

    # ---- the end ---------------------------------------------------------------------------------

    def stop(self, threads=None, close_summary_writer=True, ignore_live_threads=False) -> None:
        """Stop the threads, and close the summary writer; the session stays open."""
        self.coord.request_stop()
        try:
            self.coord.join(
                threads,
                stop_grace_period_secs=self._grace,
                ignore_live_threads=ignore_live_threads,
            )
        finally:
            if close_summary_writer and self.summary_writer and self._is_writing:
                self._is_writing = False
                stop = messages.SessionLog(status=messages.SessionLog.STOP)
                self.summary_writer.add_session_log(stop)
                self.summary_writer.close()

    Stop = stop

    def request_stop(self, ex=None) -> None:
        """Ask the threads to stop; `stop` raises the exception `ex`."""
        self.coord.request_stop(ex)

    RequestStop = request_stop

    def should_stop(self) -> bool:
        """Return whether a thread or the caller asked to stop."""
        return self.coord.should_stop()

    ShouldStop = should_stop

    def stop_on_exception(self):
        """Return a context manager that asks the threads to stop if an exception is raised in it."""
        return self.coord.stop_on_exception()

    StopOnException = stop_on_exception

    def wait_for_stop(self) -> None:
        """Wait until a thread or the caller asks to stop."""
        self.coord.wait_for_stop()

    WaitForStop = wait_for_stop

    def summary_computed(self, sess, summary, global_step=None) -> None:
        """Write a summary.

        Raises:
          RuntimeError: there is no summary writer.
        """
        if not self.summary_writer:
            raise RuntimeError("Writing a summary requires a summary writer.")
        if global_step is None and self.global_step is not None:
            global_step = value_of_step(sess, self.global_step)
        self.summary_writer.add_summary(summary, global_step)

    SummaryComputed = summary_computed
    PrepareSession = prepare_or_wait_for_session
    StartQueueRunners = start_queue_runners
    StartStandardServices = start_standard_services


class _Speed:
    """A writer of the number of steps per second."""

    def __init__(self, supervisor: Supervisor, session):
        self._supervisor, self._session = supervisor, session
        self._tag = f"{supervisor.global_step.op.name}/sec"
        self._time, self._step = time.time(), value_of_step(session, supervisor.global_step)

    def write(self) -> None:
        step, now = value_of_step(self._session, self._supervisor.global_step), time.time()
        done, passed = step - self._step, now - self._time
        self._step, self._time = step, now
        speed = done / passed if passed > 0 else float("inf")
        value = messages.Summary.Value(tag=self._tag, simple_value=speed)
        self._supervisor.summary_writer.add_summary(messages.Summary(value=[value]), step)


def _is_default(value) -> bool:
    """Return whether an argument is the number 0, which stands for the default."""
    return type(value) is int and value == _DEFAULT


def _first(given, collection: str, create):
    """Return what is given; otherwise the first item of a collection, or a new item that is added to it."""
    if not _is_default(given):
        return given
    graph = get_default_graph()
    found = graph.get_collection(collection)
    if found:
        return found[0]
    made = create()
    if made is not None:
        graph.add_to_collection(collection, made)
    return made
