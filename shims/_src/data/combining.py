"""Combine datasets: zip, concatenate, choose, enumerate, and keep each element once."""

from __future__ import annotations

from typing import Any

import numpy as np

from shims._src.data import specs, structures
from shims._src.data.node import INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, Node, Stream
from shims._src.errors import errors
from shims._src.types.host_tensor import host
from shims._src.types.tensor_spec import TensorSpec


class Zip(Node):
    """Elements of several datasets side by side, in a structure whose leaves are nodes."""

    def __init__(self, structure):
        super().__init__(*structures.flatten(structure))
        self.structure = structure

    def find_spec(self) -> Any:
        """Return the structure of the specs of the datasets."""
        return structures.map_leaves(lambda n: n.spec, self.structure)

    def known_spec(self) -> Any:
        """Return the specs if all are known."""
        found = [n.known_spec() for n in self.inputs]
        return None if None in found else structures.pack(self.structure, iter(found))

    def cardinality(self) -> int:
        """Return the smallest number of elements."""
        sizes = [n.cardinality() for n in self.inputs]
        if UNKNOWN_CARDINALITY in sizes:
            return UNKNOWN_CARDINALITY
        return min((n for n in sizes if n != INFINITE_CARDINALITY), default=INFINITE_CARDINALITY)

    def stream(self) -> Stream:
        """Read all datasets."""
        return _ZipStream(self)


class _ZipStream(Stream):
    def __init__(self, node: Zip):
        super().__init__(*(n.stream() for n in node.inputs))
        self.structure = node.structure

    def __next__(self) -> Any:
        return structures.pack(self.structure, iter([next(s) for s in self.inputs]))


class Concatenate(Node):
    """The elements of one dataset and then those of another.

    Raises:
      TypeError: they have different structures or dtypes.
    """

    def __init__(self, first: Node, second: Node):
        super().__init__(first, second)
        known = first.known_spec(), second.known_spec()
        if None not in known:
            _common(*known)

    def find_spec(self) -> Any:
        """Return the specs that describe the elements of both."""
        return _common(self.inputs[0].spec, self.inputs[1].spec)

    def known_spec(self) -> Any:
        """Return the specs if those of both are known."""
        found = [n.known_spec() for n in self.inputs]
        return None if None in found else _common(*found)

    def cardinality(self) -> int:
        """Add."""
        sizes = [n.cardinality() for n in self.inputs]
        for special in (INFINITE_CARDINALITY, UNKNOWN_CARDINALITY):
            if special in sizes:
                return special
        return sum(sizes)

    def stream(self) -> Stream:
        """Read one after the other."""
        return _ChainStream(*(n.stream() for n in self.inputs))


def _common(a, b) -> Any:
    alike = structures.are_alike(a, b)
    found = structures.map_leaves(specs.common, a, b) if alike else None
    if not alike or None in structures.flatten(found):
        raise TypeError(
            "Incompatible types of input datasets: two datasets to concatenate have different types "
            f"{a} and {b}"
        )
    return found


class _ChainStream(Stream):
    saved = ("current",)

    def __init__(self, *inputs: Stream):
        super().__init__(*inputs)
        self.current = 0

    def __next__(self) -> Any:
        while self.current < len(self.inputs):
            try:
                return next(self.inputs[self.current])
            except StopIteration:
                self.current += 1
        raise StopIteration


class Choose(Node):
    """Elements of the datasets that the numbers of a selector name."""

    def __init__(self, selector: Node, choices: list[Node], stops_on_empty: bool):
        super().__init__(selector, *choices)
        self.choices, self.stops_on_empty = choices, stops_on_empty

    def find_spec(self) -> Any:
        """Return the specs that describe the elements of all datasets."""
        found = self.choices[0].spec
        for other in self.choices[1:]:
            found = _common(found, other.spec)
        return found

    def known_spec(self) -> Any:
        """Return the specs of the first dataset if they are known."""
        return self.choices[0].known_spec()

    def cardinality(self) -> int:
        """Return `INFINITE_CARDINALITY` if a dataset has no end, as TensorFlow does."""
        sizes = [n.cardinality() for n in self.choices]
        return INFINITE_CARDINALITY if INFINITE_CARDINALITY in sizes else UNKNOWN_CARDINALITY

    def stream(self) -> Stream:
        """Read the selector and the datasets."""
        return _ChoiceStream(self)


class _ChoiceStream(Stream):
    saved = ("ended", "is_over")

    def __init__(self, node: Choose):
        super().__init__(*(n.stream() for n in node.inputs))
        self.stops_on_empty = node.stops_on_empty
        self.ended: set[int] = set()
        self.is_over = False

    def __next__(self) -> Any:
        while not self.is_over and len(self.ended) < len(self.inputs) - 1:
            index = int(next(self.input))
            if not 0 <= index < len(self.inputs) - 1:
                raise errors.InvalidArgumentError(
                    f"Selector index out of range: {index} >= {len(self.inputs) - 1}"
                )
            if index in self.ended:
                continue
            try:
                return next(self.inputs[index + 1])
            except StopIteration:
                self.is_over = self.stops_on_empty
                self.ended.add(index)
        raise StopIteration


class Enumerate(Node):
    """Pairs of a number and an element."""

    def __init__(self, source: Node, start: int):
        super().__init__(source)
        self.start = start

    def find_spec(self) -> Any:
        """Return a pair of specs."""
        return TensorSpec([], np.int64), self.input.spec

    def known_spec(self) -> Any:
        """Return a pair of specs if that of the element is known."""
        found = self.input.known_spec()
        return None if found is None else (TensorSpec([], np.int64), found)

    def stream(self) -> Stream:
        """Count from the start."""
        return _EnumerateStream(self.input.stream(), self.start)


class _EnumerateStream(Stream):
    saved = ("at",)

    def __init__(self, source: Stream, start: int):
        super().__init__(source)
        self.at = start

    def __next__(self) -> Any:
        element = next(self.input)
        self.at += 1
        return host(np.int64(self.at - 1)), element


class Unique(Node):
    """Each element once, where it comes first."""

    def cardinality(self) -> int:
        """Return `UNKNOWN_CARDINALITY`."""
        return UNKNOWN_CARDINALITY

    def stream(self) -> Stream:
        """Remember the elements."""
        return _UniqueStream(self.input.stream())


class _UniqueStream(Stream):
    saved = ("seen",)

    def __init__(self, source: Stream):
        super().__init__(source)
        self.seen: set[Any] = set()

    def __next__(self) -> Any:
        while True:
            element = next(self.input)
            value = np.asarray(element)
            key = tuple(value.reshape(-1).tolist()), value.shape
            if key not in self.seen:
                self.seen.add(key)
                return element
