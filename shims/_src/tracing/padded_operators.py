"""Define Python's operators for `Padded`: each is computed on the valid entries only."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from shims._src.sizes.padded import Padded
from shims._src.tracing.dynamic import run_dynamic

_ARITHMETIC = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"),
    *("and", "or", "xor"),
)
_COMPARISONS = ("lt", "le", "gt", "ge")
_UNARY = ("neg", "invert", "abs")


def bind() -> None:
    """Add the operators and the indexing method to `Padded`."""
    for name in _UNARY:
        _set_method(f"__{name}__", _unary_method(getattr(operator, f"__{name}__")))
    for name in (*_ARITHMETIC, *_COMPARISONS):
        _set_method(f"__{name}__", _binary_method(getattr(operator, f"__{name}__")))
    for name in _ARITHMETIC:
        _set_method(f"__r{name}__", _binary_method(_reflected(getattr(operator, f"__{name}__"))))
    _set_method("__getitem__", _get_item)


def _set_method(name: str, method: Callable[..., Any]) -> None:
    method.__name__ = name
    method.__doc__ = f"`{name.strip('_')}` over the true entries."
    setattr(Padded, name, method)


def _unary_method(f: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Padded) -> Any:
        return run_dynamic(f, (self,))

    return method


def _binary_method(f: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Padded, other: Any) -> Any:
        return run_dynamic(f, (self, other))

    return method


def _get_item(self: Padded, index: Any) -> Any:
    return run_dynamic(operator.getitem, (self, index))


def _reflected(f: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: f(b, a)
