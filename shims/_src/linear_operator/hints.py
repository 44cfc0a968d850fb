"""Define the hints of a linear operator, and derive hints from them."""

from __future__ import annotations

from typing import NamedTuple


class Hints(NamedTuple):
    """Known properties of an operator: True, False, or `None` if unknown."""

    non_singular: bool | None = None
    self_adjoint: bool | None = None
    positive_definite: bool | None = None
    square: bool | None = None

    def completed(self) -> Hints:
        """Return the hints, completed by those that they imply.

        Raises:
          ValueError: they contradict each other.
        """
        non_singular, square = self.non_singular, self.square
        if self.positive_definite:
            if non_singular is False:
                raise ValueError("A positive definite matrix is always non-singular.")
            non_singular = True
        if non_singular:
            if square is False:
                raise ValueError("A non-singular matrix is always square.")
            square = True
        if self.self_adjoint:
            if square is False:
                raise ValueError("A self-adjoint matrix is always square.")
            square = True
        return Hints(non_singular, self.self_adjoint, self.positive_definite, square)


def implied(given: bool | None, follows: object, message: str) -> bool | None:
    """Return the hint `given`, or True if the condition `follows` implies it.

    Raises:
      ValueError: the hint is False, but the condition holds.
    """
    if not follows:
        return given
    if given is False:
        raise ValueError(message)
    return True


def agreed(one: bool | None, other: bool | None, message: str) -> bool | None:
    """Merge the hints of two operators that share a property.

    Raises:
      ValueError: one hint is True and the other is False.
    """
    if None not in (one, other) and one is not other:
        raise ValueError(message)
    return other if one is None else one


def non_singular(a, b) -> bool | None:
    """Derive the hint `non_singular` of the product of two square operators."""
    if a.is_non_singular is False or b.is_non_singular is False:
        return False
    return a.is_non_singular and b.is_non_singular


def of_product(a, b) -> Hints:
    """Derive the hints of the product of any two operators."""
    if a.is_square and b.is_square:
        return Hints(non_singular(a, b), square=True)
    if not a.is_square and not b.is_square:
        square = a.range_dimension == b.domain_dimension
        return Hints(square=True) if square else Hints(False, False, False, False)
    return Hints(False, False, False, False)


def of_commuting(a, b) -> Hints:
    """Derive the hints of the product of two operators that commute."""
    self_adjoint = None
    if a.is_self_adjoint and b.is_self_adjoint:
        self_adjoint = True
    elif {a.is_self_adjoint, b.is_self_adjoint} == {True, False}:
        self_adjoint = False
    both = (a, b)
    positive = all(x.is_positive_definite and x.is_self_adjoint for x in both) or None
    return Hints(non_singular(a, b), self_adjoint, positive, True)
