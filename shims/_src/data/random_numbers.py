"""Draw the random numbers that decide orders: TensorFlow's Philox generator, in Python.

A dataset has two seeds. Where each pass differs, the seeds of a pass are two numbers that the dataset's
own generator gives.
"""

from __future__ import annotations

import copy
from typing import Any, ClassVar

from shims._src.data.node import Stream
from shims._src.random import global_seed

_WORD = 0xFFFFFFFF
_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
_ROUNDS = 10


class Numbers:
    """A sequence of 32-bit random numbers, at a position that can be copied and pickled."""

    def __init__(self, seed: int, seed2: int):
        self.seeds = (seed, seed2)
        self.drawn = 0
        self._block: tuple[int, ...] = ()

    def draw(self) -> int:
        """Return the next number."""
        within = self.drawn % 4
        if within == 0 or not self._block:
            self._block = _block(self.drawn // 4, *self.seeds)
        self.drawn += 1
        return self._block[within]

    def __copy__(self) -> Numbers:
        out = Numbers(*self.seeds)
        out.drawn, out._block = self.drawn, self._block
        return out


def _block(place: int, seed: int, seed2: int) -> tuple[int, ...]:
    """Return the four numbers at a place of a generator."""
    a, b = seed & _WORD, seed >> 32 & _WORD
    c = (place & _WORD, place >> 32 & _WORD, seed2 & _WORD, seed2 >> 32 & _WORD)
    for _ in range(_ROUNDS):
        first, second = _MULTIPLIERS[0] * c[0], _MULTIPLIERS[1] * c[2]
        c = ((second >> 32) ^ c[1] ^ a, second & _WORD, (first >> 32) ^ c[3] ^ b, first & _WORD)
        a, b = (a + _KEY_STEPS[0]) & _WORD, (b + _KEY_STEPS[1]) & _WORD
    return c


class Seeded(Stream):
    """A stream of random decisions, whose position includes the seeds of later passes."""

    saved: ClassVar[tuple[str, ...]] = ("numbers",)

    def __init__(self, seeds: SeedSource, *inputs: Stream):
        super().__init__(*inputs)
        self.seeds, self.numbers = seeds, Numbers(*seeds.next())

    def state(self) -> dict[str, Any]:
        """Return the position."""
        return {**super().state(), "changing": copy.copy(self.seeds.changing)}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a position, with the later passes that followed it."""
        super().restore(state)
        self.seeds.changing = copy.copy(state["changing"])


class SeedSource:
    """The two seeds of each pass over a dataset.

    Args:
      seed: the caller's seed, or `None`; or both seeds.
      changes: whether each pass has seeds of its own.
    """

    def __init__(self, seed, changes: bool):
        self.seeds = seed if isinstance(seed, tuple) else global_seed.host_seeds(seed)
        self.changing = Numbers(*self.seeds) if changes else None

    def next(self) -> tuple[int, int]:
        """Return the seeds of the next pass."""
        if self.changing is None:
            return self.seeds
        return self.changing.draw(), self.changing.draw()
