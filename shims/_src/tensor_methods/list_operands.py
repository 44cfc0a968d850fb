"""Let arrays take lists, tuples and large integers as operands, where TensorFlow makes tensors of them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.arguments.conversion import check_width
from shims._src.array.casting import convert_to_tensor
from shims._src.platform import user_frames

_ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")
_LOGICAL = ("and", "or", "xor")
_ORDER = ("lt", "le", "gt", "ge")
_EQUALITY = ("eq", "ne")
# Integers beyond this one do not fit 32 bits.
_LIMIT = 2**31


def operators_of(cls) -> dict[str, Callable[..., Any]]:
    """Return the operators of a class of arrays, and its index, with lists, tuples and any integers as operands."""
    both = [*_ARITHMETIC, *_LOGICAL]
    names = [*both, *(f"r{n}" for n in both), *_ORDER]
    found = {f"__{n}__": _with_lists(getattr(cls, f"__{n}__")) for n in names}
    found |= {f"__{n}__": _with_lists(getattr(cls, f"__{n}__"), True) for n in _EQUALITY}
    return found | {"__getitem__": _indexed_by_lists(cls.__getitem__)}


def _with_lists(original: Callable[..., Any], only_programs: bool = False) -> Callable[..., Any]:
    """Return an operator that converts a list, a tuple or a large integer to the other operand's dtype.

    Args:
      original: the operator of the class.
      only_programs: whether the code of libraries keeps the original; without the conversion `==`
        is false, while other operators raise an error.
    """

    def method(self, other):
        if type(other) in (list, tuple) and not (
            only_programs and user_frames.runs_unconverted_library(sys._getframe(1))
        ):
            other = convert_to_tensor(other, self.dtype)
            if isinstance(self, np.ndarray):  # which JAX's arrays do not accept from the left
                return getattr(jnp.asarray(self), original.__name__)(other)
        elif type(other) is int and not -_LIMIT <= other < _LIMIT:
            other = _large_integer(other, self.dtype)
        return original(self, other)

    method.__name__ = original.__name__
    return method


def _large_integer(number: int, dtype) -> int | float:
    """Return an operand of which JAX would make an integer of 32 bits, and TensorFlow the other operand's dtype.

    Raises:
      NarrowingError: the other operand has integers of 32 bits, which may stand for those of 64 bits.
    """
    if jnp.issubdtype(dtype, jnp.inexact):
        return float(number)
    if not jax.config.jax_enable_x64 and -(2**63) <= number < 2**63:
        check_width(np.asarray(number))
    return number


def _indexed_by_lists(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return an index operator that takes lists and tuples for its axes, as NumPy's does.

    JAX's takes them, too, except tuples of booleans. A list that is the whole index stays an error: it
    is an index per axis for TensorFlow, and positions along the first axis for NumPy.
    """

    def __getitem__(self, index):
        if type(index) is tuple:
            index = tuple(np.asarray(i) if type(i) is tuple and i else i for i in index)
        return original(self, index)

    return __getitem__
