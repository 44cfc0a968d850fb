"""Convert operators to TensorFlow 1 operators, which add operations to the default graph."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable

from shims._src.tracing import graph_operands
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.modes import executing_eagerly


def deferred(f: Callable, public: str) -> Callable:
    """Wrap `f` so that a call adds an operation to the default graph, except in eager execution.

    Args:
      f: an operator of shims.
      public: its TensorFlow 1 name without `tf.`, which decides the name of the operation.
    """
    place = _position_of_name(f)

    @functools.wraps(f)
    def call(*args, **kwargs):
        if executing_eagerly():
            return f(*args, **kwargs)
        name = kwargs.pop("name", None)
        if place is not None and len(args) > place:
            name = args[place]
            args = (*args[:place], None, *args[place + 1 :])
        return operation_of(f, args, kwargs, public=public, name=name)

    return call


def _position_of_name(f) -> int | None:
    parameters = list(inspect.signature(f).parameters.values())
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return None
    names = [p.name for p in parameters]
    return names.index("name") if "name" in names else None


def operation_of(f, args, kwargs, *, public: str, name=None, type_: str | None = None):
    """Add the operation for a call of `f` to the default graph and return its results.

    See `Graph._add_call` for the arguments.
    """
    graph = get_default_graph()
    return graph._add_call(f, args, kwargs, public=public, name=name, type_=type_)


def _of_version_2(f, args, kwargs):
    """Add the operation for a call of an operator of TensorFlow 2's name, which draws random numbers."""
    public = f"random_{f.__name__}" if f.__name__ in _RANDOM else f.__name__
    return deferred(f, public)(*args, **kwargs)


# Operators whose operations have longer names.
_RANDOM = frozenset({"normal", "uniform", "shuffle", "gamma", "poisson"})


graph_operands.add_calls_by(_of_version_2)
