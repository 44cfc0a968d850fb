"""Track the variable names and source lines of a Python function that is being written."""

from __future__ import annotations

import dataclasses
import keyword
import re
from typing import NamedTuple

from tf2jax_port.importing.graph import Edge
from tf2jax_port.importing.rule import UnsupportedError

ANY = ("same",)  # marks nodes whose every output is the value itself


class Value(NamedTuple):
    """The Python expression of a node's value, and the names of its outputs as in `Rule`."""

    text: str
    outputs: tuple[str, ...] = ()

    def at(self, edge: Edge) -> str:
        """Return the Python expression for one output of the node.

        Raises:
          UnsupportedError: the operator's rule does not provide this output.
        """
        if self.outputs == ANY:
            return self.text
        if not self.outputs:
            if edge.output:
                raise UnsupportedError(
                    f"there is no rule for output {edge.output} of this operator"
                )
            return self.text
        index = edge.output
        if edge.port in self.outputs:
            index += self.outputs.index(edge.port)
        if self.outputs != ("*",) and index >= len(self.outputs):
            raise UnsupportedError(f"there is no rule for output {index} of this operator")
        return f"{self.text}[{index}]"


class Names:
    """Generates unique Python identifiers."""

    def __init__(self, taken: tuple[str, ...]):
        self.taken = set(taken)

    def new(self, wanted: str) -> str:
        """Return a new identifier that resembles a node's name: `dense_1_relu` for `dense_1/Relu`."""
        name = re.sub(r"\W+", "_", wanted).strip("_").lower() or "value"
        if name[0].isdigit() or keyword.iskeyword(name):
            name = f"n_{name}"
        number, found = 1, name
        while found in self.taken:
            number += 1
            found = f"{name}_{number}"
        self.taken.add(found)
        return found


@dataclasses.dataclass
class Scope:
    """The lines of a Python function being written, and the values of its nodes.

    A nested scope can use the values of outer scopes.
    """

    names: Names
    lines: list[str]
    depth: int = 1
    outer: Scope | None = None
    values: dict[str, Value] = dataclasses.field(default_factory=dict)

    def find(self, node: str) -> Value | None:
        """Return the value of a node in this scope or an outer one."""
        scope: Scope | None = self
        while scope is not None:
            if node in scope.values:
                return scope.values[node]
            scope = scope.outer
        return None

    def inside(self) -> Scope:
        """Return a new scope for a function nested in this one."""
        return Scope(self.names, self.lines, self.depth + 1, self)

    def write(self, line: str) -> None:
        """Append a line of source to the function."""
        self.lines.append("    " * self.depth + line)
