"""Define monitored sessions, which call hooks around each `run`."""

from __future__ import annotations

import inspect

from shims._src.errors import errors
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.queues.queue_runners import start_queue_runners
from shims._src.v1.train.coordinator import Coordinator
from shims._src.v1.train.saving_hooks import CheckpointSaverHook, StepCounterHook, SummarySaverHook
from shims._src.v1.train.session_creation import ChiefSessionCreator, Scaffold, no_workers
from shims._src.v1.train.session_hooks import SessionRunArgs, SessionRunContext, SessionRunValues

USE_DEFAULT = object()


class MonitoredSession:
    """A session that initializes itself, calls hooks around each `run`, and can be asked to stop.

    Args:
      session_creator: creates the session; a `ChiefSessionCreator` when `None`.
      hooks: `SessionRunHook`s.
      stop_grace_period_secs: the seconds to wait for threads at the end.

    Differs from TensorFlow:
      The session is created once: there is no recovery from lost workers.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/MonitoredSession
    """

    __module__ = "shims.compat.v1.train"

    def __init__(self, session_creator=None, hooks=None, stop_grace_period_secs=120):
        self._own_graph = get_default_graph()
        self._was_finalized = self._own_graph.finalized
        self._hooks = list(hooks or ())
        self._grace = stop_grace_period_secs
        for hook in self._hooks:
            hook.begin()
        self._coord = Coordinator(clean_stop_exception_types=[])
        self._session = (session_creator or ChiefSessionCreator()).create_session()
        self._is_over = False
        start_queue_runners(self._session, self._coord)
        for hook in self._hooks:
            hook.after_create_session(self._session, self._coord)

    @property
    def graph(self):
        """The graph of the session; `None` after `close`."""
        return None if self._session is None else self._session.graph

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """Run fetches as `Session.run` does, and call the hooks before and after.

        Raises:
          RuntimeError: a hook asked to stop, the session is closed, or a tensor is fed twice.
          Exception: the exception of a hook, of a thread or of `Session.run`.
        """
        if self._session is None or self.should_stop():
            raise RuntimeError("Run called even after should_stop requested.")
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), self._session)
        wanted = {"caller": fetches}
        feeds = self._ask_hooks(context, wanted, dict(feed_dict or {}))
        found = self._session.run(wanted, feeds, options=options, run_metadata=run_metadata)
        for i, hook in enumerate(self._hooks):
            hook.after_run(context, SessionRunValues(found.get(i), options, run_metadata))
        self._is_over = self._is_over or context.stop_requested
        return found["caller"]

    def _ask_hooks(self, context, wanted: dict, user_feeds: dict) -> dict:
        """Call `before_run` of all hooks; add their fetches to `wanted`, and return all feeds."""
        of_hooks: dict = {}
        for i, hook in enumerate(self._hooks):
            request = hook.before_run(context)
            if request is None:
                continue
            if request.fetches is not None:
                wanted[i] = request.fetches
            if request.feed_dict:
                _check_apart(of_hooks, request.feed_dict, "Same tensor is fed by two hooks.")
                of_hooks.update(request.feed_dict)
        _check_apart(user_feeds, of_hooks, "Same tensor is fed by a SessionRunHook and user.")
        return {**of_hooks, **user_feeds}

    def run_step_fn(self, step_fn):
        """Call a function with a `StepContext`, which runs the session with or without hooks.

        Raises:
          ValueError: the function has parameters other than `step_context`.
        """
        names = tuple(inspect.signature(step_fn).parameters)
        if names != ("step_context",):
            raise ValueError(
                "`step_fn` may either have one `step_context` argument, or `self` and "
                f"`step_context` arguments if it's an instance method. Got {names} instead."
            )
        try:
            return step_fn(self.StepContext(self._session, self.run))
        except StopIteration:
            self._is_over = True
            return None

    class StepContext:
        """The argument of a step function.

        Args:
          session: the underlying session, whose `run` calls no hooks.
          run_with_hooks_fn: a function that runs the session with hooks.
        """

        def __init__(self, session, run_with_hooks_fn):
            self._session, self._run = session, run_with_hooks_fn

        @property
        def session(self):
            """The underlying session, whose `run` calls no hooks."""
            return self._session

        def run_with_hooks(self, *args, **kwargs):
            """Run the session with hooks."""
            return self._run(*args, **kwargs)

        def request_stop(self):
            """Ask the training to stop."""
            raise StopIteration("step_fn has requested the iterations to stop.")

    def should_stop(self) -> bool:
        """Return whether a hook or a thread asked to stop, or the session is closed.

        Raises:
          Exception: the exception of a thread.
        """
        if self._session is None:
            return True
        self._coord.raise_requested_exception()
        return self._is_over or self._coord.should_stop()

    def close(self) -> None:
        """Call the `end` method of the hooks and close the session."""
        self._close(failed=False)

    def _close(self, failed: bool) -> None:
        if self._session is None:
            raise RuntimeError("Session is already closed.")
        try:
            if not failed:
                for hook in self._hooks:
                    hook.end(self._session)
        finally:
            try:
                self._coord.request_stop()
                self._coord.join(stop_grace_period_secs=self._grace, ignore_live_threads=True)
            finally:
                self._session.close()
                self._session = None
                if not self._was_finalized:
                    self._own_graph._unsafe_unfinalize()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback) -> bool:
        over = kind in (errors.OutOfRangeError, StopIteration)
        self._close(failed=kind is not None and not over)
        return kind is None or over

    def _is_closed(self) -> bool:
        return self._session is None

    def _tf_sess(self):
        return self._session


