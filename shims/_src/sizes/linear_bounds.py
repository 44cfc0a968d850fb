"""Bound long expressions over sizes, such as the size of a half of a half, in time that grows with their length.

JAX derives a constraint from every operation in an expression and combines all of them, which takes minutes for an
expression of a few quotients. Here each quotient `t = e // k` stands for the equation `e = k * t + r`, with a
remainder `r` below `k`, by which one part of `e` is replaced; a sum of independent parts is left.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import Any, TypeAlias

from shims._src.platform import jax_private as jp

Bounds: TypeAlias = tuple[float, float]
# Coefficients by part; the part 0 is the number 1.
_Sum: TypeAlias = dict[int, int]

_ANY: Bounds = (-math.inf, math.inf)
# Longer expressions are bounded here, by JAX's measure of their length.
_LONG = 40


def is_long(d) -> bool:
    """Return whether JAX's own procedure would take long to bound an expression."""
    return jp.length_of(d) > _LONG


def bounds(state, d) -> Bounds:
    """Return a lower and an upper bound of an expression, which may be infinite."""
    found = _Parts(state)
    return _as_integers(found.bounds_of(found.sum_of(d)))


def _as_integers(pair: Bounds) -> Bounds:
    low, high = pair
    return (
        low if math.isinf(low) else math.ceil(low),
        high if math.isinf(high) else math.floor(high),
    )


