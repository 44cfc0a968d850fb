"""Define lowered values: arrays of static shape that know which of their slots are valid."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from shims._src.platform import jax_private as jp
from shims._src.sizes.dims import Binding


@dataclasses.dataclass(frozen=True, eq=False)
class Axis:
    """A dynamic axis of a lowered array.

    Attributes:
      dim: the symbolic size of the axis in the traced program.
      size: the number of valid slots; int32, traced.
      token: identifies the layout; axes with equal tokens have their valid slots at the same positions.
      valid: bool vector over the slots; `None` if the valid slots come first (the axis is *packed*).
      uniform: whether the array has extent 1 along this axis, in place of any number of equal slots.
      factors: for an axis made by flattening several axes, those axes with their extents, in order.
      own: the bindings of the sizes in `dim` that differ from row to row, each with an array of sizes.
        A loop whose body creates such sizes stacks them; then `size` is `None`.
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
        """Whether the axis has one size per row, that is, per position along the leading axes."""
        return bool(self.own)

    def moved(self, i: int, move: Callable) -> Axis:
        """Return this axis after slots of axis `i` moved; `move` is applied to its per-row sizes."""
        own = {
            name: dataclasses.replace(bound, size=move(bound.size))
            if np.ndim(bound.size) > i
            else bound
            for name, bound in self.own.items()
        }
        return dataclasses.replace(self, own=own)

    @property
    def packed(self) -> bool:
        """Whether the axis is packed: the valid slots come first."""
        return self.valid is None and not self.uniform


@dataclasses.dataclass(frozen=True, eq=False)
class Wide:
    """A number computed from sizes that may be out of int32's range.

    Attributes:
      as_float: converts it to a float dtype.
      beyond: a traced bool, whether it is out of int32's range.
      line: the user's line.
    """

    as_float: Callable[[Any], jax.Array]
    beyond: jax.Array
    line: str


@dataclasses.dataclass(frozen=True, eq=False)
class Value:
    """A lowered value: an array of static shape, and its dynamic axes.

    Attributes:
      array: the array, with a static extent (the *capacity*) for each axis.
      axes: for each axis of the array, its `Axis`; `None` if it is static.
      pad: the number in every invalid slot, if known.
      bounds: static bounds `(low, high)` of integer elements, if known.
      unfilled: for a selection, the array before its invalid slots were filled. It agrees with
        `array` in the valid slots. A program returns it if the host cuts the padding off.
      spread: whether invalid slots may hold NaN or infinity that were copied from valid ones.
      wide: for a number computed from sizes that may be out of int32's range, that number.
    """

    array: Any
    axes: tuple[Axis | None, ...]
    pad: Any = None
    bounds: tuple[int, int] | None = None
    unfilled: Any = None
    spread: bool = False
    wide: Wide | None = None

    @property
    def dynamic(self) -> bool:
        """Whether any axis is dynamic."""
        return self.axes.count(None) != len(self.axes)

    def with_axis(self, i: int, axis: Axis | None) -> tuple[Axis | None, ...]:
        """Return the axes with axis `i` replaced."""
        return (*self.axes[:i], axis, *self.axes[i + 1 :])


@dataclasses.dataclass(frozen=True, eq=False)
class Deferred(Value):
    """A result that is lowered later, because its size is not known yet.

    Differentiation moves equations without operands out of the loop whose body creates their size. They are
    lowered when a nested jaxpr has determined that size.
    """

    eqn: Any = None
    values: tuple = ()
    position: int = 0


def static(array, bounds=None) -> Value:
    """Return a lowered value without dynamic axes."""
    array = jp.plain_constant(array)
    return Value(array, (None,) * getattr(array, "ndim", 0), None, bounds)


def is_empty(x) -> bool:
    """Return whether an array or abstract value is known to have no elements."""
    return any(not jp.is_symbolic(d) and d == 0 for d in getattr(x, "shape", ()))
