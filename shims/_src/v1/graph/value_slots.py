"""Provide `Slot`: the state of a variable or a counter in a traced program."""

from __future__ import annotations

from typing import Any

from shims._src.recording import state


class Slot:
    """The state of a variable or a random counter in the traced program of a session run.

    Attributes:
      name: the name in messages.
      shape: the shape.
      dtype: the dtype.
    """

    trainable = True

    def __init__(self, name: str, shape, dtype):
        self.name, self.shape, self.dtype = name, shape, dtype
        self.stored_value: Any = state.UNKNOWN
