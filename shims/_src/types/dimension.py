"""Provide `Dimension`, a size of a shape."""

from __future__ import annotations

import operator


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
