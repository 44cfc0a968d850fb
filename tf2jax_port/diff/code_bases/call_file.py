"""Store captured calls in an npz file: the arrays, and one JSON text; it contains no code."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np

from tf2jax_port.diff.code_bases.encoding import Node

_TEXT = "calls.json"


@dataclasses.dataclass(frozen=True, slots=True)
class Call:
    """One captured call.

    Attributes:
      module: the module of the function.
      name: its qualified name in the module: `function`, `Class.method`.
      arguments: `call`, the positional and keyword arguments (none for a property), and `owner`, the object or class
        of a method.
      result: the result; if the owner has variables, `returned` and their values afterwards, `state`.
      unfit: why the call cannot be replayed, empty if it can.
    """

    module: str
    name: str
    arguments: dict[str, Node]
    result: Node
    unfit: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Calls:
    """The calls of a run, and the arrays to which their nodes refer."""

    calls: tuple[Call, ...]
    arrays: tuple[np.ndarray, ...]

    def write(self, path: Path) -> None:
        """Write the calls to a file."""
        text = json.dumps([dataclasses.asdict(call) for call in self.calls])
        named: dict[str, Any] = {str(index): array for index, array in enumerate(self.arrays)}
        named[_TEXT] = np.frombuffer(text.encode(), np.uint8)
        with path.open("wb") as file:
            np.savez_compressed(file, **named)


def read_calls(path: Path) -> Calls:
    """Read the calls of a file that `Calls.write` wrote."""
    with np.load(path, allow_pickle=False) as file:
        entries = json.loads(file[_TEXT].tobytes())
        arrays = tuple(file[str(index)] for index in range(len(file.files) - 1))
    return Calls(tuple(Call(**entry) for entry in entries), arrays)


def merged(several: list[Calls]) -> Calls:
    """Return the calls of several processes as one."""
    calls: list[Call] = []
    arrays: list[np.ndarray] = []
    for each in several:
        calls += [_moved(call, len(arrays)) for call in each.calls]
        arrays += each.arrays
    return Calls(tuple(calls), tuple(arrays))


def _moved(call: Call, by: int) -> Call:
    arguments = {key: moved_node(node, by) for key, node in call.arguments.items()}
    return dataclasses.replace(call, arguments=arguments, result=moved_node(call.result, by))


def moved_node(node: Node, by: int) -> Node:
    """Return a node whose arrays have moved."""
    moved = {**node}
    if "array" in node:
        moved["array"] += by
    for part in ("items", "state"):
        inner = node.get(part)
        if isinstance(inner, dict):
            moved[part] = {key: moved_node(item, by) for key, item in inner.items()}
        elif inner:
            moved[part] = [moved_node(item, by) for item in inner]
    return moved
