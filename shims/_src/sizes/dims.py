"""Evaluate symbolic dimensions at run time, bound them, and replace their variables by numbers."""

from __future__ import annotations

import dataclasses
import enum
import functools
from collections.abc import Mapping
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
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
    """Compute a dimension in the lowered program: a Python int if it is static, else an int32 scalar.

    A number that int32 cannot hold becomes the nearest number that it can hold; see `beyond`.
    """
    if not jp.is_symbolic(d):
        return int(d)
    if _fits(d, env, _INT32):
        return _value(d, env, np.int32)
    with jax.enable_x64(True):
        value = _value(d, env, np.int64)
        return lax.convert_element_type(jnp.clip(value, *map(np.int64, _INT32)), np.int32)


def exceeds_sizes(d: Dim) -> bool:
    """Return whether a dimension may be larger than each size in it: it multiplies them, or several."""
    return jp.is_symbolic(d) and any(
        abs(coefficient) > 1
        or sum(f[3] for f in factors) > 1
        or any(exceeds_sizes(o) for f in factors if f[0] is None for o in f[2])
        for factors, coefficient in jp.terms(d)
        if factors
    )


def is_wide(d: Dim, env: dict[str, Binding]) -> bool:
    """Return whether a dimension, or a part of it, may have a value beyond int32."""
    return jp.is_symbolic(d) and not _fits(d, env, _INT32)


def evaluate_as_float(d: Dim, env: dict[str, Binding], dtype: Any) -> jax.Array:
    """Compute a dimension in int64, and convert it to floats."""
    with jax.enable_x64(True):
        return lax.convert_element_type(_value(d, env, np.int64), dtype)


def beyond(d: Dim, env: dict[str, Binding]) -> jax.Array:
    """Return a traced bool: whether the value of a dimension that is wide is one that int32 cannot hold."""
    with jax.enable_x64(True):
        value = _value(d, env, np.int64)
        outside = (value < np.int64(_INT32[0])) | (value > np.int64(_INT32[1]))
    return outside | lost(d, env)


def lost(d: Dim, env: dict[str, Binding]) -> jax.Array | np.bool_:
    """Return whether a number on the way to the value of a dimension is one that int64 cannot hold."""
    if _fits(d, env, _INT64):
        return np.bool_(False)
    found: list[jax.Array] = []
    _magnitude(d, env, found)
    return functools.reduce(lax.max, found) >= np.float32(_NEARLY_INT64)


# The numbers that both types hold; magnitudes are computed in float32.
_INT32 = (-(2**31), 2**31 - 1)
_INT64 = (-(2**63), 2**63 - 1)
_NEARLY_INT64 = 9.22e18


def _fits(d: Dim, env: dict[str, Binding], limits: Interval) -> bool:
    """Return whether all numbers on the way to the value of a dimension are within limits."""
    if not jp.is_symbolic(d):
        return limits[0] <= d <= limits[1]
    most = 0
    for factors, coefficient in jp.terms(d):
        product = abs(coefficient)
        for factor in factors:
            if factor[0] is None and not all(_fits(o, env, limits) for o in factor[2]):
                return False
            product *= max(map(abs, _factor_interval(factor, env))) ** factor[3]
        most += product
    return most <= limits[1]


def _magnitude(d: Dim, env: dict[str, Binding], found: list[jax.Array]) -> jax.Array:
    """Return a bound of the numbers on the way to a dimension, as a float, and append it to those found."""
    if not jp.is_symbolic(d):
        return jnp.float32(abs(float(d)))
    total = jnp.float32(0)
    for factors, coefficient in jp.terms(d):
        product = jnp.float32(abs(float(coefficient)))
        for factor in factors:
            one = _factor_magnitude(factor, env, found)
            for _ in range(factor[3]):
                product = product * one
        total = total + product
    found.append(jnp.max(total))
    return total


def _factor_magnitude(
    factor: jp.Factor, env: dict[str, Binding], found: list[jax.Array]
) -> jax.Array:
    var, operation, operands, _ = factor
    if var is not None:
        return lax.convert_element_type(jnp.asarray(env[var].size), np.float32)
    a, b = (_magnitude(o, env, found) for o in operands)
    return b if operation == "mod" else a if operation == "floordiv" else jnp.maximum(a, b)


def _value(d: Dim, env: dict[str, Binding], dtype: Any) -> Any:
    """Compute a dimension in integers of a type, which is wide enough."""
    if not jp.is_symbolic(d):
        return jnp.asarray(d, dtype)
    total: Any = None  # numbers first, then traced ones
    for factors, coefficient in jp.terms(d):
        value: Any = None
        for factor in factors:
            one = _factor_value(factor, env, dtype)
            for _ in range(factor[3]):
                value = one if value is None else value * one
        if value is None:
            value = _clipped(coefficient, dtype)
        elif coefficient != 1:
            value = value * _clipped(coefficient, dtype)
        total = value if total is None else total + value
    return total


def _clipped(number: int, dtype: Any) -> Any:
    """Convert an integer to a type; one that is beyond it is found by `lost`."""
    info = np.iinfo(dtype)
    return dtype(max(min(number, info.max), info.min))


def _factor_value(factor: jp.Factor, env: dict[str, Binding], dtype: Any) -> jax.Array:
    var, operation, operands, _ = factor
    if var is not None:
        return lax.convert_element_type(env[var].size, dtype)
    a, b = (_value(o, env, dtype) for o in operands)
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
    return jnp.where(b == 0, 0, quotient - inexact.astype(a.dtype))


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
