"""Convert composite arguments of a function, and their specs, to trees of arrays and array specs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax

from shims._src.types.tensor_spec import TensorSpec

# The function that describes a value, for each class of composites.
_SPEC_OF: dict[type, Callable[[Any], Any]] = {}


def register_spec(cls: type, spec_of: Callable[[Any], Any]) -> None:
    """Register the function that returns the spec of a value, for a class of composites."""
    _SPEC_OF[cls] = spec_of


def has_spec(value) -> bool:
    """Return whether a value is a composite with a spec."""
    return type(value) in _SPEC_OF


def spec_of(value):
    """Return the spec of a composite, which determines its sizes and dtypes."""
    return _SPEC_OF[type(value)](value)


def _is_composite(spec) -> bool:
    return hasattr(spec, "template")


def is_spec(value) -> bool:
    """Return whether a value is the spec of an array or of a composite."""
    return isinstance(value, TensorSpec) or _is_composite(value)


def expanded(signature: tuple) -> tuple:
    """Return a signature in which the specs of composites are trees of `TensorSpec`."""
    return jax.tree.map(
        lambda s: s.template() if _is_composite(s) else s, signature, is_leaf=is_spec
    )


def arranged(signature: tuple, given: tuple):
    """Return `(signature, arguments)` with composite specs and values expanded into trees.

    The specs of ragged and sparse values become trees of `TensorSpec`.

    Raises:
      ValueError: the arguments do not have the structure of the signature.
    """
    tree: Any
    specs, tree = jax.tree.flatten(signature, is_leaf=is_spec)
    if not any(map(_is_composite, specs)):
        return signature, given
    values = tree.flatten_up_to(given)
    values = [s.conformed(x) if _is_composite(s) else x for s, x in zip(specs, values, strict=True)]
    return expanded(signature), jax.tree.unflatten(tree, values)
