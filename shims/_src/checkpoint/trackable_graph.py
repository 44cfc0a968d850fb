"""Encode and decode the object graph of a checkpoint, the message `TrackableObjectGraph`."""

from __future__ import annotations

import dataclasses

from shims._src.checkpoint.tensor_reader import TensorReader
from shims._src.checkpoint.wire import (
    Malformed,
    bytes_field,
    bytes_of,
    fields,
    number_field,
    number_of,
)
from shims._src.errors import errors

GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"


@dataclasses.dataclass(frozen=True)
class Attribute:
    """A value of an object.

    Args:
      name: its name, `VARIABLE_VALUE` for that of a variable.
      full_name: the name of the variable.
      key: the key of the tensor in the checkpoint.
    """

    name: str
    full_name: str
    key: str


@dataclasses.dataclass
class Node:
    """An object of the graph.

    Args:
      children: the numbers of the nodes that it refers to, by name.
      attributes: its values.
      slots: variables of an optimizer: the node of the trained variable, the slot's name and its node.
    """

    children: dict[str, int] = dataclasses.field(default_factory=dict)
    attributes: list[Attribute] = dataclasses.field(default_factory=list)
    slots: list[tuple[int, str, int]] = dataclasses.field(default_factory=list)


def read_graph(bundle: TensorReader) -> list[Node] | None:
    """Return the objects of a checkpoint, the root first; `None` for a TensorFlow 1 checkpoint.

    Raises:
      DataLossError: the object graph is damaged.
    """
    if GRAPH_KEY not in bundle:
        return None
    try:
        data = bytes_of(bundle.read(GRAPH_KEY).item())
        nodes = [_node_of(bytes_of(value)) for number, value in fields(data) if number == 1]
        named = [i for n in nodes for i in (*n.children.values(), *(s[2] for s in n.slots))]
        if not nodes or max(named, default=0) >= len(nodes):
            raise Malformed("a node refers to an object that is not in the graph")
    except Malformed as fault:
        raise errors.DataLossError(
            errors.message("", f"{bundle.prefix}: the tensor {GRAPH_KEY} is damaged: {fault}.")
        ) from None
    return nodes


def encode_graph(nodes: list[Node]) -> bytes:
    """Encode the objects of a checkpoint."""
    has_values = _nodes_with_values(nodes)
    return b"".join(bytes_field(1, _node_bytes(n, i in has_values)) for i, n in enumerate(nodes))


def names_of(nodes: list[Node]) -> dict[int, str]:
    """Return the path from the root of each object, as TensorFlow's messages show it."""
    names, queue = {0: "(root)"}, [0]
    for at in queue:
        for child, number in nodes[at].children.items():
            if number not in names:
                names[number] = f"{names[at]}.{child}"
                queue.append(number)
    for at, node in enumerate(nodes):
        for variable, slot, number in node.slots:
            names[number] = f"{names.get(at)}'s state '{slot}' for {names.get(variable)}"
    return names


def _nodes_with_values(nodes: list[Node]) -> set[int]:
    """Return the objects that have values or refer, directly or not, to one that has."""
    parents: dict[int, list[int]] = {}
    for at, node in enumerate(nodes):
        for child in node.children.values():
            parents.setdefault(child, []).append(at)
    queue = [at for at, node in enumerate(nodes) if node.attributes or node.slots]
    found = set(queue)
    for at in queue:
        new = [parent for parent in parents.get(at, ()) if parent not in found]
        found.update(new)
        queue += new
    return found


def _node_bytes(node: Node, has_values: bool) -> bytes:
    children = (
        number_field(1, number) + bytes_field(2, _encode(name))
        for name, number in node.children.items()
    )
    attributes = (
        bytes_field(1, _encode(a.name))
        + (bytes_field(2, _encode(a.full_name)) if a.full_name else b"")
        + bytes_field(3, _encode(a.key))
        for a in node.attributes
    )
    return (
        b"".join(bytes_field(1, child) for child in children)
        + b"".join(bytes_field(2, attribute) for attribute in attributes)
        + bytes_field(5, number_field(1, int(has_values)))
    )


def _node_of(data: bytes) -> Node:
    node = Node()
    for number, value in fields(data):
        if number == 1:
            child = dict(fields(bytes_of(value)))
            node.children[_decode(child, 2)] = number_of(child.get(1, 0))
        elif number == 2:
            texts = dict(fields(bytes_of(value)))
            node.attributes.append(Attribute(*(_decode(texts, n) for n in (1, 2, 3))))
        elif number == 3:
            slot = dict(fields(bytes_of(value)))
            numbers = number_of(slot.get(1, 0)), number_of(slot.get(3, 0))
            node.slots.append((numbers[0], _decode(slot, 2), numbers[1]))
    return node


def _encode(text: str) -> bytes:
    return text.encode(errors="surrogateescape")


def _decode(texts: dict[int, int | bytes], number: int) -> str:
    return bytes_of(texts.get(number, b"")).decode(errors="surrogateescape")
