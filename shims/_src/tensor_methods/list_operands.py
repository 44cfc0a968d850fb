"""Let arrays take lists and tuples as operands, which TensorFlow converts to tensors."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from shims._src.array.casting import convert_to_tensor
from shims._src.platform import user_frames

_ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")
_LOGICAL = ("and", "or", "xor")
_ORDER = ("lt", "le", "gt", "ge")
_EQUALITY = ("eq", "ne")


def operators_of(cls) -> dict[str, Callable[..., Any]]:
    """Return the operators of a class of arrays, each with lists and tuples as operands, too."""
    both = [*_ARITHMETIC, *_LOGICAL]
    names = [*both, *(f"r{n}" for n in both), *_ORDER]
    found = {f"__{n}__": _with_lists(getattr(cls, f"__{n}__")) for n in names}
    return found | {f"__{n}__": _with_lists(getattr(cls, f"__{n}__"), True) for n in _EQUALITY}


def _with_lists(original: Callable[..., Any], only_programs: bool = False) -> Callable[..., Any]:
    """Return an operator that converts a list or tuple to an array of the other operand's dtype.

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
        return original(self, other)

    method.__name__ = original.__name__
    return method
