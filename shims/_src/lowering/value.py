"""A lowered value: a static array, and which of its slots count."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from shims._src.sizes.dims import Binding


@dataclasses.dataclass(frozen=True, eq=False)
class Axis:
    """One dynamic axis of a lowered array.

    Attributes:
      dim: the symbolic dimension that the traced program sees.
      size: how many slots count; int32, traced.
      token: two axes with equal tokens have their valid slots in the same places.
      valid: bool vector over the slots; `None` when the valid slots come first (*packed*).
      uniform: the array has extent 1 here and stands for any number of equal slots.
      factors: for an axis made by flattening others, those axes in order.
      own: where the size differs from row to row (what loop bodies with sizes of their own stack up),
        the sizes in `dim` that do, with an array each; `size` is `None` then.
    """

    dim: Any
    size: Any
    token: Any
    valid: jax.Array | None = None
    uniform: bool = False
    factors: tuple = ()
    own: dict[str, Binding] = dataclasses.field(default_factory=dict)

    @property
    def per_row(self) -> bool:
        """Whether the size differs along the leading axes."""
        return bool(self.own)

    def moved(self, i: int, move: Callable) -> Axis:
        """The same where axis `i` of the array, which this one may have a size for each row of, is moved."""
        own = {
            name: dataclasses.replace(bound, size=move(bound.size))
            if np.ndim(bound.size) > i
            else bound
            for name, bound in self.own.items()
        }
        return dataclasses.replace(self, own=own)

    @property
    def packed(self) -> bool:
        """Whether the valid slots come first."""
        return self.valid is None and not self.uniform


@dataclasses.dataclass(frozen=True, eq=False)
class Value:
    """A static array and its dynamic axes.

    Attributes:
      array: the array, with a static extent (the *capacity*) for each axis.
      axes: per array axis `None` (static) or its `Axis`.
      pad: the number that stands in every invalid slot, when it is known.
      bounds: static (low, high) of integer contents, when known.
      unfilled: of a selection, the array that it was made from: alike in the valid slots, and what
        leaves the program where the host cuts it.
    """

    array: Any
    axes: tuple[Axis | None, ...]
    pad: Any = None
    bounds: tuple[int, int] | None = None
    unfilled: Any = None

    @property
    def dynamic(self) -> bool:
        """Whether any axis is dynamic."""
        return any(a is not None for a in self.axes)

    def with_axis(self, i: int, axis: Axis | None) -> tuple[Axis | None, ...]:
        """The axes with one replaced."""
        return (*self.axes[:i], axis, *self.axes[i + 1 :])


@dataclasses.dataclass(frozen=True, eq=False)
class Deferred(Value):
    """A result that needs a size which only an inner program knows.

    Differentiation moves equations without operands out of the loop whose body makes their size;
    they are carried out where that size is known.
    """

    eqn: Any = None
    values: tuple = ()
    position: int = 0


def static(array, bounds=None) -> Value:
    """A value without dynamic axes."""
    return Value(array, (None,) * getattr(array, "ndim", 0), None, bounds)
