"""Define hooks that save checkpoints, write summaries and measure the training speed."""

from __future__ import annotations

import logging
import os

from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.summary import messages
from shims._src.v1.summary.file_writer import FileWriterCache
from shims._src.v1.train.global_step import get_global_step, read_of_global_step
from shims._src.v1.train.hook_timer import SecondOrStepTimer
from shims._src.v1.train.session_hooks import SessionRunArgs, SessionRunHook
from shims._src.v1.variables.variables import GraphKeys

_LOGGER = logging.getLogger("tensorflow")


def writer_of(folder):
    """Return the event file writer for a folder; `None` if `tensorboardX` is not installed."""
    try:
        return FileWriterCache.get(folder)
    except ImportError as error:
        _LOGGER.warning("No event files are written. %s", error)
        return None


class CheckpointSaverListener:
    """A listener for checkpoint events; subclasses override the methods that they need.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/CheckpointSaverListener
    """

    __module__ = "shims.compat.v1.train"

    def begin(self) -> None:
        """Prepare the listener; called once, while the graph can still be modified."""

    def before_save(self, session, global_step_value) -> None:
        """React before a checkpoint is written; called by the hook that saves."""

    def after_save(self, session, global_step_value):
        """React after a checkpoint is written; return `True` to stop the training."""

    def end(self, session, global_step_value) -> None:
        """Clean up; called once at the end."""


class CheckpointSaverHook(SessionRunHook):
    """A hook that writes checkpoints at intervals, at the beginning and at the end.

    Args:
      checkpoint_dir: the folder.
      save_secs: the seconds between checkpoints.
      save_steps: the steps between checkpoints.
      saver: the saver; taken from the scaffold or from the graph's collection when `None`.
      checkpoint_basename: the prefix of the names of checkpoints.
      scaffold: a `Scaffold` with a saver.
      listeners: `CheckpointSaverListener`s.
      save_graph_def: accepted and ignored; graphs are not written.

    Raises:
      ValueError: both `saver` and `scaffold` are given, or not exactly one of the intervals
        `save_secs` and `save_steps`.
      RuntimeError: at the beginning of the session, if there is no global step.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/CheckpointSaverHook
    """

    def __init__(
        self,
        checkpoint_dir,
        save_secs=None,
        save_steps=None,
        saver=None,
        checkpoint_basename="model.ckpt",
        scaffold=None,
        listeners=None,
        save_graph_def=True,
    ):
        del save_graph_def
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._saver, self._scaffold = saver, scaffold
        self._folder = checkpoint_dir
        self._path = os.path.join(checkpoint_dir, checkpoint_basename)
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._listeners = listeners or []

    def begin(self):
        self._writer = writer_of(self._folder)
        self._step = read_of_global_step("CheckpointSaverHook")
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session, coord):
        step = session.run(self._step)
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def after_run(self, run_context, run_values):
        step = run_context.session.run(self._step)
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session):
        step = session.run(self._step)
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session, step) -> bool:
        """Write a checkpoint; return whether a listener asks to stop."""
        for listener in self._listeners:
            listener.before_save(session, step)
        _LOGGER.info("Saving checkpoints for %d into %s.", step, self._path)
        self._found_saver().save(session, self._path, global_step=step, write_meta_graph=False)
        if self._writer is not None:
            log = messages.SessionLog(
                status=messages.SessionLog.CHECKPOINT, checkpoint_path=self._path
            )
            self._writer.add_session_log(log, step)
        # Notify every listener, even after one has asked to stop.
        asked = [listener.after_save(session, step) for listener in self._listeners]
        return any(asked)

    def _found_saver(self):
        if self._saver is None and self._scaffold is not None:
            return self._scaffold.saver
        if self._saver is None:
            savers = get_default_graph().get_collection(GraphKeys.SAVERS)
            if len(savers) != 1:
                raise RuntimeError(
                    f"There are {len(savers)} savers in the collection {GraphKeys.SAVERS!r}, and "
                    "one is needed: pass `saver` or `scaffold`."
                )
            self._saver = savers[0]
        return self._saver


