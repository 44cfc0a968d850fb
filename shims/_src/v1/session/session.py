"""`Session`: runs parts of a graph and keeps the values of its variables."""

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
    """The session of the innermost `with` block.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/get_default_session
    """
    return innermost_session()


class BaseSession:
    """What all sessions are.

    Attributes:
      values: the session's value of each variable that has one.
    """

    __module__ = "shims.compat.v1"

    def __init__(self, target: str = "", graph=None, config=None):
        if target:
            raise errors.UnimplementedError(
                errors.message(
                    "Session",
                    "there are no remote sessions.",
                    received=repr(target),
                    do="leave `target` out",
                )
            )
        self._graph = get_default_graph() if graph is None else graph
        self._config = config
        self._closed = False
        self.values: dict[Any, Any] = {}
        self._counters: dict = {}
        self._compiled: dict[Any, Compiled] = {}

    @property
    def graph(self):
        """The graph that it runs."""
        return self._graph

    @property
    def graph_def(self):
        """Not there: graphs have no protocol buffer here."""
        raise errors.UnimplementedError(
            errors.message(
                "Session.graph_def",
                "graphs have no protocol buffer here.",
                do="use `graph.to_function(fetches, feeds)`",
            )
        )

    @property
    def sess_str(self) -> str:
        """Where it runs: here."""
        return ""

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """Compute values and run operations.

        Args:
          fetches: tensors, variables, operations, sparse tensors, or their names, nested in lists,
            tuples, named tuples and dicts.
          feed_dict: values in the place of tensors.
          options: accepted.
          run_metadata: accepted; nothing is written to it.

        Returns:
          NumPy values in the structure of `fetches`; `None` for operations.

        Raises:
          FailedPreconditionError: a variable is used that has no value.
          InvalidArgumentError: an operator refuses what it gets.
          ValueError, TypeError: something cannot be fetched or fed.
          RuntimeError: the session is closed.

        Differs from TensorFlow:
          Where nothing says in which order variables are read and assigned, reads come first.

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
        # Variables get values and keep them: how many have one says which.
        key = (tuple(wanted.operations), tuple(tensors), frozenset(feeds), len(self.values))
        found = self._compiled.get(key)
        if found is None:
            known = frozenset(self.values)
            found = Compiled(wanted.operations, tensors, list(feeds), known, self._counters)
            self._compiled[key] = found
        return found

    @property
    def compilations(self) -> int:
        """How many programs it compiled."""
        return sum(c.compilations for c in self._compiled.values())

    def make_callable(self, fetches, feed_list=None, accept_options=False) -> Callable:
        """`run` of some fetches as a function of the values in `feed_list`."""
        del accept_options
        names = list(feed_list or ())

        def call(*values, **options):
            del options
            if len(values) != len(names):
                raise ValueError(f"Callable takes {len(names)} arguments, not {len(values)}.")
            return self.run(fetches, dict(zip(names, values, strict=True)))

        return call

    def partial_run(self, handle, fetches, feed_dict=None):
        """Refused: a run is one compiled program."""
        raise _no_partial_run()

    def partial_run_setup(self, fetches, feeds=None):
        """Refused: a run is one compiled program."""
        raise _no_partial_run()

    def list_devices(self) -> list:
        """The devices of JAX."""
        return jax.devices()

    def close(self) -> None:
        """Let go of the variables; the session cannot run any more."""
        self._closed = True
        self.values = {}
        self._compiled = {}

    @contextlib.contextmanager
    def as_default(self) -> Iterator[BaseSession]:
        """A block in which `eval` and `run` of tensors and operations use it."""
        with session_scope(self):
            yield self


class Session(BaseSession):
    """Runs parts of a graph and keeps the values of its variables.

    Args:
      target: must be empty.
      graph: the graph; the default one if `None`.
      config: accepted.

    Raises:
      UnimplementedError: there is a `target`.

    Differs from TensorFlow:
      Each combination of fetches and feeds is compiled as a whole by XLA; sizes that placeholders
      leave open are padded to powers of two from the second shape on.

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
        """Nothing: no two sessions share variables."""
        del target, containers, config


class InteractiveSession(BaseSession):
    """A session that is the default one from the start.

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
        """Stop being the default session, and let go of the variables."""
        super().close()
        self._scope.close()


def _no_partial_run():
    return errors.UnimplementedError(
        errors.message(
            "Session.partial_run",
            "a run is one compiled program, which cannot be continued.",
            do="call `run` twice, and feed the second what the first gave",
        )
    )


def _as_numpy(value):
    """A value as `Session.run` gives it: arrays, and NumPy's numbers for scalars."""
    if isinstance(value, (bytes, str)):
        return value
    array = np.asarray(value)
    return array[()] if array.ndim == 0 else array
