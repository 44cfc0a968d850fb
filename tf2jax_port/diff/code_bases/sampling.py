"""Choose which calls of a function are kept: first new kinds of arguments, then new branches."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Hashable
from typing import Any

from tf2jax_port.diff.code_bases.call_file import Function

# Calls that bring nothing new, after which no more are looked at: of one kind, and of a function.
_OF_A_KIND, _OF_A_FUNCTION = 200, 1000


@dataclasses.dataclass
class _Sample:
    """The kept and the refused calls of one function."""

    keys: set[str] = dataclasses.field(default_factory=set)
    branches: set[tuple[int, int]] = dataclasses.field(default_factory=set)
    in_vain: Counter[Hashable] = dataclasses.field(default_factory=Counter)
    kinds: int = 0
    others: int = 0
    unfit: int = 0


class Sampling:
    """Bounds the calls that are kept of each function.

    Args:
      most: the largest number of calls with different kinds of arguments, and also of calls that take
        new branches.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._samples: dict[Function, _Sample] = {}

    def wants(self, function: Function, kinds: Hashable) -> bool:
        """Return whether a call with arguments of these kinds may be kept."""
        sample = self._samples.setdefault(function, _Sample())
        return sample.in_vain[kinds] < _OF_A_KIND and not self.is_done(function)

    def is_done(self, function: Function) -> bool:
        """Return whether no call of a function is kept any more."""
        sample = self._samples.setdefault(function, _Sample())
        full = sample.kinds >= self._most and sample.others >= self._most
        return full or sample.in_vain.total() >= _OF_A_FUNCTION

    def leave(self, function: Function, kinds: Hashable, cost: int = 1) -> None:
        """Note that a call is not kept; a call that was costly to inspect counts as several."""
        self._samples[function].in_vain[kinds] += cost

    def keeps(
        self,
        function: Function,
        kinds: Hashable,
        key: str,
        branches: set[tuple[int, int]],
        cost: int = 1,
    ) -> bool:
        """Return whether a call that has ended is kept.

        Args:
          function: the function.
          kinds: the kinds that were passed to `wants`.
          key: the kinds of its arguments in full.
          branches: the branches that it took.
          cost: the number of calls for which it counts if it is not kept.
        """
        sample = self._samples[function]
        if key not in sample.keys and sample.kinds < self._most:
            sample.kinds += 1
        elif not branches <= sample.branches and sample.others < self._most:
            sample.others += 1
        else:
            self.leave(function, kinds, cost)
            return False
        sample.keys.add(key)
        sample.branches |= branches
        return True

    def keeps_unfit(self, function: Function, kinds: Hashable, reason: str) -> bool:
        """Return whether a call that cannot be replayed is kept: some of each function are, to show the reasons."""
        sample = self._samples[function]
        self.leave(function, kinds)
        if reason in sample.keys or sample.unfit >= self._most:
            return False
        sample.keys.add(reason)
        sample.unfit += 1
        return True


def kinds_of(value: Any, depth: int = 3) -> Hashable:
    """Return a cheap description of the kinds of arguments: shapes, dtypes, and plain values."""
    if isinstance(value, list | tuple | dict) and depth:
        items = value.items() if isinstance(value, dict) else value
        return type(value).__name__, *(kinds_of(item, depth - 1) for item in items)
    if isinstance(value, bool | int | float | str | None):
        return value
    shape = getattr(value, "shape", None)
    return type(value).__qualname__, str(shape), str(getattr(value, "dtype", ""))
