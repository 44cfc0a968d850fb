"""Split the arguments of a case into arrays, which lanes convert, and other (static) values."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tf2jax_port.diff.values import tree
from tf2jax_port.diff.values.spill import spilled


@dataclass(frozen=True, slots=True)
class Slot:
    """A placeholder for array number `index` in nested arguments."""

    index: int


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of one call.

    NumPy arrays and NumPy scalars are data: every lane gets them as arguments, never as constants.
    Python scalars, strings and `None` are passed unchanged, as in a program.

    Attributes:
      index: the number of the case.
      template: the argument tuple with a `Slot` in place of each array.
      arrays: the arrays, read-only.
      paths: the name of each array, `x` or `params['w']`.
    """

    index: int
    template: tuple[Any, ...]
    arrays: tuple[np.ndarray, ...]
    paths: tuple[str, ...]

    def fill(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """Return the argument tuple with `values` in place of the placeholders for arrays."""
        return tree.rebuild(
            self.template, lambda part: values[part.index] if isinstance(part, Slot) else part
        )

    def with_arrays(self, arrays: Sequence[np.ndarray]) -> Arguments:
        """Return the same call with other arrays."""
        return Arguments(self.index, self.template, tuple(arrays), self.paths)

    def map(self, f: Callable[[np.ndarray], np.ndarray]) -> Arguments:
        """Return the same call with `f` applied to every array."""
        return self.with_arrays([spilled(f(array)) for array in self.arrays])

    @property
    def key(self) -> str:
        """A key that is equal for calls that differ only in the sizes and elements of their arrays."""
        kinds = [(a.dtype.name, a.ndim) for a in self.arrays]
        return f"{self.template!r} {kinds!r}"

    @property
    def differentiable(self) -> tuple[int, ...]:
        """The indices of the arrays that have a gradient."""
        return tuple(i for i, a in enumerate(self.arrays) if is_inexact(a.dtype))

    def digest(self) -> str:
        """Return a fingerprint of all arguments, including the elements of arrays."""
        state = hashlib.sha256(repr(self.template).encode())
        for array in self.arrays:
            state.update(f"{array.dtype.name}{array.shape}".encode())
            state.update(array.tobytes() if array.dtype != object else repr(array).encode())
        return state.hexdigest()


def is_inexact(dtype: np.dtype) -> bool:
    """Return whether arithmetic in a dtype rounds: floats (including bfloat16) and complex numbers."""
    return dtype.kind in "fc" or dtype.name.startswith(("bfloat", "float"))


def is_array(value: Any) -> bool:
    """Return whether an argument is an array or a NumPy scalar, and not a static value."""
    if isinstance(value, (np.ndarray, np.generic)):
        return True
    return hasattr(value, "__array__") and hasattr(value, "shape") and hasattr(value, "dtype")


def bind(
    index: int,
    call: tuple[Any, ...],
    function: Callable[..., Any],
    port: Callable[..., Any] | None = None,
) -> Arguments:
    """Split an argument tuple into arrays and static values.

    Args:
      index: the number of the case.
      call: the tuple that `cases()` returned.
      function: the TensorFlow function, whose parameters name the arrays.
      port: its port, whose parameters name the arrays that have no name in the original.
    """
    arrays: list[np.ndarray] = []

    def slot(value: Any) -> Any:
        if not is_array(value):
            return value
        array = np.array(value)
        array.flags.writeable = False
        arrays.append(array)
        return Slot(len(arrays) - 1)

    template = tuple(tree.rebuild(part, slot) for part in call)
    found: dict[int, str] = {}
    for name, part in zip(parameter_names(function, len(call), port), template, strict=True):
        for path, leaf in tree.walk(part, name, stop=lambda value: isinstance(value, Slot)):
            if isinstance(leaf, Slot):
                found[leaf.index] = path
    paths = tuple(found[i] for i in range(len(arrays)))
    return Arguments(index, template, tuple(arrays), paths)


def parameter_names(
    function: Callable[..., Any], count: int, other: Callable[..., Any] | None = None
) -> list[str]:
    """Return the names of the first `count` positional parameters; `rest[0]` for the first of `*rest`.

    Args:
      function: the original.
      count: the number of arguments.
      other: the port; its parameter names are used for arguments for which the original has no name.
    """
    own, rest = _names(function)
    more = own if other is None else _names(other)[0]
    names = own + [name for name in more[len(own) :] if name not in own]
    left = range(len(names), count)
    return names[:count] + [f"{rest}[{i - len(own)}]" if rest else f"args[{i}]" for i in left]


def _names(function: Callable[..., Any]) -> tuple[list[str], str]:
    """Return the names of a function's positional parameters, and that of its `*` parameter, `""` if it has none."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return [], ""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    rest = [p.name for p in parameters if p.kind is inspect.Parameter.VAR_POSITIONAL]
    return [p.name for p in parameters if p.kind in kinds], "".join(rest)
