"""State of each thread: a value that a block sets for what runs inside of it, or a stack of them."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class ThreadSlot(threading.local, Generic[T]):
    """A value of each thread.

    Args:
      default: the value where nothing has set another one; no thread may change it in place.
    """

    def __init__(self, default: T) -> None:
        self.value = default

    @contextlib.contextmanager
    def holding(self, value: T) -> Iterator[T]:
        """Set the value for a block."""
        outer, self.value = self.value, value
        try:
            yield value
        finally:
            self.value = outer


class ThreadStack(threading.local, Generic[T]):
    """A stack of each thread: what its open blocks have pushed, from the outside in.

    Blocks may end in any order: each takes away its own item.
    """

    def __init__(self) -> None:
        self.items: list[T] = []

    @property
    def top(self) -> T | None:
        """What the innermost block has pushed; `None` outside of any."""
        return self.items[-1] if self.items else None

    @contextlib.contextmanager
    def pushed(self, item: T) -> Iterator[T]:
        """Push an item for a block."""
        self.items.append(item)
        try:
            yield item
        finally:
            at = max(i for i, one in enumerate(self.items) if one is item)
            del self.items[at]
