"""Evaluate symbolic dimensions at run time, bound them, and replace their variables by numbers."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
from jax import lax

from shims._src.platform import jax_private as jp
from shims._src.sizes import possible_values

# A dimension is an int or one of JAX's symbolic ones, whose class is private.
Dim: TypeAlias = Any
Interval: TypeAlias = tuple[int, int]

# Up to this number of sizes, every combination of zeros is tried.
MANY = 3


class Unnumbered(enum.Enum):
    """Markers in place of a serial number, for sizes that no equation of the lowered program creates."""

    MISSING = "made by another branch: its count is 0 here"
    COUNTED = "counted again from the number behind it"


# Distinguishes two sizes of the same name.
Serial: TypeAlias = int | Unnumbered


@dataclasses.dataclass(frozen=True, eq=False)
class Binding:
    """The run-time value, bounds and validity mask of one dimension variable during lowering.

    `size` is the value, a traced int32 scalar; `low` and `capacity` are its static bounds; `serial`
    distinguishes sizes of the same name; `valid` is the validity mask, or `None`.
    """

    size: jax.Array
    capacity: int
    low: int
    serial: Serial
    fresh: bool
    valid: jax.Array | None = None


def interval(d: Dim, env: dict[str, Binding]) -> Interval:
    """Return a static lower and upper bound of a dimension."""
    if not jp.is_symbolic(d):
        return int(d), int(d)
    known = () if is_linear(d) else [(v, _limits(env[v])) for v in sorted(jp.variables(d))]
    exact = possible_values.extremes(jp.form(d), tuple(known)) if known else None
    if exact is not None:
        return exact
    low = high = 0
    for factors, coefficient in jp.terms(d):
        bounds = (1, 1)
        for factor in factors:
            one = _factor_interval(factor, env)
            for _ in range(factor[3]):
                bounds = _multiply_intervals(bounds, one)
        bounds = _multiply_intervals(bounds, (coefficient, coefficient))
        low, high = low + bounds[0], high + bounds[1]
    return low, high


def _limits(binding: Binding) -> Interval:
    return binding.low, max(binding.capacity, binding.low)


def _multiply_intervals(a: Interval, b: Interval) -> Interval:
    products = (a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1])
    return min(products), max(products)


def _factor_interval(factor: jp.Factor, env: dict[str, Binding]) -> Interval:
    var, operation, operands, _ = factor
    if var is not None:
        return _limits(env[var])
    a, b = (interval(o, env) for o in operands)
    if operation == "floordiv":
        divisors = [d for d in (*b, 1, -1) if d and b[0] <= d <= b[1]] or [1]
        quotients = [n // d for n in a for d in divisors]
        return min(quotients), max(quotients)
    if operation == "mod":
        bound = max(abs(b[0]), abs(b[1]), 1) - 1
        if b[0] >= 0:
            return 0, (min(bound, a[1]) if a[0] >= 0 else bound)
        return -bound, bound
    pick = max if operation == "max" else min
    return pick(a[0], b[0]), pick(a[1], b[1])


def evaluate(d: Dim, env: dict[str, Binding]) -> int | jax.Array:
    """Compute a dimension in the lowered program: a Python int if it is static, else an int32 scalar."""
    if not jp.is_symbolic(d):
        return int(d)
    total: Any = None  # numbers first, then traced ones
    for factors, coefficient in jp.terms(d):
        value: Any = None
        for factor in factors:
            one = _factor_value(factor, env)
            for _ in range(factor[3]):
                value = one if value is None else value * one
        if value is None:
            value = coefficient
        elif coefficient != 1:
            value = value * jnp.int32(coefficient)
        total = value if total is None else total + jnp.int32(value)
    return total


def _factor_value(factor: jp.Factor, env: dict[str, Binding]) -> jax.Array:
    var, operation, operands, _ = factor
    if var is not None:
        return env[var].size
    a, b = (jnp.asarray(evaluate(o, env), jnp.int32) for o in operands)
    if operation == "floordiv":
        return _floordiv(a, b)
    if operation == "mod":
        return jnp.where(b == 0, 0, a - _floordiv(a, b) * b)
    return lax.max(a, b) if operation == "max" else lax.min(a, b)


def _floordiv(a: jax.Array, b: jax.Array) -> jax.Array:
    divisor = jnp.where(b == 0, 1, b)
    quotient = lax.div(a, divisor)
    inexact = (lax.rem(a, divisor) != 0) & ((a < 0) != (divisor < 0))
    # A divisor of zero belongs to an empty array, which has nothing to divide up.
    return jnp.where(b == 0, 0, quotient - inexact.astype(jnp.int32))


def is_product(d: Dim) -> bool:
    """Return whether a dimension contains a product of sizes."""
    return jp.is_symbolic(d) and any(sum(f[3] for f in factors) > 1 for factors, _ in jp.terms(d))


def is_size_of_slices(d: Dim) -> bool:
    """Return whether a dimension has only sums, products, minima and maxima, as sizes of slices do."""
    return not jp.is_symbolic(d) or all(
        f[0] is not None or (f[1] in ("min", "max") and all(map(is_size_of_slices, f[2])))
        for factors, _ in jp.terms(d)
        for f in factors
    )


def is_linear(d: Dim) -> bool:
    """Return whether a dimension has the form `a * n + b * m + ... + c` for variables `n`, `m`."""
    return all(
        len(factors) <= 1 and all(f[0] is not None and f[3] == 1 for f in factors)
        for factors, _ in jp.terms(d)
    )


def concrete(d: Dim, sizes: Mapping[str, int]) -> int:
    """Compute a dimension for given values of all of its variables."""
    return int(substituted(d, sizes))


def substituted(d: Dim, sizes: Mapping[str, int]) -> Dim:
    """Replace variables of a dimension by numbers; return an `int` if no variable is left."""
    if not jp.is_symbolic(d):
        return int(d)
    named = jp.variables(d)  # none in a number that JAX writes as an expression
    if named and not named & sizes.keys():
        return d
    total = 0
    for factors, coefficient in jp.terms(d):
        product = coefficient
        for factor in factors:
            product = product * _substituted_factor(d, factor, sizes) ** factor[3]
        total = total + product
    return total


def _substituted_factor(d: Dim, factor: jp.Factor, sizes: Mapping[str, int]) -> Dim:
    var, operation, operands, _ = factor
    if var is not None:
        return sizes[var] if var in sizes else jp.renamed_dimension(d, var)
    a, b = (substituted(o, sizes) for o in operands)
    if operation == "floordiv":
        return a // b
    if operation == "mod":
        return a % b
    return jp.core.max_dim(a, b) if operation == "max" else jp.core.min_dim(a, b)
