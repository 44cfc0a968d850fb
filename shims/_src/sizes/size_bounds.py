"""Derive bounds of data-dependent sizes from the inputs, while a program is traced."""

from __future__ import annotations

from shims._src.platform import jax_private as jp
from shims._src.sizes import possible_values

# Sizes are int32 numbers everywhere: no array is longer.
_LARGEST = 2**31 - 1
# Fewer elements than axes usually have.
_FEW = 64


def sign(d):
    """Return 1 if a linear expression is never negative, -1 if always negative, else `None`."""
    low = high = 0
    for factors, coefficient in jp.terms(d):
        if not factors:
            low, high = low + coefficient, high + coefficient
        elif len(factors) == 1 and factors[0][0] is not None and factors[0][3] == 1:
            low, high = low + min(coefficient, 0) * _LARGEST, high + max(coefficient, 0) * _LARGEST
        else:
            return None
    if low >= 0:
        return 1
    return -1 if high < 0 else None


def upper_bound(state, d):
    """Return an upper bound of a dimension in terms of the input sizes, or `None` if it has none."""
    if not jp.is_symbolic(d) or not state.fresh.of(d):
        return d
    total = 0
    for factors, coefficient in jp.terms(d):
        product = max(coefficient, 0)
        for factor in factors if coefficient > 0 else ():
            bound = _factor_bound(state, factor)
            if bound is None:
                return None
            for _ in range(factor[3]):
                product = product * bound
        total = total + product
    return total


def _factor_bound(state, factor):
    name, operation, operands, _ = factor
    if name is not None:
        return state.fresh.bound(name) if name in state.fresh else state.dimension(name)
    bounds = [upper_bound(state, o) for o in operands]
    if operation == "floordiv":
        return bounds[0]
    if operation == "mod":
        return bounds[1]
    if operation == "min":
        return next((b for b in bounds if b is not None), None)
    return None if None in bounds else jp.core.max_dim(*bounds)


def domain(state, d) -> possible_values.Domain | None:
    """Return the bounds of the sizes in an expression; `None` if one has no bound that is a number."""
    found = []
    for name in sorted(jp.variables(d)):
        high = state.fresh.limit(name)
        if high is None:
            return None
        found.append((name, (state.decisions.least(name), state.decisions.most(name, high))))
    return tuple(found)


def extremes(state, d) -> tuple[int, int] | None:
    """Return the least and the greatest value that an expression over data-dependent sizes can have."""
    known = domain(state, d)
    return None if known is None else possible_values.extremes(jp.form(d), known)


def magnitude_of_few(state, d) -> int:
    """Return what the absolute value of an expression does not exceed if its sizes are a few."""
    limits = {name: state.fresh.limit(name) for name in jp.variables(d)}
    few = {name: (0, _FEW if most is None else min(most, _FEW)) for name, most in limits.items()}
    return possible_values.magnitude(jp.form(d), few)


def never_zero(state, d) -> bool:
    """Return whether an expression over data-dependent sizes is known never to be 0."""
    known = domain(state, d)
    is_known = known is not None and possible_values.is_never_zero(jp.form(d), known)
    return is_known or jp.never_zero(d)
