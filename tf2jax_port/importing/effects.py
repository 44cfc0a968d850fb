"""Detect operators with side effects: assignments, assertions and prints."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tf2jax_port.importing.graph import ImportedGraph, Node

_CHANGES = re.compile(r"^(Ref|Resource|Sparse)*(Assign|Scatter|Apply)|^(Variable)?Assign|V?Assign")
_FREE = {"ScatterNd", "ScatterNdNonAliasingAdd"}
_TELLS = {"Assert", "Print", "PrintV2"}


def changes_state(node: Node) -> bool:
    """Return whether a node's operator assigns to a variable."""
    return bool(_CHANGES.match(node.op)) and node.op not in _FREE


def only_tells(node: Node) -> bool:
    """Return whether a node asserts or prints, with no other effect."""
    return node.op in _TELLS


def behind(graph: ImportedGraph, names: Iterable[str]) -> Iterator[Node]:
    """Yield the given nodes and all of their dependencies, also those in called functions."""
    stack, seen = list(names), set()
    while stack:
        name = stack.pop()
        if name in seen or name not in graph.nodes:
            continue
        seen.add(name)
        node = graph.nodes[name]
        yield node
        function = graph.functions.get(str(node.attribute("f")))
        if function is not None:
            yield from behind(function, function.nodes)
        stack.extend([*(edge.node for edge in node.inputs), *node.controls])
