"""Provide TensorFlow 2 functions that run only eagerly in TensorFlow 1; graphs reject them."""

from __future__ import annotations

import functools
from typing import Any

import shims
from shims._src.errors import errors
from shims._src.v1.graph.modes import executing_eagerly


def _refuse_in_graphs(name: str, instead: str, call) -> Any:
    @functools.wraps(call)
    def guarded(*args, **kwargs):
        if not executing_eagerly():
            raise errors.UnimplementedError(
                errors.message(
                    f"tf.{name}",
                    "the function works only in eager mode, but a graph is being built.",
                    do=instead,
                )
            )
        return call(*args, **kwargs)

    return guarded


GradientTape = _refuse_in_graphs("GradientTape", "use `tf.gradients`", shims.GradientTape)
function = _refuse_in_graphs(
    "function", "call the Python function, which adds its operations to the graph", shims.function
)
