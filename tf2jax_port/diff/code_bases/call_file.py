"""Store captured calls in an npz file: the arrays, and one JSON text; it contains no code."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tf2jax_port.diff.code_bases.encoding import PARTS, Node, arrays_in
from tf2jax_port.paths.whole_files import replaced

_TEXT = "calls.json"
Function = tuple[str, str]  # a module, and the qualified name of a function in it


@dataclasses.dataclass(frozen=True, slots=True)
class Call:
    """One captured call.

    Attributes:
      module: the module of the function.
      name: its qualified name in the module: `function`, `Class.method`.
      arguments: `call`, the positional and keyword arguments (none for a property), `owner`, the object or class
        of a method, and `function`, what another function has made.
      result: the result; if the owner has variables, `returned` and their values afterwards, `state`.
      unfit: why the call cannot be replayed, empty if it can.
      gradients: the gradients that exist in the original: `of`, the positions of the results whose weighted sum is
        differentiated, `to`, with respect to what, and their `values`; empty if there are none.
      steps: the values that the names of the function got, line by line.
      after: the object of a method after the call, if the call has changed it, or what a constructor has made.
    """

    module: str
    name: str
    arguments: dict[str, Node]
    result: Node
    unfit: str = ""
    gradients: dict[str, Any] = dataclasses.field(default_factory=dict)
    steps: Node = dataclasses.field(default_factory=dict)
    after: Node = dataclasses.field(default_factory=dict)

    @property
    def function(self) -> Function:
        """Return the module and the name of the function."""
        return self.module, self.name

    @property
    def tensors(self) -> list[Node]:
        """Return the nodes of the tensors in the arguments, each once."""
        found = [n for a in self.arguments.values() for n in arrays_in(a) if n["kind"] == "tensor"]
        return list({node["array"]: node for node in found}.values())


def is_constructor(call: Call) -> bool:
    """Return whether a call makes an object."""
    return call.name.endswith("__init__")


@dataclasses.dataclass(frozen=True, slots=True)
class Calls:
    """The calls of a run, and the arrays to which their nodes refer.

    Attributes:
      calls: the calls.
      arrays: the arrays.
      packages: the import names of the packages that were watched.
      edges: which function called which one, as pairs.
      without_tensors: the functions that were called, and no tensor passed through them.
      unkept: why no call of a function was kept, although some were seen.
    """

    calls: tuple[Call, ...]
    arrays: tuple[np.ndarray, ...]
    packages: tuple[str, ...] = ()
    edges: frozenset[tuple[Function, Function]] = frozenset()
    without_tensors: frozenset[Function] = frozenset()
    unkept: Mapping[Function, str] = dataclasses.field(default_factory=dict)

    def write(self, path: Path, *, compressed: bool = True) -> None:
        """Write the calls to a file, which takes time if it is compressed."""
        about = {
            "calls": [dataclasses.asdict(call) for call in self.calls],
            "packages": self.packages,
            "edges": sorted(self.edges),
            "without_tensors": sorted(self.without_tensors),
            "unkept": [[*place, why] for place, why in sorted(self.unkept.items())],
            "arrays": (places := _first_places(self.arrays)),
        }
        named: dict[str, Any] = {str(index): self.arrays[index] for index in dict.fromkeys(places)}
        named[_TEXT] = np.frombuffer(json.dumps(about).encode(), np.uint8)
        with replaced(path) as file:
            (np.savez_compressed if compressed else np.savez)(file, **named)


# What `zipfile` and `zlib` raise, and what a header without its parts leads to.
_OF_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    AttributeError,
    KeyError,
    TypeError,
    NotImplementedError,
    RuntimeError,
    MemoryError,
    OverflowError,
)


def read_calls(path: Path) -> Calls:
    """Read the calls of a file that `Calls.write` wrote.

    Raises:
      ValueError: it is another kind of file, or it is damaged.
      OSError: it cannot be read.
    """
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            if _TEXT not in file.files:
                raise ValueError("the file contains no calls")
            about = json.loads(file[_TEXT].tobytes())
            kept = {index: file[str(index)] for index in dict.fromkeys(about["arrays"])}
            arrays = tuple(kept[index] for index in about["arrays"])
        if not all(isinstance(array, np.ndarray) for array in arrays):
            raise ValueError("a name in the file was changed")
        return Calls(
            tuple(Call(**entry) for entry in about["calls"]),
            arrays,
            tuple(about["packages"]),
            frozenset((tuple(caller), tuple(callee)) for caller, callee in about["edges"]),
            frozenset(map(tuple, about["without_tensors"])),
            {(module, name): why for module, name, why in about.get("unkept", ())},
        )
    except _OF_DAMAGE as error:
        raise ValueError(f"the file is damaged: {error}") from error


def _first_places(arrays: tuple[np.ndarray, ...]) -> list[int]:
    """Return for each array the first equal array: often, a result is the argument of the next call."""
    first: dict[str, int] = {}
    return [first.setdefault(_digest(array), index) for index, array in enumerate(arrays)]


def merged(several: list[Calls]) -> Calls:
    """Return the calls of several processes as one."""
    calls: list[Call] = []
    arrays: list[np.ndarray] = []
    for each in several:
        calls += [moved(call, len(arrays)) for call in each.calls]
        arrays += each.arrays
    return Calls(
        tuple(calls),
        tuple(arrays),
        tuple(dict.fromkeys(name for each in several for name in each.packages)),
        frozenset().union(*(each.edges for each in several)),
        frozenset().union(*(each.without_tensors for each in several)),
        {place: why for each in reversed(several) for place, why in each.unkept.items()},
    )


def fingerprint(call: Call, arrays: tuple[np.ndarray, ...]) -> str:
    """Return a text that two calls share only if their arguments and results are the same."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                key: _digest(arrays[item]) if key == "array" else plain(item)
                for key, item in value.items()
            }
        return [plain(item) for item in value] if isinstance(value, list | tuple) else value

    text = json.dumps(plain(dataclasses.asdict(call)), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _digest(array: np.ndarray) -> str:
    about = f"{array.dtype.str}{array.shape}".encode()
    return hashlib.sha256(about + array.tobytes()).hexdigest()


def moved(call: Call, by: int) -> Call:
    """Return a call whose arrays have moved."""
    gradients = dict(call.gradients)
    if gradients:
        gradients["values"] = moved_node(gradients["values"], by)
    return dataclasses.replace(
        call,
        arguments={key: moved_node(node, by) for key, node in call.arguments.items()},
        result=moved_node(call.result, by),
        gradients=gradients,
        steps=moved_node(call.steps, by),
        after=moved_node(call.after, by),
    )


def moved_node(node: Node, by: int) -> Node:
    """Return a node whose arrays have moved."""
    moved = {**node}
    if "array" in node:
        moved["array"] += by
    for part in PARTS:
        inner = node.get(part)
        if isinstance(inner, dict):
            moved[part] = {key: moved_node(item, by) for key, item in inner.items()}
        elif inner:
            moved[part] = [moved_node(item, by) for item in inner]
    return moved
