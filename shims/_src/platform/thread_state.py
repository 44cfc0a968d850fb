"""Define thread-local state: a value that is set inside a `with` block, and a stack."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any, Generic, TypeVar

T = TypeVar("T")
# Every slot and stack; they are global variables of modules.
_ALL: list[ThreadSlot[Any] | ThreadStack[Any]] = []


class ThreadSlot(threading.local, Generic[T]):
    """A thread-local value.

    Args:
      default: the value outside of the blocks that set one; it must not be changed in place.
    """

    def __init__(self, default: T) -> None:
        self.value = default  # in each thread that uses the slot
        if not any(x is self for x in _ALL):
            _ALL.append(self)

    def holding(self, value: T) -> _Held[T]:
        """Open a block in which the slot has the given value."""
        return _Held(self, value)


class _Held(Generic[T]):
    """The block of `ThreadSlot.holding`."""

    def __init__(self, slot: ThreadSlot[T], value: T) -> None:
        self._slot, self._value = slot, value

    def __enter__(self) -> T:
        self._outer, self._slot.value = self._slot.value, self._value
        return self._value

    def __exit__(self, *exception: object) -> None:
        # The block of a generator that an interrupt has left behind ends at any time: then the value is another one.
        if self._slot.value is self._value:
            self._slot.value = self._outer


class ThreadStack(threading.local, Generic[T]):
    """A thread-local stack of the items of the open `with` blocks, outermost first.

    Blocks may end in any order: each removes its own item.
    """

    def __init__(self) -> None:
        self.items: list[T] = []
        if not any(x is self for x in _ALL):
            _ALL.append(self)

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
            places = [i for i, one in enumerate(self.items) if one is item]
            if places:  # not if `kept_after_errors` has removed it
                del self.items[places[-1]]


class kept_after_errors:
    """Open a block after which, if an error ends it, the state of this thread is what it was before.

    An interrupt may come between the end of an inner block and what that block undoes.
    """

    def __enter__(self) -> None:
        self._values = [
            (x, x.value if isinstance(x, ThreadSlot) else list(x.items)) for x in tuple(_ALL)
        ]

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is not None:
            for x, value in self._values:
                if isinstance(x, ThreadSlot):
                    x.value = value
                else:
                    x.items[:] = value
