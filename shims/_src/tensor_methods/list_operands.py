"""Let arrays take lists and tuples as operands and within an index, where TensorFlow makes tensors of them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from shims._src.array.casting import convert_to_tensor
from shims._src.platform import user_frames

_ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")
_LOGICAL = ("and", "or", "xor")
_ORDER = ("lt", "le", "gt", "ge")
_EQUALITY = ("eq", "ne")


def operators_of(cls) -> dict[str, Callable[..., Any]]:
    """Return the operators of a class of arrays, and its index, with lists and tuples as operands, too."""
    both = [*_ARITHMETIC, *_LOGICAL]
    names = [*both, *(f"r{n}" for n in both), *_ORDER]
    found = {f"__{n}__": _with_lists(getattr(cls, f"__{n}__")) for n in names}
    found |= {f"__{n}__": _with_lists(getattr(cls, f"__{n}__"), True) for n in _EQUALITY}
    return found | {"__getitem__": _indexed_by_lists(cls.__getitem__)}


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
            if isinstance(self, np.ndarray):  # which JAX's arrays do not accept from the left
                return getattr(jnp.asarray(self), original.__name__)(other)
        return original(self, other)

    method.__name__ = original.__name__
    return method


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