@dataclasses.dataclass(eq=False)
class _Parts:
    """The parts of an expression: its sizes, quotients and remainders, and operations that are taken as they are.

    Attributes:
      state: the dynamic trace.
    """

    state: Any
    _numbers: dict[object, int] = dataclasses.field(default_factory=dict)
    _bounds: dict[int, Bounds] = dataclasses.field(default_factory=lambda: {0: (1, 1)})
    _replaced: dict[int, _Sum] = dataclasses.field(default_factory=dict)
    _divisions: dict[object, tuple[_Sum, _Sum]] = dataclasses.field(default_factory=dict)
    _known: dict[int, tuple[Any, int]] = dataclasses.field(default_factory=dict)
    _new: Any = dataclasses.field(default_factory=lambda: itertools.count(1))

    def sum_of(self, d) -> _Sum:
        """Return an expression as a sum of parts."""
        if not jp.is_symbolic(d):
            return {0: int(d)} if d else {}
        total: _Sum = {}
        for factors, coefficient in jp.terms(d):
            _add(total, self._product_of(factors), coefficient)
        return self._resolved_sum(total)  # a later term may have replaced a part of an earlier one

    def bounds_of(self, terms: _Sum) -> Bounds:
        """Return the bounds of a sum of independent parts."""
        low = high = 0.0
        for part, coefficient in terms.items():
            ends = sorted(_times(coefficient, end) for end in self._bounds[part])
            low, high = low + ends[0], high + ends[1]
        return low, high

    def _product_of(self, factors) -> _Sum:
        if not factors:
            return {0: 1}
        if len(factors) == 1 and factors[0][3] == 1:
            return self._factor(factors[0])
        found = (1.0, 1.0)
        for factor in factors:
            ends = self.bounds_of(self._factor(factor))
            for _ in range(factor[3]):
                products = [_times(a, b) for a in found for b in ends]
                found = min(products), max(products)
        return self._opaque(("product", self._key_of(factors)), found)

    def _factor(self, factor: jp.Factor) -> _Sum:
        name, operation, operands, _ = factor
        if name is not None:
            return self._resolved(self._number(name, lambda: _of_variable(self.state, name)))
        a, b = operands
        divisor = _number_of(b)
        if operation in ("floordiv", "mod") and divisor is not None and divisor > 0:
            return self._resolved_sum(self._division(a, divisor)[operation == "mod"])
        low, high = zip(*(self.bounds_of(self.sum_of(x)) for x in (a, b)), strict=True)
        if operation in ("max", "min"):
            pick = max if operation == "max" else min
            found = (pick(low), pick(high))
        elif min(low) >= 0:
            # For a divisor of 0, the quotient and the remainder are 0.
            found = (0.0, high[0])
        else:
            found = _ANY
        return self._opaque((operation, *map(self._key, operands)), found)

    def _division(self, dividend, divisor: int) -> tuple[_Sum, _Sum]:
        """Return the quotient and the remainder of a division, of which the dividend is a sum from now on."""
        key = self._key(dividend), divisor
        if key not in self._divisions:
            whole: _Sum = {}
            rest: _Sum = {}
            for part, coefficient in self.sum_of(dividend).items():
                is_divisible = coefficient % divisor == 0
                target, number = (
                    (whole, coefficient // divisor) if is_divisible else (rest, coefficient)
                )
                target[part] = number
            quotient, remainder = self._division_of_sum(rest, divisor) if rest else ({}, {})
            _add(quotient, whole, 1)
            self._divisions[key] = quotient, remainder
        return self._divisions[key]

    def _division_of_sum(self, terms: _Sum, divisor: int) -> tuple[_Sum, _Sum]:
        low, high = _as_integers(self.bounds_of(terms))
        quotient, remainder = next(self._new), next(self._new)
        self._bounds[quotient] = _floor(low, divisor), _floor(high, divisor)
        self._bounds[remainder] = 0, divisor - 1
        one = next((p for p, c in terms.items() if p and abs(c) == 1), None)
        if one is not None:
            coefficient = terms.pop(one)
            value = {quotient: divisor, remainder: 1}
            _add(value, terms, -1)
            self._replaced[one] = {part: coefficient * c for part, c in value.items()}
        return {quotient: 1}, {remainder: 1}

    def _resolved_sum(self, terms: _Sum) -> _Sum:
        """Return a sum of parts that no division has replaced."""
        total: _Sum = {}
        for part, coefficient in terms.items():
            _add(total, self._resolved(part), coefficient)
        return total

    def _resolved(self, part: int) -> _Sum:
        if part not in self._replaced:
            return {part: 1}
        total = self._replaced[part] = self._resolved_sum(self._replaced[part])
        return total

    def _opaque(self, key, found: Bounds) -> _Sum:
        return self._resolved(self._number(key, lambda: found))

    def _number(self, key, bounds_of_new) -> int:
        if key not in self._numbers:
            self._numbers[key] = part = next(self._new)
            self._bounds[part] = bounds_of_new()
        return self._numbers[key]

    def _key(self, d) -> object:
        """Return a short key of an expression, the same for expressions of the same terms."""
        if not jp.is_symbolic(d):
            return int(d)
        terms = jp.terms(d)
        if id(terms) not in self._known:
            key = tuple((self._key_of(factors), coefficient) for factors, coefficient in terms)
            # With the terms, so that no others get their `id`.
            self._known[id(terms)] = terms, self._number(("terms", key), lambda: _ANY)
        return "terms", self._known[id(terms)][1]

    def _key_of(self, factors) -> object:
        return tuple((n, o, tuple(map(self._key, xs or ())), e) for n, o, xs, e in factors)


def _number_of(d) -> int | None:
    """Return the number that a dimension is, which JAX writes as an expression in an operation; `None` for others."""
    if not jp.is_symbolic(d):
        return int(d)
    return None if jp.variables(d) else sum(coefficient for _, coefficient in jp.terms(d))


def _of_variable(state, name: str) -> Bounds:
    if name in state.input_sizes:
        return 1, math.inf
    high = state.fresh.limit(name) if name in state.fresh else None
    low = state.decisions.least(name)
    return low, math.inf if high is None else state.decisions.most(name, high)


def _add(total: _Sum, terms: _Sum, times: int) -> None:
    for part, coefficient in terms.items():
        total[part] = total.get(part, 0) + times * coefficient
        if not total[part]:
            del total[part]


def _times(a, b) -> float:
    return 0.0 if a == 0 or b == 0 else (a * b if not math.isinf(b) else math.copysign(b, a * b))


def _floor(number: float, divisor: int) -> float:
    return number if math.isinf(number) else number // divisor
