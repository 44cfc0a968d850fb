"""Provide `Session`, which runs operations of a graph and stores the values of its variables."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np

from shims._src.errors import errors
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.default_session import innermost_session, session_scope
from shims._src.v1.graph.modes import graph_scope
from shims._src.v1.session.compiled_plan import Compiled
from shims._src.v1.session.feeds import feeds_of
from shims._src.v1.session.fetches import Fetches


def get_default_session() -> BaseSession | None:
    """Return the session of the innermost `with` block.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     print(tf.get_default_session() is session)
      True

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/get_default_session
    """
    return innermost_session()


class BaseSession:
    """Base class of sessions.

    Attributes:
      values: a dict from initialized variables to their values.
      counters: a dict from random calls to their positions in streams of random numbers.
      iterators: a dict from the iterators of the graph to their positions in datasets.
      resources: the elements of queues and the open files of readers, by name.
    """

    __module__ = "shims.compat.v1"

    def __init__(self, target: str = "", graph=None, config=None):
        if target:
            raise errors.UnimplementedError(
                errors.message(
                    "Session",
                    "remote sessions are not supported.",
                    received=repr(target),
                    do="leave `target` out",
                )
            )
        self._graph = get_default_graph() if graph is None else graph
        self._config = config
        self._closed = False
        self.values: dict[Any, Any] = {}
        self.iterators: dict[Any, Any] = {}
        self.resources: dict[str, Any] = {}
        self.counters: dict = {}
        self._compiled: dict[Any, Compiled] = {}

    @property
    def graph(self):
        """The graph that the session runs."""
        return self._graph

    @property
    def graph_def(self):
        """Not supported: `shims` does not store graphs as protocol buffers."""
        raise errors.UnimplementedError(
            errors.message(
                "Session.graph_def",
                "`shims` does not store graphs as protocol buffers.",
                do="use `graph.to_function(fetches, feeds)`",
            )
        )

    @property
    def sess_str(self) -> str:
        """The target of the session: always empty, since it runs in this process."""
        return ""

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """Run operations and compute tensors.

        Args:
          fetches: tensors, variables, operations, sparse tensors, or their names, nested in lists,
            tuples, named tuples and dicts.
          feed_dict: values that replace tensors.
          options: accepted and ignored.
          run_metadata: accepted and ignored; nothing is written to this object.

        Returns:
          NumPy values in the structure of `fetches`; `None` for operations.

        Raises:
          FailedPreconditionError: an uninitialized variable is used.
          InvalidArgumentError: an operator rejects its operands.
          ValueError, TypeError: an object cannot be fetched or fed.
          RuntimeError: the session is closed.

        Differs from TensorFlow:
          Reads of a variable come before its assignments, unless control dependencies order them.

        https://www.tensorflow.org/api_docs/python/tf/compat/v1/Session#run
        """
        del options, run_metadata
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        wanted = Fetches(self._graph, fetches)
        feeds = feeds_of(self._graph, feed_dict)
        tensors = [t for t in wanted.tensors if t not in feeds]
        compiled = self._prepared(wanted, tensors, feeds)
        values = compiled.run(self, feeds)
        return wanted.structured({t: _as_numpy(values[t]) for t in wanted.tensors})

    def _prepared(self, wanted, tensors, feeds) -> Compiled:
        # Variables never lose their values, so the number of initialized ones identifies the set.
        key = (tuple(wanted.operations), tuple(tensors), frozenset(feeds), len(self.values))
        found = self._compiled.get(key)
        if found is None:
            known = frozenset(self.values)
            found = Compiled(wanted.operations, tensors, list(feeds), known, self.counters)
            self._compiled[key] = found
        return found

    @property
    def compilations(self) -> int:
        """The number of compiled programs."""
        return sum(c.compilations for c in self._compiled.values())

    def make_callable(self, fetches, feed_list=None, accept_options=False) -> Callable:
        """Return a function that runs the fetches, given values for the tensors in `feed_list`."""
        del accept_options
        names = list(feed_list or ())

        def call(*values, **options):
            del options
            if len(values) != len(names):
                raise ValueError(f"Callable takes {len(names)} arguments, not {len(values)}.")
            return self.run(fetches, dict(zip(names, values, strict=True)))

        return call

    def partial_run(self, handle, fetches, feed_dict=None):
        """Raise an error: partial runs are not supported, because a run is one compiled program."""
        raise _no_partial_run()

    def partial_run_setup(self, fetches, feeds=None):
        """Raise an error: partial runs are not supported, because a run is one compiled program."""
        raise _no_partial_run()

    def list_devices(self) -> list:
        """Return the devices of JAX."""
        return jax.devices()

    def close(self) -> None:
        """Discard the values of the variables; the session cannot run afterwards."""
        self._closed = True
        self.values = {}
        self._compiled = {}

    @contextlib.contextmanager
    def as_default(self) -> Iterator[BaseSession]:
        """Make this the default session for `eval` and `run` inside a `with` block."""
        with session_scope(self):
            yield self


class Session(BaseSession):
    """A session that runs parts of a graph and stores the values of its variables.

    Args:
      target: must be empty.
      graph: the graph; the default graph when `None`.
      config: accepted and ignored.

    Raises:
      UnimplementedError: `target` is not empty.

    Differs from TensorFlow:
      Each combination of fetches and feeds is compiled as a whole by XLA; unknown sizes of
      placeholders are padded to powers of two from the second shape on.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     print(session.run(tf.add(1, 2)))
      3

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/Session
    """

    __module__ = "shims.compat.v1"

    def __enter__(self) -> Session:
        self._open = contextlib.ExitStack()
        self._open.enter_context(graph_scope(self._graph))
        self._open.enter_context(self.as_default())
        return self

    def __exit__(self, *error) -> None:
        self._open.close()
        self.close()

    @staticmethod
    def reset(target, containers=None, config=None) -> None:
        """Do nothing: sessions do not share variables."""
        del target, containers, config


class InteractiveSession(BaseSession):
    """A session that is the default session from its creation.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/InteractiveSession
    """

    __module__ = "shims.compat.v1"

    def __init__(self, target: str = "", graph=None, config=None):
        super().__init__(target, graph, config)
        self._scope = contextlib.ExitStack()
        if graph is not None:
            self._scope.enter_context(graph_scope(graph))
        self._scope.enter_context(self.as_default())

    def close(self) -> None:
        """Remove the session as the default session, and discard the values of its variables."""
        super().close()
        self._scope.close()


def _no_partial_run():
    return errors.UnimplementedError(
        errors.message(
            "Session.partial_run",
            "a run is one compiled program, so a partial run cannot be continued.",
            do="call `run` twice, and feed the results of the first run to the second",
        )
    )


def _as_numpy(value):
    """Convert a result to what `Session.run` returns: a NumPy scalar, or an array of the caller's own."""
    if isinstance(value, (bytes, str)):
        return value
    array = np.array(value)  # programs write into results, which must change nothing else
    return array[()] if array.ndim == 0 else array
