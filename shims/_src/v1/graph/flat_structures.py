"""Flatten nested tensors, variables and operations to a list of tensors, and rebuild them."""

from __future__ import annotations

import jax
import numpy as np

from shims._src.v1.graph.conversion import constant_of, convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.nodes import Operation, Tensor


class Rebuild:
    """A function that rebuilds a nested structure from a flat list of tensors.

    Attributes:
      shape: the structure as a text, which is compared with that of another structure.
      count: the number of tensors.
    """

    def __init__(self, tree, leaves):
        self._tree, self._leaves = tree, leaves
        lists = sum(map(is_list, leaves))
        self.count = len(leaves)
        self.shape = f"{tree}" + (f" with {lists} TensorArrays" if lists else "")

    def __call__(self, tensors):
        found = [
            leaf.with_flow(t) if is_list(leaf) else t
            for leaf, t in zip(self._leaves, tensors, strict=True)
        ]
        return jax.tree.unflatten(self._tree, found)


def is_list(value) -> bool:
    """Return whether a value is a `TensorArray`, which flattening replaces by its flow tensor."""
    return hasattr(value, "with_flow")


def flat_tensors(structure, done: bool = True) -> tuple[list[Tensor], Rebuild]:
    """Flatten a nested structure to tensors; return them and the function that rebuilds it.

    Args:
      structure: nested tensors, variables, numbers and operations.
      done: the value of the constant that replaces an operation. The constant has the operation as
        a control input.
    """
    leaves, tree = jax.tree.flatten(structure)
    return [_as_tensor(x, done) for x in leaves], Rebuild(tree, leaves)


def _as_tensor(leaf, done: bool) -> Tensor:
    if is_list(leaf):
        return leaf.flow
    if isinstance(leaf, Operation):
        graph = get_default_graph()
        with graph.control_dependencies([leaf]):
            name = graph.unique_name("control_dependency")
            return constant_of(graph, np.asarray(done), name)
    return convert_to_tensor(leaf)
