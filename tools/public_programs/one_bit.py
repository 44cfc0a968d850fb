"""Move TensorFlow's initial variables by one bit, so that its own spread can be measured."""

from __future__ import annotations

import contextlib

import numpy as np

DIRECTIONS = {"up": np.inf, "down": -np.inf}
_SCOPES = contextlib.ExitStack()  # a scope ends when nothing refers to it


def move_initial_values(tf, direction: str) -> None:
    """Let every floating variable that is made outside of functions start at the next number.

    Args:
      tf: TensorFlow.
      direction: `up` or `down`.
    """

    def create(creator, **options):
        variable = creator(**options)
        if variable.dtype in (tf.float32, tf.float64) and tf.executing_eagerly():
            value = variable.numpy()
            variable.assign(np.nextafter(value, value.dtype.type(DIRECTIONS[direction])))
        return variable

    _SCOPES.enter_context(tf.variable_creator_scope(create))