class SingularMonitoredSession(MonitoredSession):
    """A monitored session on a single machine, restored from a checkpoint if there is one.

    Args:
      hooks: `SessionRunHook`s.
      scaffold: the initializers, summaries and saver.
      master: must be empty.
      config: accepted and ignored.
      checkpoint_dir: the folder of the checkpoints to restore from.
      stop_grace_period_secs: the seconds to wait for threads at the end.
      checkpoint_filename_with_path: the path of a checkpoint, instead of the folder.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/SingularMonitoredSession
    """

    def __init__(
        self,
        hooks=None,
        scaffold=None,
        master="",
        config=None,
        checkpoint_dir=None,
        stop_grace_period_secs=120,
        checkpoint_filename_with_path=None,
    ):
        creator = ChiefSessionCreator(
            scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path
        )
        super().__init__(creator, hooks, stop_grace_period_secs)

    def raw_session(self):
        """Return the underlying session, whose `run` calls no hooks."""
        return self._session


def MonitoredTrainingSession(
    master="",
    is_chief=True,
    checkpoint_dir=None,
    scaffold=None,
    hooks=None,
    chief_only_hooks=None,
    save_checkpoint_secs=USE_DEFAULT,
    save_summaries_steps=USE_DEFAULT,
    save_summaries_secs=USE_DEFAULT,
    config=None,
    stop_grace_period_secs=120,
    log_step_count_steps=100,
    max_wait_secs=7200,
    save_checkpoint_steps=USE_DEFAULT,
    summary_dir=None,
    save_graph_def=True,
) -> MonitoredSession:
    """Create a monitored session that saves checkpoints and summaries during training.

    Args:
      master: must be empty.
      is_chief: must be true.
      checkpoint_dir: the folder of the checkpoints; the latest one is restored.
      scaffold: the initializers, summaries and saver.
      hooks: `SessionRunHook`s.
      chief_only_hooks: further hooks.
      save_checkpoint_secs: the seconds between checkpoints; 600 by default.
      save_summaries_steps: the steps between summaries; 100 by default.
      save_summaries_secs: the seconds between summaries.
      config: accepted and ignored.
      stop_grace_period_secs: the seconds to wait for threads at the end.
      log_step_count_steps: the steps between logs of the training speed.
      max_wait_secs: accepted and ignored.
      save_checkpoint_steps: the steps between checkpoints.
      summary_dir: the folder of the event files; `checkpoint_dir` when `None`.
      save_graph_def: accepted and ignored; graphs are not written.

    Raises:
      UnimplementedError: `is_chief` is false, or `master` is not empty.

    Differs from TensorFlow:
      Graphs are not written. Without the installation extra `summary`, no event files are written,
      and a log message says so.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/MonitoredTrainingSession
    """
    del max_wait_secs, save_graph_def
    if not is_chief:
        raise no_workers("MonitoredTrainingSession")
    steps, seconds = _interval(save_summaries_steps, save_summaries_secs, (100, None))
    every, after = _interval(save_checkpoint_steps, save_checkpoint_secs, (None, 600))
    scaffold = scaffold or Scaffold()
    found = list(chief_only_hooks or ())
    summary_dir = summary_dir or checkpoint_dir
    if summary_dir and log_step_count_steps and log_step_count_steps > 0:
        found.append(StepCounterHook(log_step_count_steps, output_dir=summary_dir))
    if summary_dir and ((steps or 0) > 0 or (seconds or 0) > 0):
        found.append(SummarySaverHook(steps, seconds, summary_dir, scaffold=scaffold))
    if checkpoint_dir and ((every or 0) > 0 or (after or 0) > 0):
        found.append(CheckpointSaverHook(checkpoint_dir, after, every, scaffold=scaffold))
    creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir)
    return MonitoredSession(creator, [*found, *(hooks or ())], stop_grace_period_secs)


def _interval(steps, seconds, default: tuple) -> tuple:
    """Return the steps and the seconds between two events; `default` if neither is given."""
    if steps is USE_DEFAULT and seconds is USE_DEFAULT:
        return default
    return (None if steps is USE_DEFAULT else steps, None if seconds is USE_DEFAULT else seconds)


def _check_apart(first, second, message: str) -> None:
    both = set(first) & set(second)
    if both:
        raise RuntimeError(f"{message} Conflict(s): {list(both)}")
