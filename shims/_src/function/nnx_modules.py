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


@functools.cache
def _classes() -> tuple[type, ...]:
    nnx = sys.modules["flax.nnx"]
    return getattr(nnx, "Pytree", nnx.Object), nnx.Variable


def _is_object(x: Any) -> bool:
    return isinstance(x, _classes())


class OnStates:
    """A function of the states of such objects that returns the changed states with the results.

    Args:
      func: the function of the objects.
      after: a dict in which it keeps the structure of the states after calls that add variables.
    """

    def __init__(self, func: Callable[..., Any], after: dict[Structure, Any]) -> None:
        functools.update_wrapper(self, func)
        self.func, self.after = func, after

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
        out_arrays, after = jax.tree.flatten(states)
        self.after[structure] = after
        expected = nnx.merge(structure.graph, jax.tree.unflatten(structure.states, arrays))
        nnx.update(expected, states)
        if nnx.split(expected)[0] != graph:
            raise NotImplementedError(
                errors.message(
                    getattr(self.func, "__name__", "function"),
                    "the function changes the structure of a Flax NNX object, which is one of its arguments.",
                    required="new values of variables, or new variables",
                    do="change other attributes of the object, or remove variables, outside of the function",
                )
            )
        return out, out_arrays


def call(run: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a program of `OnStates` with arguments that contain the objects, and change these objects."""
    nnx = sys.modules["flax.nnx"]
    leaves, tree = jax.tree.flatten((args, kwargs), is_leaf=_is_object)
    places = tuple(i for i, x in enumerate(leaves) if _is_object(x))
    objects = [leaves[i] for i in places]
    graph, states = nnx.split(objects)
    arrays, held = jax.tree.flatten(states)
    others = [x for i, x in enumerate(leaves) if i not in places]
    structure = Structure(graph, held, tree, places)
    out, arrays = run(structure, arrays, others)
    nnx.update(objects, jax.tree.unflatten(run.python_function.after[structure], arrays))
    return out
