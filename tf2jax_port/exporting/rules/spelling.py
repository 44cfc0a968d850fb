"""Fill templates of expressions, with parentheses where an operand needs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tf2jax_port.exporting.expressions import (
    ATOM,
    COMPARE,
    POWER,
    PRODUCT,
    SUM,
    UNARY,
    Expression,
    as_expression,
)

_LEVELS = {"": 0, "c": COMPARE + 1, "s": SUM, "p": PRODUCT, "u": UNARY, "w": POWER, "a": ATOM}


class _Operand:
    """An argument of a template; the format code is the binding level that its position needs."""

    def __init__(self, value: Any):
        self.value = as_expression(value)

    def __format__(self, spec: str) -> str:
        return self.value.at(_LEVELS[spec])


def fill(template: str, *values: Any, level: int = ATOM, **more: Any) -> Expression:
    """Return the expression of a template such as `{0:s} + {1:p}`."""
    named = {name: _Operand(value) for name, value in more.items()}
    return Expression(template.format(*map(_Operand, values), **named), level)


def spelled(template: str, level: int = ATOM) -> Callable[..., Expression]:
    """Return a rule that fills a template with the arguments of a call, in their order."""

    def rule(call: Any, **arguments: Any) -> Expression:
        del call
        return fill(template, *arguments.values(), level=level)

    return rule


def rest_is_default(arguments: dict[str, Any], *names: str) -> bool:
    """Return whether all arguments but some are `None`, `False` or 0."""
    return not any(v for n, v in arguments.items() if n not in names)


def as_axis(value: Any) -> str:
    """Return the source of an axis, or of a tuple of axes."""
    found = as_expression(value)
    if found.items is not None and len(found.items) == 1:
        return found.items[0].text
    return found.text


def both_static(*values: Any) -> bool:
    """Return whether all operands are known when JAX traces."""
    return all(as_expression(v).is_static for v in values)
