"""Provide `GraphShape`, the `TensorShape` of TensorFlow 1, and `Dimension`."""

from __future__ import annotations

import operator

from shims._src.types.tensor_shape import TensorShape
from shims._src.v1.graph.modes import MODES


class Dimension:
    """A size of a shape, which may be unknown.

    Args:
      value: an integer, another dimension, or `None`.

    Raises:
      ValueError: the value is negative.
      TypeError: the value is not an integer.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/Dimension
    """

    __slots__ = ("_value",)
    __module__ = "shims.compat.v1"

    def __init__(self, value):
        if isinstance(value, Dimension):
            value = value.value
        self._value = None if value is None else operator.index(value)
        if self._value is not None and self._value < 0:
            raise ValueError(f"Dimension {self._value} must be >= 0")

    @property
    def value(self) -> int | None:
        """The size, or `None` if it is unknown."""
        return self._value

    def is_compatible_with(self, other) -> bool:
        """Return whether both sizes are equal or one is unknown."""
        other = Dimension(other)
        return None in (self._value, other._value) or self._value == other._value

    def assert_is_compatible_with(self, other) -> None:
        """Raise `ValueError` unless both sizes are equal or one is unknown."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {Dimension(other)} are not compatible")

    def merge_with(self, other) -> Dimension:
        """Merge two compatible sizes: return the one that is known."""
        other = Dimension(other)
        self.assert_is_compatible_with(other)
        return other if self._value is None else self

    def _apply(self, other, f) -> Dimension:
        other = Dimension(other)
        unknown = None in (self._value, other._value)
        return Dimension(None if unknown else f(self._value, other._value))

    def __add__(self, other):
        return self._apply(other, operator.add)

    __radd__ = __add__

    def __sub__(self, other):
        return self._apply(other, operator.sub)

    def __rsub__(self, other):
        return Dimension(other) - self

    def __mul__(self, other):
        return self._apply(other, operator.mul)

    __rmul__ = __mul__

    def __floordiv__(self, other):
        return self._apply(other, operator.floordiv)

    def __rfloordiv__(self, other):
        return Dimension(other) // self

    def __truediv__(self, other):
        raise TypeError(
            f"unsupported operand type(s) for /: 'Dimension' and '{type(other).__name__}', "
            "please use // instead"
        )

    __rtruediv__ = __truediv__

    def __mod__(self, other):
        return self._apply(other, operator.mod)

    def __rmod__(self, other):
        return Dimension(other) % self

    def _compare(self, other, f):
        try:
            other = Dimension(other)
        except (TypeError, ValueError):
            return NotImplemented
        return None if None in (self._value, other._value) else f(self._value, other._value)

    def __eq__(self, other):
        return self._compare(other, operator.eq)

    def __ne__(self, other):
        return self._compare(other, operator.ne)

    def __lt__(self, other):
        return self._compare(other, operator.lt)

    def __le__(self, other):
        return self._compare(other, operator.le)

    def __gt__(self, other):
        return self._compare(other, operator.gt)

    def __ge__(self, other):
        return self._compare(other, operator.ge)

    def __hash__(self):
        return hash(self._value)

    def __int__(self):
        return self._value

    __index__ = __int__

    def __bool__(self):
        return bool(self._value)

    def __reduce__(self):
        return Dimension, (self._value,)

    def __str__(self):
        return "?" if self._value is None else str(self._value)

    def __repr__(self):
        return f"Dimension({self._value})"


class GraphShape(TensorShape):
    """The static shape of a tensor in a graph.

    Args:
      dims: sizes, `Dimension`s or `None`s; or `None` for unknown rank.

    Differs from TensorFlow:
      Nothing. As in TensorFlow, after `disable_v2_behavior()` the elements are `Dimension`s, and
      unknown sizes are printed as `?`.

    https://www.tensorflow.org/api_docs/python/tf/TensorShape
    """

    __slots__ = ()
    __module__ = "shims.compat.v1"

    def __init__(self, dims):
        super().__init__(plain(dims))

    @property
    def dims(self):
        """The sizes as `Dimension`s, or `None` for unknown rank."""
        return None if self._dims is None else [Dimension(d) for d in self._dims]

    def __getitem__(self, key):
        found = super().__getitem__(key)
        if isinstance(key, slice):
            return GraphShape(found)
        return found if MODES.tensor_shape_v2 else Dimension(found)

    def __iter__(self):
        sizes = super().__iter__()
        return sizes if MODES.tensor_shape_v2 else map(Dimension, sizes)

    def concatenate(self, other):
        """Return the sizes of this shape followed by those of `other`."""
        return GraphShape(TensorShape(self._dims).concatenate(plain(other)))

    def merge_with(self, other):
        """Merge two compatible shapes: a size is known if it is known in either of them."""
        return GraphShape(TensorShape(self._dims).merge_with(plain(other)))

    def with_rank(self, rank):
        """Return this shape if it has the given rank; if its rank is unknown, return unknown sizes.

        Raises:
          ValueError: this shape has another rank.
        """
        return GraphShape(TensorShape(self._dims).with_rank(rank))

    def is_compatible_with(self, other):
        """Return whether two shapes are compatible: they could be the same if unknown sizes were known."""
        return TensorShape(self._dims).is_compatible_with(plain(other))

    def __eq__(self, other):
        try:
            other = GraphShape(other)
        except (TypeError, ValueError):
            return NotImplemented
        return self._dims == other._dims

    __hash__ = TensorShape.__hash__

    def __reduce__(self):
        return GraphShape, (self._dims,)

    def __str__(self):
        if self._dims is None:
            return "<unknown>"
        unknown = "None" if MODES.tensor_shape_v2 else "?"
        sizes = ", ".join(unknown if d is None else str(d) for d in self._dims)
        return f"({sizes},)" if len(self._dims) == 1 else f"({sizes})"

    def __repr__(self):
        if self._dims is None:
            return "TensorShape(None)"
        return f"TensorShape({list(self._dims) if MODES.tensor_shape_v2 else self.dims})"


def plain(dims):
    """Replace each `Dimension` in `dims` by its size, a number or `None`."""
    if isinstance(dims, TensorShape):
        return dims._dims
    if isinstance(dims, Dimension):
        return dims.value
    if isinstance(dims, (list, tuple)):
        return tuple(d.value if isinstance(d, Dimension) else d for d in dims)
    return dims


def dimension_value(dimension):
    """Return the number of a `Dimension`; return any other value unchanged.

    https://www.tensorflow.org/api_docs/python/tf/compat/dimension_value
    """
    return dimension.value if isinstance(dimension, Dimension) else dimension


def dimension_at_index(shape, index):
    """Return the `Dimension` of a shape at an index; it is unknown if the rank is.

    https://www.tensorflow.org/api_docs/python/tf/compat/dimension_at_index
    """
    shape = GraphShape(shape)
    return Dimension(None if shape.rank is None else shape.as_list()[index])
