"""Define the interface of hooks: objects that a monitored session calls around each `run`."""

from __future__ import annotations

import collections
from typing import Any


class SessionRunHook:
    """The base class of session hooks; subclasses override the methods that they need.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/SessionRunHook
    """

    __module__ = "shims.compat.v1.train"

    def begin(self) -> None:
        """Prepare the hook; called once, while the graph can still be modified."""

    def after_create_session(self, session, coord) -> None:
        """Prepare the hook for a new session; called after its variables are initialized.

        Args:
          session: the session.
          coord: the coordinator of the program's threads.
        """

    def before_run(self, run_context):
        """Request additional fetches and feeds; called before each `run`.

        Args:
          run_context: the original arguments and the session.

        Returns:
          `None`, or `SessionRunArgs` with more fetches and feeds.
        """

    def after_run(self, run_context, run_values) -> None:
        """Process the results of a `run`; called after each `run` that succeeded.

        Args:
          run_context: the original arguments and the session.
          run_values: the results of the fetches of this hook.
        """

    def end(self, session) -> None:
        """Clean up; called once before the session is closed, unless an error occurred.

        Args:
          session: the session.
        """


class SessionRunArgs(collections.namedtuple("SessionRunArgs", ["fetches", "feed_dict", "options"])):
    """The fetches, feeds and options that a hook adds to a `run`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/SessionRunArgs
    """

    __module__ = "shims.compat.v1.train"

    def __new__(cls, fetches, feed_dict=None, options=None):
        """Create the arguments; feeds and options are optional."""
        return super().__new__(cls, fetches, feed_dict, options)


SessionRunValues = collections.namedtuple(
    "SessionRunValues", ["results", "options", "run_metadata"], module="shims.compat.v1.train"
)


class SessionRunContext:
    """The information about a `run` that a hook receives.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/SessionRunContext
    """

    __module__ = "shims.compat.v1.train"

    def __init__(self, original_args, session):
        self._original_args, self._session = original_args, session
        self._stop_requested = False

    @property
    def original_args(self) -> SessionRunArgs:
        """The arguments that the caller passed to `run`, without those that hooks add."""
        return self._original_args

    @property
    def session(self) -> Any:
        """The underlying session, whose `run` calls no hooks."""
        return self._session

    @property
    def stop_requested(self) -> bool:
        """Whether a hook asked to stop."""
        return self._stop_requested

    def request_stop(self) -> None:
        """Ask the session to stop: `should_stop()` then returns `True`."""
        self._stop_requested = True
