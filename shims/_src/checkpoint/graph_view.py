"""Walk the objects that a checkpoint saves, and number and name them as TensorFlow does."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from shims._src.checkpoint.saved_values import SavedValue
from shims._src.checkpoint.trackable_graph import GRAPH_KEY, Attribute, Node, encode_graph
from shims._src.checkpoint.trackables import children_of, is_container, values_of

Children = Callable[[Any], dict[str, Any]]


@dataclasses.dataclass
class Found:
    """An object that is saved.

    Args:
      owner: the object.
      path: the names that lead to it from the root.
      values: its own values, by name.
      holder: the nearest object that refers to it and is not a list.
    """

    owner: Any
    path: tuple[str, ...]
    values: dict[str, SavedValue]
    holder: Any = None


class GraphView:
    """The objects that are reachable from a root, the nearest first.

    Args:
      root: the root object.
      children: a function from an object to the objects that it refers to.
    """

    def __init__(self, root, children: Children = children_of):
        self.objects = [Found(root, (), values_of(root))]
        self.nodes = [Node()]
        numbers = {id(root): 0}
        for at, found in enumerate(self.objects):
            holder = found.holder if is_container(found.owner) else found.owner
            for name, child in children(found.owner).items():
                if id(child) not in numbers:
                    numbers[id(child)] = len(self.objects)
                    values = values_of(child, holder)
                    self.objects.append(Found(child, (*found.path, name), values, holder))
                    self.nodes.append(Node())
                self.nodes[at].children[name] = numbers[id(child)]

    def tensors(self) -> dict[str, Any]:
        """Return the arrays of the checkpoint by their keys, with the object graph."""
        arrays = {}
        for found, node in zip(self.objects, self.nodes, strict=True):
            for name, value in found.values.items():
                key = "/".join(map(_escape, found.path)) + f"/.ATTRIBUTES/{_escape(name)}"
                node.attributes.append(Attribute(name, value.full_name, key))
                arrays[key] = value.array()
        # As an object: a string array of NumPy drops zeros at the end.
        arrays[GRAPH_KEY] = np.array(encode_graph(self.nodes), object)
        return dict(sorted(arrays.items()))


def _escape(name: str) -> str:
    return name.replace(".", "..").replace("/", ".S")
