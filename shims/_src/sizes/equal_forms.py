"""Recognize equal sizes that JAX writes differently, such as `n - min(n, 1)` and `max(0, n - 1)`.

Minima and maxima are written in terms of `max(0, e)`, and sizes as polynomials of variables and of such parts.
"""

from __future__ import annotations

import functools
from collections import Counter
from typing import Any, TypeAlias

from shims._src.platform import jax_private as jp
from shims._src.platform.thread_state import ThreadSlot
from shims._src.sizes import size_bounds

# Coefficients by monomial; a monomial is a sorted tuple of atoms, which are variables or operations.
_Monomial: TypeAlias = tuple[Any, ...]
_Polynomial: TypeAlias = dict[_Monomial, int]
_COMPARING: ThreadSlot[bool] = ThreadSlot(False)
# Longer sizes, in JAX's measure, are compared as JAX does: the polynomial of a half of a half grows with every half.
_LONGEST = 120


def are_equal(a, b) -> bool:
    """Return whether two sizes, one of which has a minimum or a maximum, are equal for all values."""
    if _COMPARING.value:  # by a cache, for the terms of a size
        return False
    with _COMPARING.holding(True):
        if max(map(_length, (a, b))) > _LONGEST:
            return False
        return (_has_extreme(a) or _has_extreme(b)) and _polynomial(a) == _polynomial(b)


def _length(d) -> int:
    return jp.length_of(d) if jp.is_symbolic(d) else 0


def key(d) -> object:
    """Return a hashable key of a size, the same for sizes that are equal for all values."""
    return _key_of_extreme(d) if _has_extreme(d) else d


@functools.lru_cache(maxsize=4096)
def _key_of_extreme(d) -> object:
    return _key(_polynomial(d))


def _has_extreme(d) -> bool:
    return (
        jp.is_symbolic(d)
        and jp.length_of(d) <= _LONGEST
        and any(
            operation in ("min", "max") or any(map(_has_extreme, operands or ()))
            for factors, _ in jp.terms(d)
            for _, operation, operands, _ in factors
        )
    )


def _polynomial(d) -> _Polynomial:
    if not jp.is_symbolic(d):
        return {(): int(d)} if d else {}
    total: _Polynomial = {}
    for factors, coefficient in jp.terms(d):
        product: _Polynomial = {(): coefficient}
        for factor in factors:
            for _ in range(factor[3]):
                product = _times(product, _of_factor(factor))
        total = _plus(total, product)
    return total


def _plus(a: _Polynomial, b: _Polynomial, times: int = 1) -> _Polynomial:
    total = Counter(a)
    for monomial, coefficient in b.items():
        total[monomial] += times * coefficient
    return {monomial: c for monomial, c in total.items() if c}


def _times(a: _Polynomial, b: _Polynomial) -> _Polynomial:
    total: Counter[_Monomial] = Counter()
    for m, c in a.items():
        for n, d in b.items():
            total[tuple(sorted((*m, *n), key=str))] += c * d
    return {monomial: c for monomial, c in total.items() if c}


def _of_factor(factor: jp.Factor) -> _Polynomial:
    name, operation, operands, _ = factor
    if name is not None:
        return {(name,): 1}
    a, b = operands
    match operation:
        case "max":
            return _plus(_polynomial(b), _positive_part(a - b))
        case "min":
            return _plus(_polynomial(a), _positive_part(a - b), -1)
    return {((operation, _key(_polynomial(a)), _key(_polynomial(b))),): 1}


def _positive_part(d) -> _Polynomial:
    """Return `max(0, d)`; of `d` and `-d` only one is an atom, as `max(0, d) = d + max(0, -d)`."""
    known = size_bounds.sign(d) if jp.is_symbolic(d) else (1 if d >= 0 else -1)
    polynomial = _polynomial(d)
    if known is not None:
        return polynomial if known == 1 else {}
    key = _key(polynomial)
    if key[-1][1] > 0:
        return {(("max0", key),): 1}
    opposite = _key({monomial: -c for monomial, c in polynomial.items()})
    return _plus(polynomial, {(("max0", opposite),): 1})


def _key(polynomial: _Polynomial) -> tuple[tuple[_Monomial, int], ...]:
    return tuple(sorted(polynomial.items(), key=str))
