"""Define the arithmetic, logical and comparison operators of ragged tensors."""

from __future__ import annotations

from shims._src.elementwise import elementwise, quotients
from shims._src.native import operators


class RaggedOperators:
    """A mixin that maps each Python operator to the library operator of the same meaning."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __bool__(self):
        raise TypeError("RaggedTensor may not be used as a boolean.")

    def __abs__(self):
        return elementwise.abs(self)

    def __neg__(self):
        return operators.negative(self)

    def __invert__(self):
        return operators.logical_not(self)

    def __add__(self, other):
        return operators.add(self, other)

    def __radd__(self, other):
        return operators.add(other, self)

    def __sub__(self, other):
        return operators.subtract(self, other)

    def __rsub__(self, other):
        return operators.subtract(other, self)

    def __mul__(self, other):
        return operators.multiply(self, other)

    def __rmul__(self, other):
        return operators.multiply(other, self)

    def __truediv__(self, other):
        return quotients.truediv(self, other)

    def __rtruediv__(self, other):
        return quotients.truediv(other, self)

    def __floordiv__(self, other):
        return quotients.floordiv(self, other)

    def __rfloordiv__(self, other):
        return quotients.floordiv(other, self)

    def __mod__(self, other):
        return quotients.floormod(self, other)

    def __rmod__(self, other):
        return quotients.floormod(other, self)

    def __pow__(self, other):
        return elementwise.pow(self, other)

    def __rpow__(self, other):
        return elementwise.pow(other, self)

    def __and__(self, other):
        return operators.logical_and(self, other)

    def __rand__(self, other):
        return operators.logical_and(other, self)

    def __or__(self, other):
        return operators.logical_or(self, other)

    def __ror__(self, other):
        return operators.logical_or(other, self)

    def __xor__(self, other):
        return operators.logical_xor(self, other)

    def __rxor__(self, other):
        return operators.logical_xor(other, self)

    def __eq__(self, other):
        return operators.equal(self, other)

    def __ne__(self, other):
        return operators.not_equal(self, other)

    def __lt__(self, other):
        return operators.less(self, other)

    def __le__(self, other):
        return operators.less_equal(self, other)

    def __gt__(self, other):
        return operators.greater(self, other)

    def __ge__(self, other):
        return operators.greater_equal(self, other)