class StepCounterHook(SessionRunHook):
    """A hook that logs the steps per second and writes them as a summary.

    Args:
      every_n_steps: the steps between two logs.
      every_n_secs: the seconds between two logs.
      output_dir: the folder of the event file.
      summary_writer: the writer, instead of the folder.

    Raises:
      ValueError: not exactly one of the intervals is given.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/StepCounterHook
    """

    def __init__(self, every_n_steps=100, every_n_secs=None, output_dir=None, summary_writer=None):
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError("exactly one of every_n_steps and every_n_secs should be provided.")
        self._timer = SecondOrStepTimer(every_steps=every_n_steps, every_secs=every_n_secs)
        self._writer, self._folder = summary_writer, output_dir

    def begin(self):
        if self._writer is None and self._folder:
            self._writer = writer_of(self._folder)
        self._step = read_of_global_step("StepCounterHook")
        self._tag = f"{get_global_step().op.name}/sec"

    def before_run(self, run_context):
        return SessionRunArgs(self._step)

    def after_run(self, run_context, run_values):
        if not self._timer.should_trigger_for_step(run_values.results + 1):
            return
        step = run_context.session.run(self._step)
        if self._timer.should_trigger_for_step(step):
            seconds, steps = self._timer.update_last_triggered_step(step)
            if seconds is not None:
                self._log(steps / seconds, step)

    def _log(self, speed: float, step) -> None:
        if self._writer is not None:
            value = messages.Summary.Value(tag=self._tag, simple_value=speed)
            self._writer.add_summary(messages.Summary(value=[value]), step)
        _LOGGER.info("%s: %g", self._tag, speed)


class SummarySaverHook(SessionRunHook):
    """A hook that writes summaries at intervals.

    Args:
      save_steps: the steps between summaries.
      save_secs: the seconds between summaries.
      output_dir: the folder of the event file.
      summary_writer: the writer, instead of the folder.
      scaffold: a `Scaffold` with summaries.
      summary_op: the summaries, a string tensor or a list of them.

    Raises:
      ValueError: not exactly one of `scaffold` and `summary_op` is given, or not exactly one of
        `save_steps` and `save_secs`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/SummarySaverHook
    """

    def __init__(
        self,
        save_steps=None,
        save_secs=None,
        output_dir=None,
        summary_writer=None,
        scaffold=None,
        summary_op=None,
    ):
        if (scaffold is None) == (summary_op is None):
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        self._summary_op, self._scaffold = summary_op, scaffold
        self._writer, self._folder = summary_writer, output_dir
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self):
        if self._writer is None and self._folder:
            self._writer = writer_of(self._folder)
        self._next_step = None
        self._step = read_of_global_step("SummarySaverHook")

    def before_run(self, run_context):
        first = self._next_step is None
        self._is_due = first or self._timer.should_trigger_for_step(self._next_step)
        wanted = {"global_step": self._step}
        summaries = self._summaries()
        if self._is_due and summaries and self._writer is not None:
            wanted["summary"] = summaries
        return SessionRunArgs(wanted)

    def _summaries(self) -> list:
        found = self._scaffold.summary_op if self._summary_op is None else self._summary_op
        if found is None:
            return []
        return found if isinstance(found, list) else [found]

    def after_run(self, run_context, run_values):
        if self._writer is None:
            return
        step = run_values.results["global_step"] + 1
        if self._is_due:
            step = run_context.session.run(self._step)
        if self._next_step is None:
            start = messages.SessionLog(status=messages.SessionLog.START)
            self._writer.add_session_log(start, step)
        if self._is_due:
            self._timer.update_last_triggered_step(step)
            for summary in run_values.results.get("summary", ()):
                self._writer.add_summary(summary, step)
        self._next_step = step + 1

    def end(self, session=None):
        if self._writer is not None:
            self._writer.flush()
