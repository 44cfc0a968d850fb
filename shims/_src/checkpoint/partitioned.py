"""A variable that is stored as pieces under one name."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np


@dataclasses.dataclass(frozen=True)
class Partitioned:
    """The pieces of one variable, as a partitioner of TensorFlow cuts it.

    Args:
      shape: of the whole variable.
      pieces: for each piece where it starts on each axis, and its value. Where they do not cover
        the whole, only the pieces can be read.

    Raises:
      ValueError: a piece does not lie in the whole, or they have more elements than it.
    """

    shape: tuple[int, ...]
    pieces: Sequence[tuple[tuple[int, ...], Any]]

    def __post_init__(self):
        sizes = 0
        for starts, value in self.pieces:
            shape = np.shape(value)
            ends = [start + size for start, size in zip(starts, shape)]
            fits = len(starts) == len(shape) == len(self.shape)
            if not fits or min(starts, default=0) < 0 or any(map(int.__gt__, ends, self.shape)):
                raise ValueError(f"A piece of {shape} at {starts} is not one of {self.shape}.")
            sizes += math.prod(shape)
        if sizes > math.prod(self.shape) or not self.pieces:
            raise ValueError(f"Pieces of {sizes} elements in all do not make up {self.shape}.")
