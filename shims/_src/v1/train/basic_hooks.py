"""Define hooks that stop training, check or log tensors, add feeds, or run final operations."""

from __future__ import annotations

import logging
import time

import numpy as np

from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.train.global_step import read_of_global_step
from shims._src.v1.train.hook_timer import NeverTimer, SecondOrStepTimer
from shims._src.v1.train.session_hooks import SessionRunArgs, SessionRunHook

_LOGGER = logging.getLogger("tensorflow")


class StopAtStepHook(SessionRunHook):
    """A hook that stops training at a step.

    Args:
      num_steps: the number of steps to run from the beginning of the session.
      last_step: the number of the last step.

    Raises:
      ValueError: both arguments are given, or neither.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/StopAtStepHook
    """

    def __init__(self, num_steps=None, last_step=None):
        if num_steps is None and last_step is None:
            raise ValueError("One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueError("Only one of num_steps or last_step can be specified.")
        self._num_steps, self._last_step = num_steps, last_step

    def begin(self):
        self._step = read_of_global_step("StopAtStepHook")

    def after_create_session(self, session, coord):
        if self._last_step is None:
            self._last_step = session.run(self._step) + self._num_steps

    def before_run(self, run_context):
        return SessionRunArgs(self._step)

    def after_run(self, run_context, run_values):
        # The step may be read before or after its increment, so it is read again near the end.
        if (
            run_values.results + 1 >= self._last_step
            and run_context.session.run(self._step) >= self._last_step
        ):
            run_context.request_stop()


class NanLossDuringTrainingError(RuntimeError):
    """The error that reports a loss of NaN.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/NanLossDuringTrainingError
    """

    __module__ = "shims.compat.v1.train"

    def __str__(self) -> str:
        return "NaN loss during training."


class NanTensorHook(SessionRunHook):
    """A hook that stops training when the loss is NaN.

    Args:
      loss_tensor: the loss, a scalar.
      fail_on_nan_loss: whether to raise an error; otherwise the hook asks the session to stop.

    Raises:
      NanLossDuringTrainingError: after a run, if the loss is NaN and `fail_on_nan_loss` is true.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/NanTensorHook
    """

    def __init__(self, loss_tensor, fail_on_nan_loss=True):
        self._loss_tensor, self._fails = loss_tensor, fail_on_nan_loss

    def before_run(self, run_context):
        return SessionRunArgs(self._loss_tensor)

    def after_run(self, run_context, run_values):
        if not np.isnan(run_values.results):
            return
        message = "Model diverged with loss = NaN."
        if self._fails:
            _LOGGER.error(message)
            raise NanLossDuringTrainingError
        _LOGGER.warning(message)
        run_context.request_stop()


class LoggingTensorHook(SessionRunHook):
    """A hook that logs tensors at intervals.

    Args:
      tensors: tensors by tag, or a list of tensors or of their names.
      every_n_iter: the number of runs between two logs; the first run is logged too.
      every_n_secs: the seconds between two logs.
      at_end: whether to log at the end.
      formatter: a function that maps a dictionary of values by tag to a line.

    Raises:
      ValueError: not exactly one of `every_n_iter` and `every_n_secs` is given, unless only the
        end is logged.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/LoggingTensorHook
    """

    def __init__(self, tensors, every_n_iter=None, every_n_secs=None, at_end=False, formatter=None):
        only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError(
                "either at_end and/or exactly one of every_n_iter and every_n_secs must be "
                "provided."
            )
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        by_tag = isinstance(tensors, dict)
        self._tags = sorted(tensors) if by_tag else tensors
        self._tensors = tensors if by_tag else {t: t for t in tensors}
        self._timer = NeverTimer() if only_at_end else SecondOrStepTimer(every_n_secs, every_n_iter)
        self._at_end, self._formatter = at_end, formatter

    def begin(self):
        self._timer.reset()
        self._count = 0
        graph = get_default_graph()
        self._found = {tag: graph.as_graph_element(t) for tag, t in self._tensors.items()}

    def before_run(self, run_context):
        self._is_due = self._timer.should_trigger_for_step(self._count)
        return SessionRunArgs(self._found) if self._is_due else None

    def after_run(self, run_context, run_values):
        if self._is_due:
            self._log(run_values.results)
        self._count += 1

    def end(self, session):
        if self._at_end:
            self._log(session.run(self._found))

    def _log(self, values) -> None:
        seconds, _ = self._timer.update_last_triggered_step(self._count)
        with np.printoptions(suppress=True):
            if self._formatter:
                line = self._formatter(values)
            else:
                line = ", ".join(f"{tag} = {values[tag]}" for tag in self._tags)
                line += "" if seconds is None else f" ({seconds:.3f} sec)"
            _LOGGER.info("%s", line)


class GlobalStepWaiterHook(SessionRunHook):
    """A hook that delays a run until another session of the program has reached a step.

    Args:
      wait_until_step: the number of the step.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/GlobalStepWaiterHook
    """

    def __init__(self, wait_until_step):
        self._wait_until_step = wait_until_step

    def begin(self):
        self._started = self._wait_until_step <= 0
        self._step = read_of_global_step("GlobalStepWaiterHook")

    def before_run(self, run_context):
        if not self._started:
            _LOGGER.info("Waiting for global step %d.", self._wait_until_step)
        while not self._started:
            self._started = run_context.session.run(self._step) >= self._wait_until_step
            if not self._started:
                time.sleep(0.5)


class FinalOpsHook(SessionRunHook):
    """A hook that runs operations at the end and keeps their values.

    Args:
      final_ops: fetches of `Session.run`.
      final_ops_feed_dict: the feeds of that run.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/FinalOpsHook
    """

    def __init__(self, final_ops, final_ops_feed_dict=None):
        self._final_ops, self._feeds = final_ops, final_ops_feed_dict
        self._values = None

    @property
    def final_ops_values(self):
        """The results of the final operations; `None` before they have run."""
        return self._values

    def end(self, session):
        if self._final_ops is not None:
            self._values = session.run(self._final_ops, feed_dict=self._feeds)


class FeedFnHook(SessionRunHook):
    """A hook that feeds each run with the result of a function.

    Args:
      feed_fn: a function without arguments that returns a `feed_dict`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/FeedFnHook
    """

    def __init__(self, feed_fn):
        self.feed_fn = feed_fn

    def before_run(self, run_context):
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())
