"""Decide which checkpoints are kept and which are removed when new ones are written."""

from __future__ import annotations

import math
import time


class Rotation:
    """The record of the checkpoints that a program has written.

    Args:
      max_to_keep: the number of checkpoints to keep; 0 keeps all and lists only the newest.
      keep_every_n_hours: keep one checkpoint per this many hours permanently.
    """

    def __init__(self, max_to_keep: int, keep_every_n_hours: float):
        self._max_to_keep = max_to_keep
        self._seconds = keep_every_n_hours * 3600
        self._keep_after = time.time() + self._seconds
        self._outdated: list[tuple[str, float]] = []
        self.kept: list[tuple[str, float]] = []

    @property
    def paths(self) -> list[str]:
        """The paths of the kept checkpoints, oldest first."""
        return [path for path, _ in self.kept]

    def record(self, path: str) -> None:
        """Record a checkpoint that was just written."""
        if not self._max_to_keep:
            return
        self.kept = [item for item in self.kept if item[0] != path]
        self.kept.append((path, time.time()))
        if len(self.kept) > self._max_to_keep:
            self._outdated.append(self.kept.pop(0))

    def recover(self, paths: list[str]) -> None:
        """Record existing checkpoints as kept.

        Their write times are unknown, so they count as the newest, and are never removed.
        """
        self.kept = [(path, math.inf) for path in paths]

    def to_remove(self) -> str | None:
        """Return the path of an outdated checkpoint to remove; `None` if there is none or it is kept."""
        if not self._outdated:
            return None
        path, written = self._outdated.pop(0)
        if written > self._keep_after:
            self._keep_after += self._seconds
            return None
        return path
