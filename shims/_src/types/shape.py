"""Define `Shape`, a tuple that also has TensorFlow's shape methods, such as `as_list()`.

It is the type of `x.shape` after `shims.enable_tensor_methods()`.
"""

from __future__ import annotations

from typing import Any

import jax

from shims._src.types.tensor_shape import TensorShape


class Shape(tuple):
    """The shape of an array: a tuple of sizes that also has the methods of `TensorShape`.

    Slices and sums of shapes are shapes, and a shape equals a list of the same sizes. Everything
    else is as with tuples, so JAX and NumPy take it where they take a tuple.
    """

    __slots__ = ()

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(f"'Shape' object has no attribute {name!r}", name=name, obj=self)
        return getattr(TensorShape(tuple(self)), name)

    def __getitem__(self, key):
        found = super().__getitem__(key)
        return Shape(found) if isinstance(key, slice) else found

    def __add__(self, other):
        return Shape((*self, *other)) if isinstance(other, _SEQUENCES) else NotImplemented

    def __radd__(self, other):
        return Shape((*other, *self)) if isinstance(other, _SEQUENCES) else NotImplemented

    def __eq__(self, other) -> bool:
        return tuple.__eq__(self, tuple(other) if isinstance(other, _SEQUENCES) else other)

    def __ne__(self, other) -> bool:
        return tuple.__ne__(self, tuple(other) if isinstance(other, _SEQUENCES) else other)

    __hash__ = tuple.__hash__


_SEQUENCES = (list, tuple, TensorShape)


def _rebuild(_, parts) -> Any:
    """Return the parts of a shape as a tuple: after a computation they need not be sizes."""
    return tuple(parts)


jax.tree_util.register_pytree_node(Shape, lambda s: (tuple(s), None), _rebuild)
