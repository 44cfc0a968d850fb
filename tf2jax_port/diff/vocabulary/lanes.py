"""Define the lanes of a comparison, their pairs, and the stages."""

from __future__ import annotations

import itertools
from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lane:
    """A way to run the original program or the port.

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

# Lanes of the port that run only on request, by their names on the command line.
JAX_VMAP = Lane("jax-vmap", "JAX vmap", "new", "one of two in a batch")
JAX_SHARDED = Lane("jax-sharded", "JAX sharded", "new", "inputs divided over several devices")
BACKENDS = ("cpu", "gpu", "tpu")
REQUESTED = {
    "vmap": JAX_VMAP,
    "sharded": JAX_SHARDED,
    **{b: Lane(f"jax-{b}", f"JAX {b.upper()}", "new", f"compiled for the {b}") for b in BACKENDS},
}
ALL_LANES = LANES + tuple(REQUESTED.values())
BY_ID = {lane.id: lane for lane in ALL_LANES}

# In the order in which they are checked; the verdict names the first that fails.
INTERFACE, PLACEMENT, VALUES, GRADIENTS = "interface", "placement", "values", "gradients"
TRAINING = "training"
STAGES = (INTERFACE, PLACEMENT, VALUES, GRADIENTS)
EVERY_STAGE = (*STAGES, TRAINING)


def present(ids: Collection[str]) -> tuple[Lane, ...]:
    """Return the default lanes and those optional lanes that are in `ids`, in a fixed order."""
    return LANES + tuple(lane for lane in REQUESTED.values() if lane.id in ids)


def ports(ids: Collection[str]) -> tuple[Lane, ...]:
    """Return the lanes of the port: the default ones and those optional ones that are in `ids`."""
    return tuple(lane for lane in present(ids) if lane.side == "new")


def pairs(ids: Collection[str]) -> tuple[tuple[str, str], ...]:
    """Return all pairs of lanes, for the default lanes and those optional ones that are in `ids`."""
    return tuple(itertools.combinations((lane.id for lane in present(ids)), 2))


def title(lane: str) -> str:
    """Return the title of a lane: `TF eager` for `tf-eager`."""
    return BY_ID[lane].title


def is_old(lane: str) -> bool:
    """Return whether the lane runs the TensorFlow function."""
    return BY_ID[lane].side == "old"
