"""Choose elements by position: shuffle, repeat, take, skip, shard."""

from __future__ import annotations

from typing import Any

from shims._src.data.node import INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, Node, Stream
from shims._src.data.random_numbers import Seeded, SeedSource
from shims._src.errors import errors


class Shuffle(Node):
    """Elements in random order: each is drawn from a buffer of the next elements."""

    def __init__(self, source: Node, buffer_size: int, seeds: SeedSource):
        super().__init__(source)
        self.buffer_size, self.seeds = buffer_size, seeds

    def random_state(self) -> list[tuple[Any, str]]:
        """Return the generator of seeds."""
        return [(self.seeds, "changing")]

    def stream(self) -> Stream:
        """Start with the next seeds."""
        return _ShuffleStream(self.seeds, self.input.stream(), self.buffer_size)


class _ShuffleStream(Seeded):
    """Draws from a buffer, whose first element takes the place of the one that was drawn."""

    saved = ("buffer", "numbers", "is_over", "start", "end")

    def __init__(self, seeds: SeedSource, source: Stream, size: int):
        super().__init__(seeds, source)
        self.size = size
        self.buffer: dict[int, Any] = {}
        self.start = self.end = 0
        self.is_over = False

    def __next__(self) -> Any:
        while not self.is_over and (self.size < 0 or self.end - self.start < self.size):
            try:
                self.buffer[self.end] = next(self.input)
                self.end += 1
            except StopIteration:
                self.is_over = True
        if self.start == self.end:
            raise StopIteration
        chosen = self.start + self.numbers.draw() % (self.end - self.start)
        first = self.buffer.pop(self.start)
        found = first if chosen == self.start else self.buffer[chosen]
        if chosen != self.start:
            self.buffer[chosen] = first
        self.start += 1
        return found


class Repeat(Node):
    """The elements several times over; a negative count has no end."""

    def __init__(self, source: Node, count: int):
        super().__init__(source)
        self.count = count

    def cardinality(self) -> int:
        """Multiply."""
        size = self.input.cardinality()
        if self.count == 0 or size == 0:
            return 0
        if self.count < 0 or size == INFINITE_CARDINALITY:
            return INFINITE_CARDINALITY
        return UNKNOWN_CARDINALITY if size == UNKNOWN_CARDINALITY else size * self.count

    def stream(self) -> Stream:
        """Start the first pass."""
        return _RepeatStream(self)


class _RepeatStream(Stream):
    saved = ("passes", "is_empty")

    def __init__(self, node: Repeat):
        super().__init__(node.input.stream())
        self.node = node
        self.passes, self.is_empty = 0, True
        # As TensorFlow does: it starts a pass that nobody reads, unless it removes or fuses the repetition.
        self.is_fused = isinstance(node.input, Shuffle) or node.count == 1

    def __next__(self) -> Any:
        while self.node.count < 0 or self.passes < self.node.count:
            try:
                found = next(self.input)
                self.is_empty = False
                return found
            except StopIteration:
                self.passes += 1
                if self.is_empty and self.node.count < 0:
                    raise
                if self.node.count < 0 or self.passes < self.node.count or not self.is_fused:
                    self.inputs = (self.node.input.stream(),)
        raise StopIteration


class Part(Node):
    """Every `step`-th element from `start` below `stop`; `None` for no end."""

    def __init__(self, source: Node, start: int, stop: int | None, step: int = 1):
        super().__init__(source)
        self.start, self.stop, self.step = start, stop, step

    def cardinality(self) -> int:
        """Count what is left."""
        size = self.input.cardinality()
        if size == INFINITE_CARDINALITY:
            return INFINITE_CARDINALITY if self.stop is None else self.stop
        if size == UNKNOWN_CARDINALITY:
            return UNKNOWN_CARDINALITY
        return len(range(size)[self.start : self.stop : self.step])

    def stream(self) -> Stream:
        """Count elements."""
        return _PartStream(self)


class _PartStream(Stream):
    saved = ("at",)

    def __init__(self, node: Part):
        super().__init__(node.input.stream())
        self.node, self.at = node, 0

    def __next__(self) -> Any:
        node = self.node
        while node.stop is None or self.at < node.stop:
            found = next(self.input)
            self.at += 1
            if self.at > node.start and (self.at - 1 - node.start) % node.step == 0:
                return found
        raise StopIteration


class AssertedCardinality(Node):
    """A dataset whose number of elements is declared, and checked at the end of a pass."""

    def __init__(self, source: Node, expected: int):
        super().__init__(source)
        self.expected = expected

    def cardinality(self) -> int:
        """Return the declared number."""
        return self.expected

    def stream(self) -> Stream:
        """Count elements."""
        return _CheckedStream(self)


class _CheckedStream(Stream):
    saved = ("at",)

    def __init__(self, node: AssertedCardinality):
        super().__init__(node.input.stream())
        self.expected, self.at = node.expected, 0

    def __next__(self) -> Any:
        try:
            found = next(self.input)
        except StopIteration:
            if self.expected not in (UNKNOWN_CARDINALITY, self.at):
                raise errors.FailedPreconditionError(
                    f"Input dataset was expected to contain {_counted(self.expected)} but contained "
                    f"only {_counted(self.at)}."
                ) from None
            raise
        self.at += 1
        if 0 <= self.expected < self.at:
            raise errors.FailedPreconditionError(
                f"Input dataset was expected to contain {_counted(self.expected)} but contained at "
                f"least {_counted(self.at)}."
            )
        return found


def _counted(size: int) -> str:
    return (
        "an infinite number of elements"
        if size == INFINITE_CARDINALITY
        else f"{size} element{'s'[: size != 1]}"
    )
