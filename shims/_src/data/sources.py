"""Read elements from values, ranges, generators and random numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from shims._src.data import components, elements, generator_values, specs, structures
from shims._src.data.node import INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, Node, Stream
from shims._src.data.random_numbers import Seeded, SeedSource
from shims._src.types.host_tensor import host
from shims._src.types.tensor_spec import TensorSpec


class Indexed(Stream):
    """The elements that a function of the index gives, for `size` indices."""

    saved = ("at",)

    def __init__(self, size: int, get: Callable[[int], Any]):
        super().__init__()
        self.size, self.get, self.at = size, get, 0

    def __next__(self) -> Any:
        if self.at >= self.size:
            raise StopIteration
        self.at += 1
        return self.get(self.at - 1)


class Values(Node):
    """A dataset of given elements."""

    def __init__(self, values: list, spec=None):
        super().__init__()
        self.values = values
        if spec is not None:
            self._spec = (spec,)

    def find_spec(self) -> Any:
        """Return the specs that describe all of the values."""
        return specs.of_elements(self.values)

    def cardinality(self) -> int:
        """Return the number of values."""
        return len(self.values)

    def stream(self) -> Stream:
        """Give the values in order."""
        return Indexed(len(self.values), self.values.__getitem__)


class Slices(Node):
    """The rows of an element whose components have equally many rows.

    Raises:
      ValueError: the numbers of rows differ.
    """

    def __init__(self, element):
        super().__init__()
        self.element = element
        leaves = structures.flatten(element)
        if not leaves:
            raise ValueError("Invalid `element`. `element` should not be empty.")
        sizes = [components.row_count(leaf) for leaf in leaves]
        if len(set(sizes)) > 1:
            raise ValueError(
                f"Dimensions {sizes[0]} and {next(n for n in sizes if n != sizes[0])} are not "
                "compatible"
            )
        self.size = sizes[0]

    def find_spec(self) -> Any:
        """Return the specs of the rows."""
        return structures.map_leaves(lambda c: specs.row_of(specs.spec_of(c)), self.element)

    def cardinality(self) -> int:
        """Return the number of rows."""
        return self.size

    def stream(self) -> Stream:
        """Give the rows in order."""
        rows = [components.rows_of(c) for c in structures.flatten(self.element)]
        return Indexed(
            self.size, lambda i: structures.pack(self.element, iter([row(i) for row in rows]))
        )


class Range(Node):
    """Numbers from `start` below `stop`."""

    def __init__(self, start: int, stop: int, step: int, dtype: np.dtype, is_endless: bool = False):
        super().__init__()
        self.is_endless = is_endless
        if step == 0:
            raise ValueError("`step` must be a non-zero integer.")
        self.numbers, self.dtype = range(start, stop, step), dtype

    def find_spec(self) -> Any:
        """Return the spec of a scalar."""
        return TensorSpec([], self.dtype)

    def cardinality(self) -> int:
        """Return the number of numbers."""
        return INFINITE_CARDINALITY if self.is_endless else len(self.numbers)

    def stream(self) -> Stream:
        """Count."""
        dtype = self.dtype.type
        return Indexed(len(self.numbers), lambda i: host(dtype(self.numbers[i])))


class Random(Node):
    """An endless sequence of random numbers from 0 to 2**32 - 1."""

    def __init__(self, seeds: SeedSource):
        super().__init__()
        self.seeds = seeds

    def find_spec(self) -> Any:
        """Return the spec of a scalar."""
        return TensorSpec([], np.int64)

    def cardinality(self) -> int:
        """Return `INFINITE_CARDINALITY`."""
        return INFINITE_CARDINALITY

    def random_state(self) -> list[tuple[Any, str]]:
        """Return the generator of seeds."""
        return [(self.seeds, "changing")]

    def stream(self) -> Stream:
        """Start with the next seeds."""
        return _RandomStream(self.seeds)


class _RandomStream(Seeded):
    def __next__(self) -> Any:
        return host(np.int64(self.numbers.draw()))


class Generated(Node):
    """The elements of a Python generator."""

    def __init__(self, generator: Callable[..., Any], args: tuple, signature):
        super().__init__()
        self.generator, self.args, self._spec = generator, args, (signature,)

    def cardinality(self) -> int:
        """Return `UNKNOWN_CARDINALITY`."""
        return UNKNOWN_CARDINALITY

    def stream(self) -> Stream:
        """Call the generator at the first element."""
        return _GeneratorStream(self)


class _GeneratorStream(Stream):
    """The values of a generator; a position is restored by generating again what came before."""

    saved = ("at",)

    def __init__(self, node: Generated):
        super().__init__()
        self.node, self.at = node, 0
        self.is_failing = False
        self.values: Iterator[Any] | None = None

    def __next__(self) -> Any:
        if self.values is None:
            self.is_failing = True
            arguments = [elements.component_of(a).numpy() for a in self.node.args]
            self.values = iter(self.node.generator(*arguments))
            for _ in range(self.at):
                next(self.values)
            self.is_failing = False
        value = next(self.values)
        self.at += 1
        return generator_values.conformed(value, self.node.spec)

    def restore(self, state: dict[str, Any]) -> None:
        """Start again at the first value when the next element is asked for."""
        super().restore(state)
        self.values = None

    def is_stuck(self) -> bool:
        """Return whether the generator cannot be started."""
        return self.is_failing

    def close(self) -> None:
        """Close the generator."""
        close = getattr(self.values, "close", None)
        if close is not None:
            close()
