"""Store the elements of a queue of a session, shared by the session's threads."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from shims._src.data.random_numbers import Numbers
from shims._src.errors import errors

Element = tuple[np.ndarray, ...]


class Buffer:
    """The elements of a queue, first in, first out.

    A caller that finds no room, or too few elements, waits for another thread.

    Args:
      kind: TensorFlow's name of the class, for messages.
      name: the name of the queue.
      capacity: the most elements that it holds.
      kept: the elements that stay until the queue is closed.
    """

    def __init__(self, kind: str, name: str, capacity: int, kept: int = 0):
        self._title = f"{kind} '{name}'"
        self.capacity, self._kept = int(capacity), int(kept)
        self._elements: list[Element] = []
        self._changed = threading.Condition()
        self.closed = self._cancelled = False

    def __len__(self) -> int:
        return len(self._elements)

    def put(self, elements: Sequence[Element]) -> None:
        """Add elements, one after another, as there is room.

        Raises:
          CancelledError: the queue is closed.
        """
        for element in elements:
            with self._changed:
                if self.closed:
                    raise self._closed_error()
                self._changed.wait_for(lambda: self._cancelled or len(self) < self.capacity)
                if self._cancelled:
                    raise self._closed_error()
                self._add(element)
                self._changed.notify_all()

    def take(self, count: int, fewer: bool = False) -> list[Element]:
        """Remove elements; with `fewer`, a closed queue gives those that it has.

        Raises:
          OutOfRangeError: the queue is closed and has too few elements.
        """
        taken: list[Element] = []
        with self._changed:
            while len(taken) < count:
                self._changed.wait_for(lambda: self.closed or len(self) > self._kept)
                if self.closed and len(self) < count - len(taken):
                    if not fewer or not (taken or self._elements):
                        self._elements[:0] = taken
                        raise self._empty_error(count)
                    count = len(taken) + len(self)
                taken.append(self._remove())
                self._changed.notify_all()
        return taken

    def close(self, cancel: bool) -> None:
        """Accept no more elements; with `cancel`, stop the callers that wait for room, too."""
        with self._changed:
            self.closed = True
            self._cancelled = self._cancelled or cancel
            self._changed.notify_all()

    def _add(self, element: Element) -> None:
        self._elements.append(element)

    def _remove(self) -> Element:
        return self._elements.pop(0)

    def _closed_error(self) -> errors.CancelledError:
        return errors.CancelledError(f"{self._title} is closed.")

    def _empty_error(self, count: int) -> errors.OutOfRangeError:
        return errors.OutOfRangeError(
            f"{self._title} is closed and has insufficient elements (requested {count}, current "
            f"size {len(self)})"
        )


class ShuffledBuffer(Buffer):
    """The elements of a queue that gives them in a random order."""

    def __init__(self, kind: str, name: str, capacity: int, kept: int, seeds):
        super().__init__(kind, name, capacity, kept)
        drawn = np.frombuffer(os.urandom(16), np.uint64).tolist()
        self._numbers = Numbers(*(drawn if seeds is None else seeds))

    def _remove(self) -> Element:
        place = self._numbers.draw() % len(self)
        found, last = self._elements[place], self._elements.pop()
        if place < len(self):
            self._elements[place] = last
        return found


class SortedBuffer(Buffer):
    """The elements of a queue that gives the one with the lowest first component first."""

    def _remove(self) -> Element:
        keys = [element[0] for element in self._elements]
        return self._elements.pop(keys.index(min(keys)))


def of_session(session: Any, key: str, make: Callable[[], Any]) -> Any:
    """Return what a session keeps under a key; `make` makes it when it is first used."""
    return session.resources.setdefault(key, make())
