"""Define `QueueRunner`, whose threads fill a queue."""

from __future__ import annotations

import threading
from typing import Any

from shims._src.errors import errors
from shims._src.platform.threads_at_exit import end_at_exit
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.default_session import innermost_session
from shims._src.v1.variables.variables import GraphKeys


class QueueRunner:
    """The threads that run the operations that fill a queue.

    Args:
      queue: the queue.
      enqueue_ops: the operations that add elements; each has a thread.
      close_op: the operation that closes the queue after the last element.
      cancel_op: the operation that closes the queue when the threads stop.
      queue_closed_exception_types: the exceptions that mean that there are no more elements.
      queue_runner_def: not supported.
      import_scope: ignored.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/QueueRunner
    """

    __module__ = "shims.compat.v1.train"

    def __init__(
        self,
        queue=None,
        enqueue_ops=None,
        close_op=None,
        cancel_op=None,
        queue_closed_exception_types=None,
        queue_runner_def=None,
        import_scope=None,
    ):
        del import_scope
        if queue_runner_def is not None or not queue or not enqueue_ops:
            raise ValueError("Must provide queue and enqueue_ops.")
        self._queue, self._enqueue_ops = queue, list(enqueue_ops)
        self._close = queue.close() if close_op is None else close_op
        cancel = queue.close(cancel_pending_enqueues=True) if cancel_op is None else cancel_op
        self._cancel = cancel
        self._ends = tuple(queue_closed_exception_types or (errors.OutOfRangeError,))
        self._lock = threading.Lock()
        self._open: dict[Any, int] = {}
        self._raised: list[BaseException] = []
        self._is_over = False  # the interpreter exits

    queue = property(lambda self: self._queue, doc="The queue.")
    name = property(lambda self: self._queue.name, doc="The name of the queue.")
    enqueue_ops = property(
        lambda self: self._enqueue_ops, doc="The operations that fill the queue."
    )
    close_op = property(lambda self: self._close, doc="The operation that closes the queue.")
    cancel_op = property(
        lambda self: self._cancel, doc="The operation that cancels pending enqueue operations."
    )
    queue_closed_exception_types = property(
        lambda self: self._ends, doc="The exceptions that mean that there are no more elements."
    )
    exceptions_raised = property(
        lambda self: self._raised,
        doc="The exceptions that threads without a coordinator have raised.",
    )

    def create_threads(self, sess, coord=None, daemon=False, start=False) -> list:
        """Return the threads that fill the queue in a session; none if they run already.

        Args:
          sess: the session.
          coord: the coordinator that stops the threads.
          daemon: whether the threads end with the program.
          start: whether to start them.
        """
        with self._lock:
            if self._open.get(sess, 0) > 0:
                return []
            self._open[sess] = len(self._enqueue_ops)
        threads = [self._thread(self._fill, daemon, sess, op, coord) for op in self._enqueue_ops]
        if daemon:
            for thread in threads:
                end_at_exit(thread, self._end)
        if coord is not None:
            threads.append(self._thread(self._cancel_when_stopped, daemon, sess, coord))
        for thread in threads:
            if coord is not None:
                coord.register_thread(thread)
            if start:
                thread.start()
        return threads

    def _thread(self, target, daemon: bool, *args) -> threading.Thread:
        return threading.Thread(target=target, args=args, daemon=daemon)

    def _end(self) -> None:
        """Stop what waits for the queue, at the exit of a program that did not stop its threads."""
        self._is_over = True
        for session in list(self._open):
            self._queue.buffer_in(session).close(True)

    def _fill(self, sess, operation, coord) -> None:
        is_counted = True
        try:
            while not self._is_over and (coord is None or not coord.should_stop()):
                try:
                    sess.run(operation)
                except self._ends:
                    is_counted = False
                    self._count_off(sess)
                    return
        except Exception as error:  # noqa: BLE001 - it is raised where the threads are joined
            if coord is not None:
                coord.request_stop(error)
            else:
                self._raised.append(error)
        finally:
            if is_counted:
                with self._lock:
                    self._open[sess] -= 1

    def _count_off(self, sess) -> None:
        """Close the queue after the last thread."""
        with self._lock:
            self._open[sess] -= 1
            is_last = self._open[sess] == 0
        if is_last:
            sess.run(self._close)

    def _cancel_when_stopped(self, sess, coord) -> None:
        coord.wait_for_stop()
        sess.run(self._cancel)


def add_queue_runner(qr, collection=GraphKeys.QUEUE_RUNNERS) -> None:
    """Add a `QueueRunner` to the runners that `start_queue_runners` starts.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/add_queue_runner
    """
    get_default_graph().add_to_collection(collection, qr)


def start_queue_runners(
    sess=None, coord=None, daemon=True, start=True, collection=GraphKeys.QUEUE_RUNNERS
) -> list:
    """Start the threads that fill the queues of a graph.

    Args:
      sess: the session; the default session when `None`.
      coord: the coordinator that stops the threads.
      daemon: whether the threads end with the program.
      start: whether to start the threads.
      collection: the collection of the runners.

    Returns:
      The threads.

    Raises:
      ValueError: there is no session.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/start_queue_runners
    """
    sess = innermost_session() if sess is None else sess
    if sess is None:
        raise ValueError(
            "Cannot start queue runners: No default session is registered. Use `with "
            "sess.as_default()` or pass an explicit session to tf.start_queue_runners(sess=sess)"
        )
    runners = sess.graph.get_collection(collection)
    return [t for qr in runners for t in qr.create_threads(sess, coord, daemon, start)]
