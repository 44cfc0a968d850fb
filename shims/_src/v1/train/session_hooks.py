"""What a hook of a session is: code that is called around each `run`."""

from __future__ import annotations

import collections
from typing import Any


class SessionRunHook:
    """Code that a monitored session calls around each `run`; subclasses fill in what they need.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/SessionRunHook
    """

    __module__ = "shims.compat.v1.train"

    def begin(self) -> None:
        """Called once, while the graph can still be added to."""

    def after_create_session(self, session, coord) -> None:
        """Called when a session has been made and its variables have values.

        Args:
          session: the session.
          coord: the coordinator of the program's threads.
        """

    def before_run(self, run_context):
        """Called before each `run`.

        Args:
          run_context: what is asked for, and the session.

        Returns:
          `None`, or `SessionRunArgs` with more fetches and feeds.
        """

    def after_run(self, run_context, run_values) -> None:
        """Called after each `run` that has not failed.

        Args:
          run_context: what was asked for, and the session.
          run_values: what this hook's fetches gave.
        """

    def end(self, session) -> None:
        """Called once before the session is closed, unless it failed.

        Args:
          session: the session.
        """


class SessionRunArgs(collections.namedtuple("SessionRunArgs", ["fetches", "feed_dict", "options"])):
    """What a hook adds to a `run`: fetches in nested structures, feeds, and options.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/SessionRunArgs
    """

    __module__ = "shims.compat.v1.train"

    def __new__(cls, fetches, feed_dict=None, options=None):
        """Feeds and options may be left out."""
        return super().__new__(cls, fetches, feed_dict, options)


SessionRunValues = collections.namedtuple(
    "SessionRunValues", ["results", "options", "run_metadata"], module="shims.compat.v1.train"
)


class SessionRunContext:
    """What a hook is told about a `run`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/SessionRunContext
    """

    __module__ = "shims.compat.v1.train"

    def __init__(self, original_args, session):
        self._original_args, self._session = original_args, session
        self._stop_requested = False

    @property
    def original_args(self) -> SessionRunArgs:
        """What the program asked for, without what hooks added."""
        return self._original_args

    @property
    def session(self) -> Any:
        """The session, whose `run` calls no hooks."""
        return self._session

    @property
    def stop_requested(self) -> bool:
        """Whether a hook has asked for the end."""
        return self._stop_requested

    def request_stop(self) -> None:
        """Let `should_stop()` be true from now on."""
        self._stop_requested = True
