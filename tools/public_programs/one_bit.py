"""Move TensorFlow's initial variables by one bit, so that its own spread can be measured."""

from __future__ import annotations

import numpy as np

DIRECTIONS = {"up": np.inf, "down": -np.inf}


def move_initial_values(tf, direction: str) -> None:
    """Let every floating variable that is made outside of functions start at the next number.

    Args:
      tf: TensorFlow.
      direction: `up` or `down`.
    """

    def create(creator, **options):
        variable = creator(**options)
        if variable.dtype in (tf.float32, tf.float64) and tf.executing_eagerly():
            variable.assign(
                np.nextafter(
                    variable.numpy(), DIRECTIONS[direction], dtype=variable.dtype.as_numpy_dtype
                )
            )
        return variable

    tf.variable_creator_scope(create).__enter__()
