"""Keep elements for later passes, and compute them ahead of their use."""

from __future__ import annotations

import collections
import itertools
import os
import pickle
import threading
from typing import Any

from shims._src.data.node import Node, Stream
from shims._src.data.sources import Indexed
from shims._src.platform.threads_at_exit import end_at_exit


class Cache(Node):
    """Elements that the first whole pass keeps, in memory or in a file."""

    def __init__(self, source: Node, filename: str):
        super().__init__(source)
        self.filename = f"{filename}.elements" if filename else ""
        self.kept: list[Any] | None = None

    def stream(self) -> Stream:
        """Give the kept elements, or collect them."""
        if self.filename and self.kept is None and os.path.exists(self.filename):
            with open(self.filename, "rb") as file:
                self.kept = pickle.load(file)
        return _CacheStream(self)

    def keep(self, kept: list) -> None:
        """Keep the elements of a whole pass."""
        self.kept = kept
        if self.filename:
            _write(self.filename, kept)


class _CacheStream(Stream):
    """Elements from the cache, or from the input as long as there is no cache.

    Attributes:
      at: the number of elements that were given.
      collected: these elements, while there is no cache.
    """

    def __init__(self, node: Cache):
        super().__init__(*([] if node.kept is not None else [node.input.stream()]))
        self.node, self.at = node, 0
        self.collected: list[Any] = []

    def __next__(self) -> Any:
        if not self.inputs:
            kept = self.node.kept or []
            if self.at >= len(kept):
                raise StopIteration
            element = kept[self.at]
        else:
            element = self._collect()
        self.at += 1
        return element

    def _collect(self) -> Any:
        try:
            element = next(self.input)
        except StopIteration:
            if self.node.kept is None:
                self.node.keep(self.collected)
            raise
        self.collected.append(element)
        return element

    def state(self) -> dict[str, Any]:
        """Return the position, with the elements that are not kept yet."""
        return {**super().state(), "at": self.at, "collected": [*self.collected]}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue in the cache if there is one, else collect again what came before."""
        self.at, self.inputs, self.collected = state["at"], (), [*state["collected"]]
        if self.node.kept is None:
            self.inputs = (self.node.input.stream(),)
            if state["inputs"]:
                self.input.restore(state["inputs"][0])
            else:
                self.collected = list(itertools.islice(self.input, self.at))


def _write(path: str, value) -> None:
    """Write a value to a file that appears as a whole."""
    partial = f"{path}.{os.getpid()}.part"
    with open(partial, "wb") as file:
        pickle.dump(value, file)
    os.replace(partial, path)


class Prefetch(Node):
    """Elements that a thread computes ahead of their use."""

    def __init__(self, source: Node, size: int):
        super().__init__(source)
        self.size = size

    def stream(self) -> Stream:
        """Start a thread at the first element."""
        return _PrefetchStream(self.input.stream(), self.size)


class _PrefetchStream(Stream):
    """Elements, or the errors in their place, in a buffer that a thread fills.

    The thread holds a lock while it computes an element and adds it, so a position is always one
    between two elements.
    """

    def __init__(self, source: Stream, size: int):
        super().__init__(source)
        self.size = size
        self.ready: collections.deque[tuple[Any, BaseException | None]] = collections.deque()
        self.changed, self.computing = threading.Condition(), threading.Lock()
        self.is_over = self.is_closed = False
        self.thread: threading.Thread | None = None

    def __next__(self) -> Any:
        if self.thread is None and not self.is_over:
            self.thread = threading.Thread(target=self._fill, daemon=True)
            end_at_exit(self.thread, self.close)
            self.thread.start()
        with self.changed:
            while not self.ready and not self.is_over:
                self.changed.wait()
            if not self.ready:
                raise StopIteration
            element, error = self.ready.popleft()
            self.changed.notify_all()
        if error is not None:
            raise error
        return element

    def _fill(self) -> None:
        while self._has_room():
            with self.computing:
                self._add()
        if self.is_closed:
            super().close()  # what the last element has opened since

    def _has_room(self) -> bool:
        with self.changed:
            while len(self.ready) >= self.size and not self.is_closed:
                self.changed.wait()
            return not self.is_closed and not self.is_over

    def _add(self) -> None:
        found: list[tuple[Any, BaseException | None]] = []
        try:
            found.append((next(self.input), None))
        except StopIteration:
            pass
        except Exception as error:  # noqa: BLE001 - raised again where the element is used
            found.append((None, error))
        with self.changed:
            self.ready.extend(found)
            self.is_over = not found
            self.changed.notify_all()

    def state(self) -> dict[str, Any]:
        """Return the position, with the elements that are computed already."""
        with self.computing, self.changed:
            ready = [element for element, error in self.ready if error is None]
            return {**super().state(), "ready": ready, "is_over": self.is_over}

    def restore(self, state: dict[str, Any]) -> None:
        """End the thread, and continue from a position."""
        self.close()
        if self.thread is not None:
            self.thread.join()
        super().restore(state)
        self.ready = collections.deque((element, None) for element in state["ready"])
        self.is_over, self.is_closed, self.thread = state["is_over"], False, None

    def close(self) -> None:
        """Let the thread end."""
        with self.changed:
            self.is_closed = True
            self.changed.notify_all()
        super().close()


class Saved(Node):
    """The elements in a folder that `write` made."""

    def __init__(self, path: str, spec):
        super().__init__()
        with open(os.path.join(path, _FILE), "rb") as file:
            found, self.elements = pickle.load(file)
        self._spec = (found if spec is None else spec,)

    def cardinality(self) -> int:
        """Return the number of elements."""
        return len(self.elements)

    def stream(self) -> Stream:
        """Give the elements in order."""
        return Indexed(len(self.elements), self.elements.__getitem__)


_FILE = "elements.pickle"


def write(path: str, node: Node) -> None:
    """Write all elements of a node, and their specs, to a folder."""
    os.makedirs(path, exist_ok=True)
    _write(os.path.join(path, _FILE), (node.spec, list(node.stream())))
