"""Handle operators of TensorFlow 2 while a TensorFlow 1 graph is built: on its tensors, and random operators."""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable
from typing import Any

import jax

from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.platform import user_frames

_OWN = "shims._src.tracing."
# The modules whose functions `call` stand for operators.
_CALLERS = (f"{_OWN}dispatch", f"{_OWN}graph_operands")
# The functions that add the operation for a call of an operator to the graph that is being built.
_ADDERS: list[Callable[[Callable, tuple, dict], Any]] = []


class GraphTensor:
    """The base class of the tensors of a graph, which have a value only in a session."""

    __slots__ = ()


def check(function: str, args, kwargs) -> None:
    """Raise an error if an argument is a tensor of a graph.

    Args:
      function: the operator that failed.
      args: its arguments.
      kwargs: those that were given by name.

    Raises:
      UnimplementedError: one is; the error names the module whose operators build graphs.
    """
    found = [x for x in jax.tree.leaves((args, kwargs)) if isinstance(x, GraphTensor)]
    if not found:
        return
    raise errors.UnimplementedError(
        errors.message(
            function,
            "an argument is a tensor of a TensorFlow 1 graph, which has a value only in a session.",
            received=repr(found[0]),
            do="import the operators that build graphs, `import shims.compat.v1 as tf`; this module also has "
            "TensorFlow 2's names",
        )
    ) from None


class DrawnInGraph(BaseException):
    """Ends a call of an operator that draws random numbers, which becomes an operation of the graph.

    Attributes:
      frame: the frame of the outermost call.
    """

    def __init__(self, frame: types.FrameType):
        super().__init__("a graph draws new random numbers in every run")
        self.frame = frame


def add_calls_by(add: Callable[[Callable, tuple, dict], Any]) -> None:
    """Let `added` call a function with an operator and its arguments."""
    _ADDERS.append(add)


def added(operator: Callable, args: tuple, kwargs: dict):
    """Add the operation for a call of an operator to the graph that is being built; return its results."""
    return _ADDERS[-1](operator, args, kwargs)


def draws(f: Callable) -> Callable:
    """Make a function that draws random numbers an operation, if a graph is being built; `operator` does that, too."""

    @functools.wraps(f)
    def call(*args, **kwargs):
        try:
            return f(*args, **kwargs)
        except DrawnInGraph as drawn:
            if drawn.frame is not sys._getframe():
                raise
            return added(call, args, kwargs)

    return call


def draw_in_every_run() -> None:
    """End the call of the operator that draws, if the program calls it, so that the graph gets an operation.

    Raises:
      DrawnInGraph: for the outermost operator, which catches it.
    """
    frame: types.FrameType | None = sys._getframe(1)
    found = None
    while frame is not None and user_frames.is_library_frame(frame):
        name = frame.f_globals.get("__name__") or ""
        if name in _CALLERS and frame.f_code.co_name == "call":
            found = frame
        elif not name.startswith(_OWN):
            found = None  # a function of ours calls the operator
        frame = frame.f_back
    if found is not None and _ADDERS and jp.ambient_is_eager():
        raise DrawnInGraph(found)
