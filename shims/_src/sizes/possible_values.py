"""Evaluate expressions over sizes for all possible sizes, to decide which conditions always hold.

A selection from 8 slots has 0 to 8 elements: `min(8, u)` is `u` then, `max(0, u - 1)` is `u - min(u, 1)`, and
4 divides `u + (-u) % 4`. JAX's rules cannot derive this; trying all numbers can.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np

from shims._src.platform import jax_private as jp

Interval: TypeAlias = tuple[int, int]
# The bounds of the sizes in an expression, sorted by name.
Domain: TypeAlias = tuple[tuple[str, Interval], ...]

# The largest number of combinations of sizes that are tried.
_MOST = 1 << 20
# The largest number of combinations for which earlier answers are tried at every question.
_MOST_PREMISES = 1 << 12
_INT64 = 2**63 - 1
_SAMPLES = 64


@functools.lru_cache(maxsize=4096)
def extremes(form: jp.Form, domain: Domain) -> Interval | None:
    """Return the least and greatest value of an expression; `None` if too many sizes are possible."""
    values = over(form, domain)
    return None if values is None else (int(values.min()), int(values.max()))


@functools.lru_cache(maxsize=4096)
def is_never_zero(form: jp.Form, domain: Domain) -> bool:
    """Return whether an expression is known to be nonzero for all possible sizes."""
    values = over(form, domain)
    return values is not None and bool(np.all(values))


def over(form: jp.Form, domain: Domain) -> np.ndarray | None:
    """Return an expression's values for all sizes, one axis per size; `None` if they are too many."""
    extents = [high - low + 1 for _, (low, high) in domain]
    if math.prod(extents) > _MOST or min(extents, default=1) < 1:
        return None
    ranges = dict(domain)
    if magnitude(form, ranges) > _INT64:
        return None
    numbers = {}
    for axis, (name, (low, high)) in enumerate(domain):
        shape = [1] * len(domain)
        shape[axis] = -1
        numbers[name] = np.arange(low, high + 1, dtype=np.int64).reshape(shape)
    return np.broadcast_to(_value(form, numbers), extents)


def where_all_hold(
    domain: Domain, premises: Iterable[tuple[jp.Form, Any, bool]]
) -> np.ndarray | None:
    """Return for which sizes all premises hold, one axis per size; `None` if the sizes are too many.

    Args:
      domain: the sizes.
      premises: expressions over them, a question about each, and its answer.
    """
    shape = [high - low + 1 for _, (low, high) in domain]
    if math.prod(shape) > _MOST_PREMISES or min(shape, default=0) < 1:
        return None
    holds = np.ones(shape, bool)
    for premise, question, answer in premises:
        answers = answers_over(premise, question, domain)
        if answers is not None:
            holds &= answers == answer
    return holds


@functools.lru_cache(maxsize=4096)
def answers_over(form: jp.Form, question: Any, domain: Domain) -> np.ndarray | None:
    """Return the answers to a question about an expression for all sizes; `None` if the sizes are too many."""
    values = over(form, domain)
    return None if values is None else np.asarray(question.holds(values))


def magnitude(form: jp.Form, ranges: dict[str, Interval]) -> int:
    """Return a bound of the absolute value of an expression and of all its parts.

    If int64 holds the bound, NumPy can evaluate the expression without overflow.
    """
    total = parts = 0
    for factors, coefficient in form:
        product = abs(coefficient)
        for name, _, operands, exponent in factors:
            inner = [magnitude(o, ranges) for o in operands]
            one = max(map(abs, ranges[name])) if name is not None else max(inner)
            parts = max([parts, *inner])
            product *= max(one, 1) ** exponent
        total += product
    return max(total, parts)


def _value(form: jp.Form, numbers: dict[str, np.ndarray]) -> Any:
    total: Any = np.int64(0)
    for factors, coefficient in form:
        product: Any = np.int64(coefficient)
        for factor in factors:
            product = product * _factor(factor, numbers) ** factor[3]
        total = total + product
    return total


def _factor(factor, numbers: dict[str, np.ndarray]) -> Any:
    name, operation, operands, _ = factor
    if name is not None:
        return numbers[name]
    a, b = (_value(o, numbers) for o in operands)
    if operation in ("min", "max"):
        return np.minimum(a, b) if operation == "min" else np.maximum(a, b)
    # A divisor of zero belongs to an empty array, which has nothing to divide up.
    divide = np.floor_divide if operation == "floordiv" else np.mod
    return np.where(b == 0, 0, divide(a, np.where(b == 0, 1, b)))


def as_linear(values: np.ndarray) -> tuple[int, list[int]] | None:
    """Express an array of values, one axis per size, as a linear function of its indices.

    Returns `(constant, coefficients)`; `None` if the values are not linear.
    """
    corner = (0,) * values.ndim
    constant, slopes = int(values[corner]), []
    expected: Any = np.int64(constant)
    for axis, extent in enumerate(values.shape):
        next_one = tuple(int(i == axis) for i in range(values.ndim))
        slopes.append(int(values[next_one]) - constant if extent > 1 else 0)
        shape = [1] * values.ndim
        shape[axis] = -1
        expected = expected + slopes[-1] * np.arange(extent).reshape(shape)
    return (
        (constant, slopes)
        if np.array_equal(np.broadcast_to(expected, values.shape), values)
        else None
    )


class KnownExpressions:
    """The expressions of a trace that are not linear.

    An expression that differs from an earlier one by a linear expression is written in terms of the earlier one,
    since JAX compares the text of expressions.
    """

    def __init__(self) -> None:
        self._known: list[tuple[Domain, Any]] = []

    def simplest(self, d, domain: Domain):
        """Rewrite an expression as linear, or as an earlier expression plus or minus a linear one.

        Returns `d` itself, which later expressions may refer to, if neither is possible.
        """
        values = over(jp.form(d), domain)
        if values is None:
            return d
        for multiple, rest in ((0, values), *self._differences(values, domain)):
            linear = as_linear(rest)
            if linear is not None:
                return multiple + _expression(d, linear, domain)
        self._known.append((domain, d))
        return d

    def _differences(self, values, domain) -> Iterator[tuple[Any, np.ndarray]]:
        for other_domain, known in self._known:
            if other_domain == domain:
                others = over(jp.form(known), domain)
                yield known, values - others
                yield -known, values + others


def _expression(d, linear: tuple[int, list[int]], domain: Domain):
    constant, slopes = linear
    total: Any = constant
    for slope, (name, (low, _)) in zip(slopes, domain, strict=True):
        total = total + slope * (jp.renamed_dimension(d, name) - low) if slope else total
    return total
