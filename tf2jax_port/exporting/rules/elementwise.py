"""Spell operators that work element by element."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from tf2jax_port.exporting.expressions import (
    BITS,
    COMPARE,
    POWER,
    PRODUCT,
    SUM,
    UNARY,
    Expression,
    as_expression,
    dtype_text,
)
from tf2jax_port.exporting.rules.spelling import both_static, fill, spelled

_FUNCTIONS = {
    "jnp": "sqrt exp abs sign tanh sin cos tan floor round maximum minimum sinh cosh asin acos atan "
    "math.log math.log1p math.expm1 math.ceil math.is_nan:isnan math.is_finite:isfinite math.is_inf:isinf "
    "math.rint atan2:arctan2 math.conj math.real math.imag math.angle math.sinh math.cosh "
    "math.reciprocal:reciprocal math.floormod:mod math.floordiv:floor_divide",
    "jax.nn": "sigmoid nn.relu nn.relu6 nn.elu nn.selu math.softplus math.softsign:soft_sign",
    "lax": "math.rsqrt:rsqrt math.erf math.erfc math.lgamma math.digamma",
}


def _functions() -> dict[str, Callable[..., Any]]:
    found = {}
    for module, names in _FUNCTIONS.items():
        for name in names.split():
            path, _, other = name.partition(":")
            last = other or path.rpartition(".")[2]
            two = last in ("maximum", "minimum", "arctan2", "mod", "floor_divide")
            found[f"shims.{path}"] = spelled(f"{module}.{last}({{0}}{', {1}' if two else ''})")
    return found


def _infix(sign: str, level: int, left: str, right: str) -> Callable[..., Expression]:
    def rule(call: Any, x: Any, y: Any) -> Expression:
        del call
        found = fill(f"{{0:{left}}} {sign} {{1:{right}}}", x, y, level=level)
        return dataclasses.replace(found, is_static=both_static(x, y))

    return rule


def _divide(call: Any, x: Any, y: Any) -> Expression:
    """Spell division: of integers it gives floating-point numbers, as in JAX."""
    return _infix("/", PRODUCT, "p", "u")(call, x, y)


def _power(call: Any, x: Any, y: Any) -> Expression:
    return fill("{0:a}**{1:w}", x, y, level=POWER)


def _square(call: Any, x: Any) -> Expression:
    return fill("{0:a}**2", x, level=POWER)


def _cast(call: Any, x: Any, dtype: Any = None, **others: Any) -> Expression:
    """Spell a cast; one that changes nothing in JAX is left out."""
    name = call.result.dtype.name
    x = as_expression(x)
    if dtype_text(name) == dtype_text(x.dtype or name) or (x.is_static and x.rank in (0, None)):
        return dataclasses.replace(x, dtype=name)
    return fill("{0:a}.astype(" + dtype_text(name) + ")", x)


def _sum_of_all(call: Any, inputs: Any) -> Expression:
    if len(inputs) == 1:
        return as_expression(inputs[0])
    template = " + ".join(f"{{{i}:{'s' if i == 0 else 'p'}}}" for i in range(len(inputs)))
    return fill(template, *inputs, level=SUM)


def _pass_on(call: Any, input: Any, **others: Any) -> Expression:
    return as_expression(input)


def _clip(call: Any, t: Any, clip_value_min: Any, clip_value_max: Any) -> Expression:
    return fill("jnp.clip({0}, {1}, {2})", t, clip_value_min, clip_value_max)


def _select(call: Any, condition: Any, x: Any, y: Any) -> Expression:
    return fill("jnp.where({0}, {1}, {2})", condition, x, y)


def _select_rows(call: Any, condition: Any, x: Any, y: Any) -> Expression:
    """Spell `where` of version 1, whose vector condition selects rows."""
    condition = as_expression(condition)
    rank = as_expression(x).rank
    if condition.rank == 1 and rank and rank > 1:
        missing = ", ".join(["None"] * (rank - 1))
        condition = fill("{0:a}[:, " + missing + "]", condition)
    return _select(call, condition, x, y)


def _leaky(call: Any, features: Any, alpha: Any = 0.2) -> Expression:
    return fill("jax.nn.leaky_relu({0}, {1})", features, alpha)


def _increment(call: Any, time: Any) -> Expression:
    return fill("{0:s} + 1", time, level=SUM)


RULES: dict[str, Callable[..., Any]] = {
    **_functions(),
    "shims.add": _infix("+", SUM, "s", "p"),
    "shims.subtract": _infix("-", SUM, "s", "p"),
    "shims.multiply": _infix("*", PRODUCT, "p", "u"),
    "shims.truediv": _divide,
    "shims.divide": _divide,
    "shims.pow": _power,
    "shims.square": _square,
    "shims.math.squared_difference": spelled("({0:s} - {1:p})**2", POWER),
    "shims.negative": spelled("-{0:u}", UNARY),
    "shims.equal": _infix("==", COMPARE, "c", "c"),
    "shims.not_equal": _infix("!=", COMPARE, "c", "c"),
    "shims.less": _infix("<", COMPARE, "c", "c"),
    "shims.less_equal": _infix("<=", COMPARE, "c", "c"),
    "shims.greater": _infix(">", COMPARE, "c", "c"),
    "shims.greater_equal": _infix(">=", COMPARE, "c", "c"),
    "shims.logical_and": _infix("&", BITS, "s", "s"),
    "shims.logical_or": _infix("|", BITS, "s", "s"),
    "shims.logical_not": spelled("~{0:u}", UNARY),
    "shims.cast": _cast,
    "shims.add_n": _sum_of_all,
    "shims.identity": _pass_on,
    "shims.ensure_shape": lambda call, x, shape: as_expression(x),
    "shims.stop_gradient": spelled("lax.stop_gradient({0})"),
    "shims.clip_by_value": _clip,
    "shims.where": _select,
    "shims._src.raw_ops.redefined_in_v1.where": _select_rows,
    "shims.nn.leaky_relu": _leaky,
    "shims._src.v1.rnn.dynamic._increment": _increment,
}
