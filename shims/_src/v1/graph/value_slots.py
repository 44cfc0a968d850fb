"""`Slot`: the place of a variable or a counter in the state of a traced program."""

from __future__ import annotations

from typing import Any

from shims._src.recording import state


class Slot:
    """Stands for the value that one session has of a variable or a counter.

    Attributes:
      name: how messages call it.
      shape: its shape.
      dtype: its dtype.
    """

    trainable = True

    def __init__(self, name: str, shape, dtype):
        self.name, self.shape, self.dtype = name, shape, dtype
        self.stored_value: Any = state.UNKNOWN
