"""Define the operators, methods and properties of arrays for `Padded`, over the valid entries."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives
from shims._src.sizes.padded import Padded
from shims._src.tracing.dynamic import run_dynamic

_ARITHMETIC = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "divmod", "pow", "matmul"),
    *("and", "or", "xor", "lshift", "rshift"),
)
_COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
_UNARY = ("neg", "pos", "invert", "abs")
_METHODS = (
    *("all", "any", "argmax", "argmin", "argpartition", "argsort", "astype", "choose", "clip"),
    *("compress", "conj", "conjugate", "copy", "cumprod", "cumsum", "diagonal", "dot", "flatten"),
    *("max", "mean", "min", "nonzero", "prod", "ptp", "ravel", "repeat", "reshape", "round"),
    *("searchsorted", "sort", "squeeze", "std", "sum", "swapaxes", "take", "trace", "transpose"),
    *("var", "view"),
)
_PROPERTIES = ("T", "mT", "real", "imag")
_UPDATES = ("set", "add", "subtract", "multiply", "mul", "divide", "power", "min", "max", "get")


def bind() -> None:
    """Add the operators, methods and properties of arrays to `Padded`."""
    for name in _UNARY:
        _set_method(f"__{name}__", _method(getattr(operator, f"__{name}__")))
    for name in (*_ARITHMETIC, *_COMPARISONS):
        _set_method(f"__{name}__", _method(_operator_of(name)))
    for name in _ARITHMETIC:
        _set_method(f"__r{name}__", _method(_reflected(_operator_of(name))))
    _set_method("__getitem__", _method(operator.getitem))
    _set_method("__round__", _method(round))
    _set_method("__array_ufunc__", _call_ufunc)
    for name in _METHODS:
        _set_method(name, _method(_contract if name == "dot" else _named(name)))
    for name in _PROPERTIES:
        setattr(Padded, name, property(_method(operator.attrgetter(name))))
    for name in _UPDATES:
        setattr(_Place, name, _update(name))
    setattr(Padded, "at", property(_Places))  # noqa: B010 - the class has no such annotation


def _set_method(name: str, method: Callable[..., Any]) -> None:
    method.__name__ = name
    method.__doc__ = f"`{name.strip('_')}` over the valid entries."
    setattr(Padded, name, method)


def _operator_of(name: str) -> Callable[..., Any]:
    match name:
        case "divmod":
            return divmod
        case "matmul":
            return _contract
    return getattr(operator, f"__{name}__")


def _contract(a: Any, b: Any) -> Any:
    """Compute `a @ b`; contracted axes of unknown sizes are declared equal, checked at run time."""
    a, b = jnp.asarray(a), jnp.asarray(b)
    if a.ndim and b.ndim:
        axis, inner = max(b.ndim - 2, 0), a.shape[-1]
        if jp.is_symbolic(inner) and not jp.is_symbolic(b.shape[axis]):
            a = primitives.unify_axis(a, a.ndim - 1, b.shape[axis], label="matmul")
        else:
            b = primitives.unify_axis(b, axis, inner, label="matmul")
    return a @ b


def _method(f: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Padded, *args: Any, **kwargs: Any) -> Any:
        return run_dynamic(f, (self, *args), kwargs)

    return method


def _named(name: str) -> Callable[..., Any]:
    return lambda x, *args, **kwargs: getattr(x, name)(*args, **kwargs)


def _reflected(f: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: f(b, a)


def _call_ufunc(self: Padded, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """Compute `array + padded` and similar operators for a NumPy array, which call a NumPy function."""
    f = _contract if ufunc is np.matmul else getattr(jnp, ufunc.__name__, None)
    if method != "__call__" or kwargs or f is None:
        self._refuse()
    return run_dynamic(f, inputs)


class _Places:
    """The object `x.at` of a `Padded`, to be indexed."""

    def __init__(self, x: Padded) -> None:
        self._x = x

    def __getitem__(self, index: Any) -> _Place:
        return _Place(self._x, index)


class _Place:
    """The object `x.at[index]` of a `Padded`; its methods, such as `set`, return the updated value."""

    def __init__(self, x: Padded, index: Any) -> None:
        self._x, self._index = x, index


def _update(name: str) -> Callable[..., Any]:
    def updated(x: Any, index: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(x.at[index], name)(*args, **kwargs)

    def method(self: _Place, *args: Any, **kwargs: Any) -> Any:
        return run_dynamic(updated, (self._x, self._index, *args), kwargs)

    return method
