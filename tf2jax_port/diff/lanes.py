"""The lanes that a comparison runs, by name, and the pairs that they form."""

from __future__ import annotations

import itertools
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lane:
    """One way of running one of the two functions.

    Attributes:
      id: the name in JSON, `tf-eager`.
      title: the name in sentences and tables, `TF eager`.
      side: `"old"` for the TensorFlow function, `"new"` for its port.
      how: what the lane does, in a few words.
    """

    id: str
    title: str
    side: str
    how: str


TF_EAGER = Lane("tf-eager", "TF eager", "old", "operator by operator")
TF_GRAPH = Lane("tf-graph", "TF graph", "old", "tf.function with unknown dimensions")
TF_XLA = Lane("tf-xla", "TF XLA", "old", "tf.function(jit_compile=True)")
JAX_EAGER = Lane("jax-eager", "JAX eager", "new", "operator by operator")
JAX_JIT = Lane("jax-jit", "JAX jit", "new", "one compiled program")

OLD_LANES = (TF_EAGER, TF_GRAPH, TF_XLA)
NEW_LANES = (JAX_EAGER, JAX_JIT)
LANES = OLD_LANES + NEW_LANES
PAIRS = tuple(itertools.combinations((lane.id for lane in LANES), 2))
BY_ID = {lane.id: lane for lane in LANES}

# In the order in which they are asked; the verdict names the first that fails.
INTERFACE, PLACEMENT, VALUES, GRADIENTS = "interface", "placement", "values", "gradients"
STAGES = (INTERFACE, PLACEMENT, VALUES, GRADIENTS)


def title(lane: str) -> str:
    """`TF eager` for `tf-eager`."""
    return BY_ID[lane].title


def is_old(lane: str) -> bool:
    """Whether the lane runs the TensorFlow function."""
    return BY_ID[lane].side == "old"
