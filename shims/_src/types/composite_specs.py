"""Convert composite arguments of a function to trees of arrays, and their specs likewise."""

from __future__ import annotations

from typing import Any

import jax

from shims._src.types.tensor_spec import TensorSpec


def _is_composite(spec) -> bool:
    return hasattr(spec, "template")


def _is_spec(spec) -> bool:
    return isinstance(spec, TensorSpec) or _is_composite(spec)


def arranged(signature: tuple, given: tuple):
    """Return `(signature, arguments)` with composite specs and values expanded into trees.

    The specs of ragged and sparse values become trees of `TensorSpec`.

    Raises:
      ValueError: the arguments do not have the structure of the signature.
    """
    tree: Any
    specs, tree = jax.tree.flatten(signature, is_leaf=_is_spec)
    if not any(map(_is_composite, specs)):
        return signature, given
    values = tree.flatten_up_to(given)
    values = [s.conformed(x) if _is_composite(s) else x for s, x in zip(specs, values, strict=True)]
    specs = [s.template() if _is_composite(s) else s for s in specs]
    return jax.tree.unflatten(tree, specs), jax.tree.unflatten(tree, values)
