"""Structures of tensors, variables, numbers and operations as flat lists of tensors, and back."""

from __future__ import annotations

import jax
import numpy as np

from shims._src.v1.graph.conversion import constant_of, convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.nodes import Operation, Tensor


class Rebuild:
    """How flat tensors become a structure again.

    Attributes:
      shape: equal for equal structures.
      count: how many tensors there are.
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
    """Whether a value is a `TensorArray`, which goes by its flow."""
    return hasattr(value, "with_flow")


def flat_tensors(structure, done: bool = True) -> tuple[list[Tensor], Rebuild]:
    """The tensors of a structure, and how they become one again.

    Args:
      structure: tensors, variables, numbers and operations, nested.
      done: what an operation becomes, in a tensor that waits for it.
    """
    leaves, tree = jax.tree.flatten(structure)
    return [_tensor(x, done) for x in leaves], Rebuild(tree, leaves)


def _tensor(leaf, done: bool) -> Tensor:
    if is_list(leaf):
        return leaf.flow
    if isinstance(leaf, Operation):
        graph = get_default_graph()
        with graph.control_dependencies([leaf]):
            name = graph.unique_name("control_dependency")
            return constant_of(graph, np.asarray(done), name)
    return convert_to_tensor(leaf)
