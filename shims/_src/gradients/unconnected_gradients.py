"""Define `UnconnectedGradients`, which chooses the gradient of an unconnected source."""

from __future__ import annotations

import enum

import jax.numpy as jnp

from shims._src.arguments.conversion import as_array


class UnconnectedGradients(enum.Enum):
    """The choices for the gradient of a source that no target depends on.

    `NONE` is `None`, `ZERO` an array of zeros.

    https://www.tensorflow.org/api_docs/python/tf/UnconnectedGradients
    """

    NONE = "none"
    ZERO = "zero"


UnconnectedGradients.__module__ = "shims"


def check_unconnected(value) -> UnconnectedGradients:
    """Convert a value to a member of `UnconnectedGradients`.

    Raises:
      ValueError: there is no such member.
    """
    try:
        return UnconnectedGradients(value)
    except ValueError:
        raise ValueError(f"Unknown value for unconnected_gradients: {value!r}") from None


def filled(gradient, source, unconnected: UnconnectedGradients):
    """Return `gradient`; if it is `None`, the value that `unconnected` chooses."""
    if gradient is None and unconnected is UnconnectedGradients.ZERO:
        return jnp.zeros_like(as_array(source))
    return gradient
