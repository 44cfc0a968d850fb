"""Group elements into nested datasets: windows, and groups by key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shims._src.data import function_specs, specs, structures
from shims._src.data.calls import UserFunction
from shims._src.data.node import UNKNOWN_CARDINALITY, Node, Stream
from shims._src.data.sources import Values
from shims._src.errors import errors
from shims._src.types.host_tensor import host


class Window(Node):
    """Datasets of `size` elements each, whose starts are `shift` elements apart."""

    def __init__(self, source: Node, size: int, shift: int, stride: int, drops_remainder: bool):
        super().__init__(source)
        for name, value in (("size", size), ("shift", shift), ("stride", stride)):
            if value <= 0:
                raise ValueError(
                    f"Window {name} must be greater than zero. Invalid `{name}`: {value}."
                )
        self.size, self.shift, self.stride = size, shift, stride
        self.drops_remainder = drops_remainder
        self.span = (size - 1) * stride + 1

    def find_spec(self) -> Any:
        """Return a structure of specs of datasets."""
        return structures.map_leaves(specs.DatasetSpec, self.input.spec)

    def known_spec(self) -> None:
        """Return `None`: no batch is made of datasets."""

    def cardinality(self) -> int:
        """Count the starts."""
        size = self.input.cardinality()
        if size < 0:
            return size
        if not self.drops_remainder:
            return -(-size // self.shift)
        return 0 if size < self.span else (size - self.span) // self.shift + 1

    def stream(self) -> Stream:
        """Collect elements."""
        return _WindowStream(self)


class _WindowStream(Stream):
    saved = ("buffer", "skips", "is_over")

    def __init__(self, node: Window):
        super().__init__(node.input.stream())
        self.node = node
        self.buffer: list[Any] = []
        self.skips, self.is_over = 0, False

    def __next__(self) -> Any:
        node = self.node
        while not self.is_over and len(self.buffer) < node.span:
            try:
                element = next(self.input)
            except StopIteration:
                self.is_over = True
                break
            if self.skips:
                self.skips -= 1
            else:
                self.buffer.append(element)
        if not self.buffer or (node.drops_remainder and len(self.buffer) < node.span):
            raise StopIteration
        found = self.buffer[: node.span : node.stride]
        self.skips = max(node.shift - len(self.buffer), 0)
        self.buffer = self.buffer[node.shift :]
        return datasets_of(found)


def datasets_of(batch: list) -> Any:
    """Return a structure of datasets: for each component, a dataset of its values in the elements."""
    columns = zip(*map(structures.flatten, batch), strict=True)
    return structures.pack(batch[0], iter([Values(list(c)) for c in columns]))


class GroupByWindow(Node):
    """The datasets that a function makes of groups of elements with equal keys."""

    def __init__(self, source: Node, key, reduce_group, size_of: Callable[[Any], int]):
        super().__init__(source)
        self.key, self.reduce_group = UserFunction(key), UserFunction(reduce_group)
        self.size_of = size_of

    def find_spec(self) -> Any:
        """Call the function on groups of the first elements."""
        found = [
            self.reduce_group(self.key.on(element), Values([element], self.input.spec))
            for element in function_specs.first_elements(self.input, 8)
            or function_specs.made_up_elements(self.input)
        ]
        return specs.of_elements(found).element_spec

    def known_spec(self) -> None:
        """Return `None`: the function would have to be called."""

    def cardinality(self) -> int:
        """Return `UNKNOWN_CARDINALITY`."""
        return UNKNOWN_CARDINALITY

    def stream(self) -> Stream:
        """Collect groups."""
        return _GroupStream(self)


class _GroupStream(Stream):
    """The elements of reduced groups; a position holds the group that is being read."""

    saved = ("groups", "is_over", "current")

    def __init__(self, node: GroupByWindow):
        super().__init__(node.input.stream())
        self.node = node
        self.groups: dict[int, list[Any]] = {}
        self.is_over = False
        self.current: tuple[int, list[Any]] | None = None
        self.output: Stream | None = None

    def __next__(self) -> Any:
        while True:
            if self.output is None and self.current is not None:
                self.output = self._reduced(*self.current).stream()
            if self.output is not None:
                try:
                    return next(self.output)
                except StopIteration:
                    self.output = self.current = None
            self.current = self._next_group()

    def _reduced(self, key: int, group: list) -> Node:
        found = self.node.reduce_group(host(key), Values(group, self.node.input.known_spec()))
        return check_dataset(found, "reduce_func")

    def _next_group(self) -> tuple[int, list[Any]]:
        while not self.is_over:
            try:
                element = next(self.input)
            except StopIteration:
                self.is_over = True
                break
            key = int(self.node.key.on(element))
            group = self.groups.setdefault(key, [])
            group.append(element)
            size = self.node.size_of(host(key))
            if size <= 0:
                raise errors.InvalidArgumentError(
                    f"Window size must be greater than zero, but got {size}."
                )
            if len(group) >= size:
                return key, self.groups.pop(key)
        if not self.groups:
            raise StopIteration
        key = min(self.groups)
        return key, self.groups.pop(key)

    def is_stuck(self) -> bool:
        """Return whether the present group cannot be reduced, or its dataset is stuck."""
        if self.output is not None:
            return self.output.is_stuck()
        return self.current is not None or super().is_stuck()

    def state(self) -> dict[str, Any]:
        """Return the position, with that in the group."""
        output = None if self.output is None else self.output.state()
        groups = {key: list(group) for key, group in self.groups.items()}
        return {**super().state(), "groups": groups, "output": output}

    def restore(self, state: dict[str, Any]) -> None:
        """Reduce the current group again."""
        super().restore(state)
        self.groups = {key: list(group) for key, group in state["groups"].items()}
        self.output = None
        if state["output"] is not None and self.current is not None:
            self.output = self._reduced(*self.current).stream()
            self.output.restore(state["output"])


def check_dataset(found, name: str) -> Node:
    """Check that a function returned a dataset.

    Raises:
      TypeError: it did not.
    """
    if not isinstance(found, Node):
        raise TypeError(
            f"Invalid `{name}`. `{name}` must return a `Dataset` object. Got {type(found).__name__}."
        )
    return found
