"""Which checkpoints are kept, and which go when new ones are written."""

from __future__ import annotations

import math
import time


class Rotation:
    """The checkpoints that a program has written.

    Args:
      max_to_keep: so many are kept; all, and only the newest is listed, for 0.
      keep_every_n_hours: one in so many hours is kept for ever.
    """

    def __init__(self, max_to_keep: int, keep_every_n_hours: float):
        self._max_to_keep = max_to_keep
        self._seconds = keep_every_n_hours * 3600
        self._keep_after = time.time() + self._seconds
        self._outdated: list[tuple[str, float]] = []
        self.kept: list[tuple[str, float]] = []

    @property
    def paths(self) -> list[str]:
        """The paths of those that are kept, the oldest first."""
        return [path for path, _ in self.kept]

    def record(self, path: str) -> None:
        """Takes in a checkpoint that was written just now."""
        if not self._max_to_keep:
            return
        self.kept = [item for item in self.kept if item[0] != path]
        self.kept.append((path, time.time()))
        if len(self.kept) > self._max_to_keep:
            self._outdated.append(self.kept.pop(0))

    def recover(self, paths: list[str]) -> None:
        """Takes checkpoints for those that are kept; as their times are unknown, for ever."""
        self.kept = [(path, math.inf) for path in paths]

    def to_remove(self) -> str | None:
        """The path of a checkpoint whose files are to be removed now, if there is one."""
        if not self._outdated:
            return None
        path, written = self._outdated.pop(0)
        if written > self._keep_after:
            self._keep_after += self._seconds
            return None
        return path
