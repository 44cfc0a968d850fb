"""Represent Python expressions with the information that is needed to combine them."""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from tf2jax_port.importing.rule import UnsupportedError, python_text

# How tightly the outermost operator of an expression binds.
TERNARY, LOGIC, COMPARE, BITS, SUM, PRODUCT, UNARY, POWER, ATOM = range(9)
_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclasses.dataclass(frozen=True)
class Expression:
    """A Python expression.

    Args:
      text: the source.
      level: how tightly its outermost operator binds.
      dtype: the dtype of its value, such as `float32`; empty if unknown.
      shape: the static shape, with `None` for unknown sizes; `None` if the rank is unknown.
      is_static: whether the value is a Python number or tuple, known when JAX traces.
      items: the elements, for a static tuple whose elements are known one by one.
      dynamic: whether the size of the value depends on data.
      hint: a name for the value, where the original has none.
    """

    text: str
    level: int = ATOM
    dtype: str = ""
    shape: tuple[Any, ...] | None = None
    is_static: bool = False
    items: tuple[Any, ...] | None = None
    dynamic: bool = False
    hint: str = ""

    @property
    def rank(self) -> int | None:
        """The number of axes, `None` if it is unknown."""
        return None if self.shape is None else len(self.shape)

    @property
    def is_name(self) -> bool:
        """Whether the source is a single name."""
        return bool(_NAME.fullmatch(self.text))

    def at(self, level: int) -> str:
        """Return the source for a position that needs a binding level, in parentheses if necessary."""
        return self.text if self.level >= level else f"({self.text})"

    def mentions(self, name: str) -> bool:
        """Return whether the source uses a name."""
        return name in _NAME.findall(self.text)


def text_of(value: Any) -> str:
    """Return the source of an argument of a call: an expression, a number, a list of these, a dtype."""
    return as_expression(value).text


def as_expression(value: Any) -> Expression:
    """Return an argument of a call as an expression.

    Raises:
      UnsupportedError: the argument has no source.
    """
    if isinstance(value, Expression):
        return value
    if value is None or isinstance(value, (bool, str)):
        return Expression(repr(value), is_static=True)
    if isinstance(value, (int, float, np.integer, np.floating, np.bool_)):
        return _number(value)
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, (list, tuple)):
        return tuple_of([as_expression(item) for item in value])
    if hasattr(value, "as_numpy_dtype"):
        return Expression(dtype_text(value.name))
    raise UnsupportedError(f"an argument of type {type(value).__name__} cannot be written")


def _number(value: Any) -> Expression:
    if isinstance(value, np.generic):
        value = value.item()
    text = python_text(value) if isinstance(value, float) else repr(value)
    if isinstance(value, float) and not np.isfinite(value):
        text = "jnp.nan" if np.isnan(value) else ("jnp.inf" if value > 0 else "-jnp.inf")
    return Expression(text, UNARY if text.startswith("-") else ATOM, is_static=True)


def _array(value: np.ndarray) -> Expression:
    if value.ndim == 0:
        return dataclasses.replace(_number(value[()]), dtype=str(value.dtype), shape=())
    listed = python_text(value.tolist())
    text = f"np.array({listed}, {str(value.dtype)!r})"
    if value.ndim == 1 and value.dtype.kind in "iu" and value.size <= 16:
        items = tuple(_number(item) for item in value)
        inside = tuple_of(items)
        return dataclasses.replace(inside, dtype=str(value.dtype), shape=value.shape)
    return Expression(text, dtype=str(value.dtype), shape=value.shape)


def tuple_of(items: Sequence[Expression]) -> Expression:
    """Return a tuple of expressions; it is static if they all are."""
    inside = ", ".join(item.text for item in items)
    return Expression(
        f"({inside},)" if len(items) == 1 else f"({inside})",
        is_static=all(item.is_static for item in items),
        items=tuple(items),
        dynamic=any(item.dynamic for item in items),
    )


def dtype_text(name: str) -> str:
    """Return the source of a dtype: 64-bit dtypes become 32-bit dtypes, as everywhere in JAX."""
    narrow = {"float64": "float32", "int64": "int32", "uint64": "uint32", "complex128": "complex64"}
    name = narrow.get(name, name)
    return "bool" if name == "bool" else f"jnp.{name}"


def is_number(value: Any) -> bool:
    """Return whether an argument is a plain Python or NumPy number."""
    return isinstance(value, (bool, int, float, np.generic)) or (
        isinstance(value, np.ndarray) and value.ndim == 0
    )


def value_of(value: Any) -> Any:
    """Return the Python value of an argument that must be known when the module is written.

    Raises:
      UnsupportedError: the argument is computed.
    """
    if isinstance(value, Expression):
        try:
            return ast.literal_eval(value.text)
        except (ValueError, SyntaxError):
            raise UnsupportedError(
                "this operation needs the argument as a constant, but the program computes it"
            ) from None
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [value_of(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value
