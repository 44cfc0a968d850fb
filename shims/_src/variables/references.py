"""Pass variables among the arguments of a function by reference, as TensorFlow does."""

from __future__ import annotations

import jax

from shims._src.platform import jax_private as jp
from shims._src.recording import state
from shims._src.sizes.padded import Padded
from shims._src.types.static_text import StaticText, is_text
from shims._src.variables.keras_state import standing_for
from shims._src.variables.variable import Variable


class ByReference:
    """A pytree leaf that wraps a variable among the arguments, compared by identity and not by value.

    Attributes:
      variable: a `Variable`, or a Keras variable.
    """

    def __init__(self, variable):
        self.variable = variable

    def __eq__(self, other) -> bool:
        return isinstance(other, ByReference) and self.variable is other.variable

    def __hash__(self) -> int:
        return id(self.variable)

    def __repr__(self) -> str:
        return f"<variable {id(self.variable)}>"


def flattened(arguments, *, by_value: bool = False):
    """Flatten arguments to `(leaves, tree)`.

    `Padded` values are leaves. Variables are leaves, too, as `ByReference`, unless `by_value` is true, and
    tensors of strings as `StaticText`.
    """
    if by_value:
        leaves, tree = jax.tree.flatten(arguments, is_leaf=lambda x: isinstance(x, Padded))
        return [StaticText(x) if is_text(x) else value_of(x) for x in leaves], tree
    leaves, tree = jax.tree.flatten(arguments, is_leaf=lambda x: isinstance(x, (Padded, Variable)))
    return [_as_leaf(x) for x in leaves], tree


def _as_leaf(x):
    if is_text(x):
        return StaticText(x)
    return ByReference(x) if _is_variable(x) else x


def value_of(x):
    """Return the current value of a variable, as a tape sees it; return any other value unchanged."""
    variable = standing_for(x)
    return state.read(variable) if isinstance(variable, Variable) else x


def dereferenced(leaf):
    """Return the variable or the tensor of strings that a leaf wraps; return any other one unchanged."""
    if isinstance(leaf, StaticText):
        return leaf.tensor
    return leaf.variable if isinstance(leaf, ByReference) else leaf


def is_traced(leaf) -> bool:
    """Return whether a leaf is or contains a tracer."""
    if isinstance(leaf, ByReference):
        return jp.is_tracer(state.read(standing_for(leaf.variable)))
    return any(jp.is_tracer(x) for x in jax.tree.leaves(leaf))


def _is_variable(x) -> bool:
    return isinstance(standing_for(x), Variable)
