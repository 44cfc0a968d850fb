"""Follow the values that a function assigns to its local names, line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from tf2jax_port.diff.code_bases.encoding import Encoder, Node

MOST = 100  # values of one call; a loop has more
_SAMPLE = 64  # elements that are kept of an array: enough to tell where a difference begins, not what is equal


class Step(NamedTuple):
    """A name that got a value: the line, the name, the shape, and some elements."""

    line: int
    name: str
    shape: tuple[int, ...]
    sample: np.ndarray


class Steps:
    """Collects the arrays that the names of a running function get.

    Args:
      array: returns a value as a NumPy array, or `None` if it is not an array.
    """

    def __init__(self, array: Callable[[Any], np.ndarray | None]) -> None:
        self._array = array
        self._known: dict[
            str, Any
        ] = {}  # the values themselves, so that no other takes their place
        self.line = 0
        self.found: list[Step] = []

    def begin(self, names: Mapping[str, Any], line: int) -> None:
        """Remember the arguments."""
        self._known, self.line = dict(names), line

    def look(self, names: Mapping[str, Any], line: int) -> None:
        """Add the values that the previous line has given to names."""
        for name, value in names.items():
            if self._known.get(name) is value:
                continue
            self._known[name] = value
            if len(self.found) < MOST and (array := self._array(value)) is not None:
                flat = array.reshape(-1)
                sample = np.array(flat[:: max(1, flat.size // _SAMPLE)][:_SAMPLE])
                self.found.append(Step(self.line, name, array.shape, sample))
        self.line = line


def encoded(steps: Iterable[Step], encoder: Encoder) -> Node:
    """Return the node of steps."""
    items = [
        {
            **encoder.of_array("numpy", step.sample),
            "line": step.line,
            "name": step.name,
            "shape": list(step.shape),
        }
        for step in steps
        if step.sample.dtype.kind in "biuf"
    ]
    return {"kind": "list", "items": items}


def decoded(node: Node, arrays: list[np.ndarray]) -> Iterator[Step]:
    """Yield the steps of a node."""
    for item in node.get("items", ()):
        yield Step(item["line"], item["name"], tuple(item["shape"]), arrays[item["array"]])


class Parting(NamedTuple):
    """The first difference between an original and its port: the line of each, and the name; `""` for the result."""

    original: int
    port: int
    name: str


def parting(
    original: list[Step], port: list[Step], last: int, differs: Callable[[Any, Any], bool]
) -> Parting | None:
    """Return the first name whose value differs, or the line of the result if all names agree, or `None`.

    Args:
      original: the steps of the original.
      port: the steps of the port.
      last: the line at which the port returns.
      differs: whether two arrays differ.
    """
    if len(original) >= MOST or len(port) >= MOST:
        return _first(original, port, differs)
    found = _first(original, port, differs)
    names = [step.name for step in original] == [step.name for step in port]
    return found or (Parting(0, last, "") if names else None)


def _first(
    original: list[Step], port: list[Step], differs: Callable[[Any, Any], bool]
) -> Parting | None:
    """Return the first value of the port that differs from the original's value of the same name at the same turn."""
    turns: dict[str, list[Step]] = {}
    for step in original:
        turns.setdefault(step.name, []).append(step)
    for step in port:
        left = turns.get(step.name)
        if not left:
            continue
        old = left.pop(0)
        if old.shape != step.shape or differs(old.sample, step.sample):
            return Parting(old.line, step.line, step.name)
    return None
