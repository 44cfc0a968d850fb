"""Replace functions of `math` and `statistics`, which need numbers, for sizes and traced scalars."""

from __future__ import annotations

import functools
import math
import statistics
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy import special

from shims._src.autograph.expressions import staged_number
from shims._src.control_flow import untaken_branches
from shims._src.control_flow.staging import current_value, is_staged
from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives, trace
from shims._src.tracing.handled_errors import as_number


def replacement_of(f: Callable, args: tuple) -> Callable | None:
    """Return the JAX version of `f` if an argument is a size or a traced scalar, else `None`."""
    if id(f) in _ARRAYS:
        return _ARRAYS[id(f)] if any(map(jp.is_symbolic, jax.tree.leaves(args))) else None
    staged = _REPLACEMENTS.get(id(f))
    if staged is None:
        return None
    given = args[0] if id(f) in _OF_SEQUENCES and args else args
    if not isinstance(given, (tuple, list)):
        return None
    values = [staged_number(current_value(x)) for x in given]
    if any(map(np.ndim, values)) or not any(map(is_staged, values)):
        return None
    return staged


def _on_arrays(name: str, f: Callable) -> Callable:
    """Return a function that computes with traced numbers, and raises Python's error outside of its domain."""

    def call(*args):
        given = [staged_number(current_value(a)) for a in args]
        if any(map(jnp.iscomplexobj, given)):
            raise TypeError(f"math.{name}: an operand is complex, not a real number.")
        if name not in _OF_INTEGERS:
            given = [
                jnp.asarray(x, float) if jnp.result_type(x).kind in "biu" else x for x in given
            ]
        result = f(*given)
        if name in _OF_SOME_NUMBERS:
            _check_domain(name, given, result)
        kind = {"i": int, "u": int, "f": float}.get(result.dtype.kind)
        return result if kind is None else as_number(result, kind)

    return call


_OF_INTEGERS = frozenset({"isqrt", "gcd", "ldexp"})
# Functions that are not defined for all finite numbers; those of the second kind are infinite next to them.
_WITH_POLES = frozenset({"log", "log2", "log10", "log1p", "atanh", "gamma", "lgamma", "pow"})
_OF_SOME_NUMBERS = _WITH_POLES | {"sqrt", "acos", "asin", "acosh", "fmod", "isqrt"}


def _check_domain(name: str, given, result) -> None:
    """Check at run time that a function of `math` is defined for its arguments."""
    if name == "isqrt":
        bad = jnp.less(given[0], 0)
    else:
        bad = jnp.isnan(result)
        if name == "pow":
            bad |= jnp.equal(given[0], 0) & jnp.less(given[1], 0)
        elif name in _WITH_POLES:
            bad |= jnp.isinf(result)
        for number in given:
            bad &= jnp.isfinite(number)
    text = errors.message(
        f"math.{name}",
        "math domain error.",
        required="numbers for which the function is defined",
        do="test the numbers first: `if n > 0`; or call the function of `jnp`, and test its result",
    )
    untaken_branches.raise_if_handled(bad, ValueError("math domain error"))
    primitives.check(bad, text)


def _whole(rounding: Callable) -> Callable:
    """Return a function that rounds a float to an integer, and returns sizes and integers unchanged."""

    def call(x):
        x = current_value(x)
        if jp.is_symbolic(x) or jnp.issubdtype(x.dtype, jnp.integer):
            return x
        return as_number(rounding(x), int)

    return call


def _log(x, base=None):
    return jnp.log(x) if base is None else jnp.log(x) / jnp.log(base)


def _integer_root(n):
    """Compute the integer square root, correcting the float result, which is off by at most one."""
    root = jnp.sqrt(n).astype(jnp.int32)
    root = jnp.where((root > 0) & (root > n // jnp.maximum(root, 1)), root - 1, root)
    return jnp.where(root + 1 <= n // (root + 1), root + 1, root)


def _common_divisor(*numbers):
    if not all(jnp.issubdtype(jnp.asarray(n).dtype, jnp.integer) for n in numbers):
        raise TypeError("math.gcd: an operand is not an integer.")
    return functools.reduce(jnp.gcd, numbers)


def _product(values, *, start=1):
    for value in values:
        start = current_value(value) * start
    return start


def _of_list(f: Callable) -> Callable:
    def call(values):
        numbers = [jnp.asarray(staged_number(current_value(v)), float) for v in values]
        return as_number(f(jnp.stack(numbers)), float)

    return call


def _mean(values):
    """Compute the mean; that of integers and sizes is an integer, as in Python, if it is one for all data."""
    if all(isinstance(v, int) or jp.is_symbolic(v) for v in values):
        total, state = sum(values), trace.current()
        rest = total % len(values)
        is_known = not jp.is_symbolic(rest) or (state is not None and state.is_input_only(rest))
        if is_known and bool(rest == 0):
            return total // len(values)
    return _of_list(jnp.mean)(values)


def _median(values):
    numbers = jnp.stack([jnp.asarray(staged_number(current_value(v))) for v in values])
    middle, is_odd = divmod(numbers.shape[0], 2)
    return jnp.sort(numbers)[middle] if is_odd else jnp.median(numbers)


_SAME_NAME = (
    *("sqrt", "cbrt", "exp", "exp2", "expm1", "log2", "log10", "log1p", "sin", "cos", "tan"),
    *("sinh", "cosh", "tanh", "isnan", "isinf", "isfinite", "fabs", "hypot", "copysign", "fmod"),
    *("degrees", "radians", "nextafter", "ldexp"),
)
_RENAMED: dict[str, Callable] = {
    "asin": jnp.arcsin,
    "acos": jnp.arccos,
    "atan": jnp.arctan,
    "atan2": jnp.arctan2,
    "asinh": jnp.arcsinh,
    "acosh": jnp.arccosh,
    "atanh": jnp.arctanh,
    "pow": jnp.float_power,
    "log": _log,
    "isqrt": _integer_root,
    "gcd": _common_divisor,
    "erf": special.erf,
    "erfc": special.erfc,
    "gamma": special.gamma,
    "lgamma": special.gammaln,
}
_NAMED = {name: getattr(jnp, name) for name in _SAME_NAME} | _RENAMED
_REPLACEMENTS: dict[int, Callable] = {
    **{id(getattr(math, name)): _on_arrays(name, f) for name, f in _NAMED.items()},
    id(math.ceil): _whole(jnp.ceil),
    id(math.floor): _whole(jnp.floor),
    id(math.trunc): _whole(jnp.trunc),
    id(math.prod): _product,
    id(math.fsum): _of_list(jnp.sum),
    id(statistics.mean): _mean,
    id(statistics.fmean): _of_list(jnp.mean),
    id(statistics.median): _median,
}
# Functions of NumPy that make arrays, for which every size in their arguments would need its number.
_ARRAYS: dict[int, Callable] = {
    id(getattr(np, name)): getattr(jnp, name)
    for name in ("asarray", "array", "float32", "int32", "int64")
}
_OF_SEQUENCES = frozenset(
    map(id, (math.prod, math.fsum, statistics.mean, statistics.fmean, statistics.median))
)
