"""Carry out of a program what it changes in objects of Flax NNX among its arguments, as `nnx.jit` does.

JAX flattens these objects as pytrees: a traced function gets copies, and a change of a copy would be lost.
"""

from __future__ import annotations

import dataclasses
import functools
import sys
from collections.abc import Callable
from typing import Any

import jax

from shims._src.errors import errors


@dataclasses.dataclass(frozen=True)
class Structure:
    """The static part of arguments that contain objects of Flax NNX.

    Attributes:
      graph: Flax's definition of the objects.
      states: the structure of their states, with arrays as leaves.
      tree: the structure of `(args, kwargs)`, with the objects as leaves.
      places: the positions of the objects among the leaves.
    """

    graph: Any
    states: Any
    tree: Any
    places: tuple[int, ...]


def occur_in(arguments: Any) -> bool:
    """Return whether arguments contain objects of Flax NNX."""
    if "flax.nnx" not in sys.modules:
        return False
    return any(map(_is_object, jax.tree.leaves(arguments, is_leaf=_is_object)))


def _is_object(x: Any) -> bool:
    nnx = sys.modules["flax.nnx"]
    return isinstance(x, (getattr(nnx, "Pytree", nnx.Object), nnx.Variable))


class OnStates:
    """A function of the states of such objects that returns the changed states with the results.

    Args:
      func: the function of the objects.
    """

    def __init__(self, func: Callable[..., Any]) -> None:
        functools.update_wrapper(self, func)
        self.func = func

    def __call__(self, structure: Structure, arrays: list[Any], others: list[Any]) -> Any:
        """Call the function with objects whose states have these arrays."""
        nnx = sys.modules["flax.nnx"]
        objects = nnx.merge(structure.graph, jax.tree.unflatten(structure.states, arrays))
        leaves = list(others)
        for place, one in zip(structure.places, objects, strict=True):
            leaves.insert(place, one)
        args, kwargs = jax.tree.unflatten(structure.tree, leaves)
        out = self.func(*args, **kwargs)
        graph, states = nnx.split(objects)
        arrays, after = jax.tree.flatten(states)
        if graph != structure.graph or after != structure.states:
            raise NotImplementedError(
                errors.message(
                    getattr(self.func, "__name__", "function"),
                    "the function changes the structure of a Flax NNX object, which is one of its arguments.",
                    required="changes of the values of variables only",
                    do="create all variables and attributes of the object before the call",
                )
            )
        return out, arrays


def call(run: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a program of `OnStates` with arguments that contain the objects, and change these objects."""
    nnx = sys.modules["flax.nnx"]
    leaves, tree = jax.tree.flatten((args, kwargs), is_leaf=_is_object)
    places = tuple(i for i, x in enumerate(leaves) if _is_object(x))
    objects = [leaves[i] for i in places]
    graph, states = nnx.split(objects)
    arrays, held = jax.tree.flatten(states)
    others = [x for i, x in enumerate(leaves) if i not in places]
    out, arrays = run(Structure(graph, held, tree, places), arrays, others)
    nnx.update(objects, jax.tree.unflatten(held, arrays))
    return out
