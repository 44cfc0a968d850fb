"""TensorFlow's names of operations, and how many auxiliary operations it makes with them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from shims._src.graph.recipes import RECIPES


@dataclasses.dataclass(frozen=True)
class Named:
    """How an operation is called.

    Attributes:
      name: its unique name.
      type: TensorFlow's operator.
    """

    name: str
    type: str


def named(graph, public: str, name: str | None, leaves: Sequence, operands: Sequence) -> Named:
    """Take the name of an operation in a graph, and count what TensorFlow makes before it.

    Args:
      graph: the graph.
      public: the TensorFlow 1 name of the operator.
      name: the caller's name.
      leaves: the arguments.
      operands: the tensors among them.
    """
    recipe = RECIPES.get(public)
    default = recipe[0] if recipe else public.rpartition(".")[2]
    type_ = recipe[1] if recipe else default
    if name and name.endswith("/"):
        return Named(name[:-1], type_)
    return Named(graph.unique_name(name or default), type_)
