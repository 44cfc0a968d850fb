"""Represent a variable that is stored as several slices with a common name."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np


@dataclasses.dataclass(frozen=True)
class Partitioned:
    """The slices of one variable, as a TensorFlow partitioner produces them.

    Args:
      shape: the shape of the whole variable.
      pieces: the start per axis and the value of each slice. If they do not cover the whole
        variable, only the slices can be read.

    Raises:
      ValueError: a slice is out of bounds, or the slices have more elements than the variable.
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
                raise ValueError(
                    f"A slice of shape {shape} at {starts} is out of bounds for shape {self.shape}."
                )
            sizes += math.prod(shape)
        if sizes > math.prod(self.shape) or not self.pieces:
            raise ValueError(
                f"Slices with {sizes} elements in total do not fit shape {self.shape}."
            )
