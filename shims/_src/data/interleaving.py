"""Read the datasets that a function returns for the elements: flat_map and interleave."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shims._src.data import function_specs
from shims._src.data.calls import UserFunction
from shims._src.data.node import UNKNOWN_CARDINALITY, Node, Stream
from shims._src.data.windows import check_dataset


class Interleave(Node):
    """The elements of several datasets at a time, `block_length` of each in turn."""

    def __init__(self, source: Node, function: Callable[..., Any], cycle: int, block: int):
        super().__init__(source)
        self.function, self.cycle, self.block = UserFunction(function), cycle, block

    def find_spec(self) -> Any:
        """Return the specs of the elements of the datasets that the function returns."""
        return function_specs.of_results(self.function, self.input).element_spec

    def known_spec(self) -> None:
        """Return `None`: the function would have to be called."""

    def cardinality(self) -> int:
        """Return `UNKNOWN_CARDINALITY`."""
        return UNKNOWN_CARDINALITY

    def opened(self, element) -> Stream:
        """Return the elements of the dataset of an element."""
        return check_dataset(self.function.on(element), "map_func").stream()

    def stream(self) -> Stream:
        """Open the first datasets."""
        return _InterleaveStream(self)


class _InterleaveStream(Stream):
    """Elements of the datasets at the places of a cycle.

    Attributes:
      at: the current place.
      taken: the elements taken from it in this turn.
      open: for each place, the element and the stream of its dataset.
    """

    saved = ("at", "taken", "is_over")

    def __init__(self, node: Interleave):
        super().__init__(node.input.stream())
        self.node = node
        self.at = self.taken = 0
        self.is_over = False
        self.open: list[tuple[Any, Stream] | None] = [None] * node.cycle

    def __next__(self) -> Any:
        while not self.is_over or any(self.open):
            place = self.open[self.at]
            if place is None:
                self._fill()
                continue
            try:
                found = next(place[1])
            except StopIteration:
                self.open[self.at] = None
                self._advance()
                continue
            self.taken += 1
            if self.taken == self.node.block:
                self._advance()
            return found
        raise StopIteration

    def _fill(self) -> None:
        if not self.is_over:
            try:
                element = next(self.input)
                self.open[self.at] = element, self.node.opened(element)
                return
            except StopIteration:
                self.is_over = True
        self._advance()

    def _advance(self) -> None:
        self.at, self.taken = (self.at + 1) % self.node.cycle, 0

    def state(self) -> dict[str, Any]:
        """Return the position, with those in the open datasets."""
        places = [None if p is None else (p[0], p[1].state()) for p in self.open]
        return {**super().state(), "open": places}

    def restore(self, state: dict[str, Any]) -> None:
        """Open the datasets again."""
        super().restore(state)
        self.open = [None] * self.node.cycle
        for number, place in enumerate(state["open"]):
            if place is not None:
                stream = self.node.opened(place[0])
                stream.restore(place[1])
                self.open[number] = place[0], stream

    def is_stuck(self) -> bool:
        """Return whether the input, or the dataset at the present place, is stuck."""
        place = self.open[self.at]
        return super().is_stuck() or (place is not None and place[1].is_stuck())

    def close(self) -> None:
        """Close the open datasets, too."""
        super().close()
        for place in self.open:
            if place is not None:
                place[1].close()
