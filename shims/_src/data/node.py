"""Define the nodes of an input pipeline and the streams of elements that they give.

A node describes a dataset; each of its streams is one pass over the elements. A stream can tell its
position as a picklable value, and can be set to such a position.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, ClassVar

INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2


class Stream:
    """One pass over the elements of a node.

    Attributes:
      saved: the names of the attributes that make up the position, besides those of `inputs`.
      inputs: the streams that this one reads.
    """

    saved: ClassVar[tuple[str, ...]] = ()

    def __init__(self, *inputs: Stream):
        self.inputs = inputs

    @property
    def input(self) -> Stream:
        """The first input."""
        return self.inputs[0]

    def __iter__(self) -> Stream:
        return self

    def __next__(self) -> Any:
        raise NotImplementedError

    def state(self) -> dict[str, Any]:
        """Return the position."""
        own = {name: copy.copy(getattr(self, name)) for name in self.saved}
        return {"own": own, "inputs": [i.state() for i in self.inputs]}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a position."""
        for name, value in state["own"].items():
            setattr(self, name, copy.copy(value))
        for stream, inner in zip(self.inputs, state["inputs"], strict=True):
            stream.restore(inner)

    def is_stuck(self) -> bool:
        """Return whether the next element will raise the error of the last one again."""
        return any(stream.is_stuck() for stream in self.inputs)

    def close(self) -> None:
        """End what runs in the background."""
        for stream in self.inputs:
            stream.close()


class Node:
    """The description of a dataset.

    Attributes:
      inputs: the nodes that this one reads.
    """

    def __init__(self, *inputs: Node):
        self.inputs = inputs
        self._spec: Any = None

    @property
    def input(self) -> Node:
        """The first input."""
        return self.inputs[0]

    @property
    def spec(self) -> Any:
        """The structure of specs of the elements."""
        if self._spec is None:
            self._spec = (self.find_spec(),)
        return self._spec[0]

    def find_spec(self) -> Any:
        """Find the specs of the elements; by default, those of the input."""
        return self.input.spec

    def known_spec(self) -> Any:
        """Return the specs if no function of the user has to be called for them, else `None`."""
        return self.input.known_spec() if self.inputs else self.spec

    def cardinality(self) -> int:
        """Return the number of elements, `INFINITE_CARDINALITY` or `UNKNOWN_CARDINALITY`; by default, that of the input."""
        return self.input.cardinality()

    def stream(self) -> Stream:
        """Start a pass over the elements."""
        raise NotImplementedError

    def random_state(self) -> list[tuple[Any, str]]:
        """Return `(object, attribute name)` for each random state that a pass over the elements changes."""
        return []

    def __shims_dataset__(self) -> Node:
        return self


class Published:
    """The hook by which nodes inside of elements become the datasets that programs see."""

    as_dataset: ClassVar[Callable[[Node], Any]]


def published(component) -> Any:
    """Return a component as programs see it: a node is a dataset."""
    return Published.as_dataset(component) if isinstance(component, Node) else component
