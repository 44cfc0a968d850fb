"""Define thread-local state: a value that is set inside a `with` block, and a stack."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class ThreadSlot(threading.local, Generic[T]):
    """A thread-local value.

    Args:
      default: the value outside of the blocks that set one; it must not be changed in place.
    """

    def __init__(self, default: T) -> None:
        self.value = default

    @contextlib.contextmanager
    def holding(self, value: T) -> Iterator[T]:
        """Open a block in which the slot has the given value."""
        outer, self.value = self.value, value
        try:
            yield value
        finally:
            self.value = outer


class ThreadStack(threading.local, Generic[T]):
    """A thread-local stack of the items of the open `with` blocks, outermost first.

    Blocks may end in any order: each removes its own item.
    """

    def __init__(self) -> None:
        self.items: list[T] = []

    @property
    def top(self) -> T | None:
        """The item of the innermost open block; `None` if no block is open."""
        return self.items[-1] if self.items else None

    @contextlib.contextmanager
    def pushed(self, item: T) -> Iterator[T]:
        """Open a block in which an item is on the stack."""
        self.items.append(item)
        try:
            yield item
        finally:
            at = max(i for i, one in enumerate(self.items) if one is item)
            del self.items[at]
