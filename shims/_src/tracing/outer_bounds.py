"""Find the bounds of numbers in an enclosing trace: bounds that `shims.bounded` states, and bounds of the sizes of a `Padded`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from shims._src.lowering import bounds
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives
from shims._src.sizes.padded import Padded
from shims._src.sizes.sites import KNOWN_BOUND

_DEPTH = 32
_LOWEST = -(2**31) + 1


class _Range(NamedTuple):
    """The bounds of all elements of an integer array, and whether the user stated one of them."""

    low: int
    high: int
    stated: bool


def outer_bounds(operands) -> tuple[dict[int, tuple[int, int]], list[tuple[Any, int]]]:
    """Find the bounds of operands that are numbers in the enclosing trace.

    Returns `({position of operand: (low, high)}, [(operand, high)])`; the list is to be checked at run
    time.
    """
    limits, checks = {}, []
    for i, x in enumerate(operands):
        if isinstance(x, Padded) or not jp.is_tracer(x) or not jnp.issubdtype(x.dtype, jnp.integer):
            continue
        found = _range_of(jp.primal_tracer(x), 0)
        if found is not None:
            limits[i] = (found.low, found.high)
            if found.stated:
                checks.append((x, found.high))
    return limits, checks


def with_known_bounds(array, value):
    """Note the bounds of a result that is a number, or a vector of numbers, in the enclosing trace."""
    known = bounds.of(value)
    whole = jnp.issubdtype(array.dtype, jnp.integer) and array.ndim <= 1
    if known is None or not whole or known[0] < 0 or known[1] > -_LOWEST:
        return array
    return primitives.limit_p.bind(array, max=int(known[1]), site=KNOWN_BOUND)


def as_bounded(array, before):
    """Note on an array the bounds that are noted on the array from which it was copied."""
    found = jp.defining_equation(before) if jp.is_tracer(before) else None
    if found is None or found[0].primitive is not primitives.limit_p:
        return array
    return primitives.limit_p.bind(array, **found[0].params)


def _range_of(x, depth: int) -> _Range | None:
    """Return the bounds of a staged integer array, from the equations that compute it."""
    constant = jp.constant_of(x)
    if jp.is_tracer(constant):  # a value of the enclosing program
        return _range_of(jp.primal_tracer(constant), depth + 1) if depth < _DEPTH else None
    if constant is not None:
        array = np.asarray(constant)
        small = array.dtype.kind in "iu" and 0 < array.size <= 64
        return _Range(int(array.min()), int(array.max()), stated=False) if small else None
    found = jp.defining_equation(x)
    if found is None or depth > _DEPTH:
        return None
    eqn = found[0]
    if eqn.primitive is primitives.limit_p:
        known = eqn.params["site"] is KNOWN_BOUND
        return _Range(0 if known else _LOWEST, eqn.params["max"], stated=not known)
    rule = _RULES.get(eqn.primitive.name)
    if rule is None:
        return None
    taken, compute = rule
    atoms = jp.operand_atoms(eqn)[:taken]
    ranges = [_range_of(jp.primal_tracer(atom), depth + 1) for atom in atoms]
    return _combined(ranges, compute)


def _combined(ranges: list[_Range | None], compute: Callable) -> _Range | None:
    known = [each for each in ranges if each is not None]
    if len(known) < len(ranges):
        return None
    low, high = compute(*[(each.low, each.high) for each in known])
    if low < _LOWEST or high > -_LOWEST:
        return None
    return _Range(low, high, any(each.stated for each in known))


def _product(a, b):
    products = [x * y for x in a for y in b]
    return min(products), max(products)


def _hull(*ranges):
    return min(low for low, _ in ranges), max(high for _, high in ranges)


def _same(a):
    return a


_SELECTING = ("slice", "squeeze", "reshape", "dynamic_slice", "gather", "broadcast_in_dim")
_RULES: dict[str, tuple[int | None, Callable]] = {
    **dict.fromkeys((*_SELECTING, "convert_element_type", "copy", "copy_p"), (1, _same)),
    "concatenate": (None, _hull),
    "add": (2, lambda a, b: (a[0] + b[0], a[1] + b[1])),
    "sub": (2, lambda a, b: (a[0] - b[1], a[1] - b[0])),
    "mul": (2, _product),
    "max": (2, lambda a, b: (max(a[0], b[0]), max(a[1], b[1]))),
    "min": (2, lambda a, b: (min(a[0], b[0]), min(a[1], b[1]))),
    "neg": (1, lambda a: (-a[1], -a[0])),
}
