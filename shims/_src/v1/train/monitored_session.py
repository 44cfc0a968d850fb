"""`MonitoredTrainingSession` and its relatives: sessions that call hooks around each `run`."""

from __future__ import annotations

import inspect

from shims._src.errors import errors
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.train.coordinator import Coordinator
from shims._src.v1.train.saving_hooks import CheckpointSaverHook, StepCounterHook, SummarySaverHook
from shims._src.v1.train.session_creation import ChiefSessionCreator, Scaffold, no_workers
from shims._src.v1.train.session_hooks import SessionRunArgs, SessionRunContext, SessionRunValues

USE_DEFAULT = object()


class MonitoredSession:
    """A session that calls hooks around each `run`, initializes itself and can be asked to stop.

    Args:
      session_creator: makes the session; a `ChiefSessionCreator` if `None`.
      hooks: `SessionRunHook`s.
      stop_grace_period_secs: how long threads may go on at the end.

    Differs from TensorFlow:
      There are no machines that could be lost, so the session is made once.

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
        for hook in self._hooks:
            hook.after_create_session(self._session, self._coord)

    @property
    def graph(self):
        """The graph that it runs; `None` when it is closed."""
        return None if self._session is None else self._session.graph

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """`Session.run` with the hooks called before and after.

        Raises:
          RuntimeError: a hook has asked for the end, the session is closed, or two feed the same.
          Exception: what a hook or a thread has raised, and what `Session.run` raises.
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
        """Add what hooks want to the fetches; gives all feeds."""
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
        """Call a function with a `StepContext`, which has the session without and with hooks.

        Raises:
          ValueError: the function has other parameters than `step_context`.
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
        """What a step function is given.

        Args:
          session: the session, whose `run` calls no hooks.
          run_with_hooks_fn: `run` with hooks.
        """

        def __init__(self, session, run_with_hooks_fn):
            self._session, self._run = session, run_with_hooks_fn

        @property
        def session(self):
            """The session, whose `run` calls no hooks."""
            return self._session

        def run_with_hooks(self, *args, **kwargs):
            """`run` with hooks."""
            return self._run(*args, **kwargs)

        def request_stop(self):
            """Let the training end."""
            raise StopIteration("step_fn has requested the iterations to stop.")

    def should_stop(self) -> bool:
        """Whether the training is over: a hook or a thread has said so, or the session is closed.

        Raises:
          Exception: what a thread has raised.
        """
        if self._session is None:
            return True
        self._coord.raise_requested_exception()
        return self._is_over or self._coord.should_stop()

    def close(self) -> None:
        """Call the hooks for the end, and close the session."""
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
    """A monitored session of one graph on one machine, with its checkpoints.

    Args:
      hooks: `SessionRunHook`s.
      scaffold: what is needed of the graph.
      master: must be empty.
      config: accepted.
      checkpoint_dir: the folder of the checkpoints that it starts from.
      stop_grace_period_secs: how long threads may go on at the end.
      checkpoint_filename_with_path: one checkpoint, in place of the folder.

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
        """The session, whose `run` calls no hooks."""
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
    """A monitored session that saves checkpoints and summaries while it trains.

    Args:
      master: must be empty.
      is_chief: must be true.
      checkpoint_dir: the folder of the checkpoints; it starts from the latest.
      scaffold: what is needed of the graph.
      hooks: `SessionRunHook`s.
      chief_only_hooks: more of them.
      save_checkpoint_secs: after how many seconds a checkpoint is written; 600 by default.
      save_summaries_steps: after how many steps summaries are written; 100 by default.
      save_summaries_secs: after how many seconds they are.
      config: accepted.
      stop_grace_period_secs: how long threads may go on at the end.
      log_step_count_steps: after how many steps the speed is logged.
      max_wait_secs: accepted.
      save_checkpoint_steps: after how many steps a checkpoint is written.
      summary_dir: the folder of the event files; `checkpoint_dir` if `None`.
      save_graph_def: accepted; graphs are not written.

    Raises:
      UnimplementedError: `is_chief` is false, or there is a `master`.

    Differs from TensorFlow:
      No graph is written. Without the extra `summary` no event files are, which is logged.

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
    """Steps and seconds, with what holds where nothing is said."""
    if steps is USE_DEFAULT and seconds is USE_DEFAULT:
        return default
    return (None if steps is USE_DEFAULT else steps, None if seconds is USE_DEFAULT else seconds)


def _check_apart(first, second, message: str) -> None:
    both = set(first) & set(second)
    if both:
        raise RuntimeError(f"{message} Conflict(s): {list(both)}")
