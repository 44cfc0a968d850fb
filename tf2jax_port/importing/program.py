"""Collect the parts of an imported program: functions, variables, constants and problems."""

from __future__ import annotations

import builtins
import collections
import dataclasses
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from tf2jax_port.importing.rule import UnsupportedError, python_text
from tf2jax_port.importing.scope import Names

_TAKEN = ("tf", "v1", "np", "model", "variables", "feeds", "constants", "seed")
_WEIGHT = 16  # elements from which a float constant becomes a variable of the program
_LITERAL = 64  # elements up to which other constants are written as literals
_PLAIN = {"float32", "int32", "bool"}  # dtypes that TensorFlow infers for Python numbers


class Problem(NamedTuple):
    """A node that cannot be imported, and the reason."""

    op: str
    node: str
    reason: str


@dataclasses.dataclass
class Program:
    """The Python program into which a graph is converted, while it is being written."""

    names: Names = dataclasses.field(default_factory=lambda: Names((*_TAKEN, *dir(builtins))))
    definitions: list[str] = dataclasses.field(default_factory=list)
    functions: dict[str, str] = dataclasses.field(default_factory=dict)
    variables: dict[str, np.ndarray] = dataclasses.field(default_factory=dict)
    stored: Mapping[str, str] = dataclasses.field(default_factory=dict)
    constants: dict[str, np.ndarray] = dataclasses.field(default_factory=dict)
    operators: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    left_out: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    lists_grow: bool = False  # whether any version 2 list is written beyond its end
    draws: int = 0  # operators that draw random numbers
    problems: list[Problem] = dataclasses.field(default_factory=list)

    def constant(self, name: str, array: np.ndarray) -> str:
        """Return the Python expression of a constant; large float constants become variables."""
        if not isinstance(array, np.ndarray):
            raise UnsupportedError("the constant has no value")
        dtype = str(array.dtype)
        floats = array.dtype.kind in "fc" or dtype == "bfloat16"
        if floats and array.size >= _WEIGHT:
            if dtype != "bfloat16":
                self.variables[name] = array
                return f"variables[{name!r}]"
            # `.npz` files have no bfloat16; the conversion to float32 is exact.
            self.variables[name] = array.astype(np.float32)
            return f"tf.cast(variables[{name!r}], tf.bfloat16)"
        if array.size > _LITERAL or 0 in array.shape:
            if array.dtype == object:
                raise UnsupportedError(
                    f"only string constants with 1 to {_LITERAL} elements can be imported, and this constant has {array.size}"
                )
            self.constants[name] = array
            return f"constants()[{name!r}]"
        return _literal(array, dtype)

    def key(self) -> str:
        """Return the Python expression of a new seed for one random operator."""
        self.draws += 1
        return f"tf.random.fold_in(seed, {self.draws})"

    def variable(self, name: str) -> str:
        """Return the Python expression that reads a variable of a SavedModel.

        Its value is loaded from the checkpoint later.
        """
        if name not in self.stored:
            raise UnsupportedError("no file contains the value of the variable")
        self.variables.setdefault(name, np.zeros(0))
        return f"variables[{name!r}]"


def _literal(array: np.ndarray, dtype: str) -> str:
    if dtype == "bfloat16":
        return f"tf.constant({python_text(array.astype(np.float32).tolist())}, tf.bfloat16)"
    values = array.tolist()
    if dtype == "object":
        values = _decoded(values)
    text = python_text(values)
    if dtype in _PLAIN or dtype == "object":
        return text
    return f"np.array({text}, {dtype!r})" if array.ndim else f"np.{dtype}({text})"


def _decoded(values: object) -> object:
    if isinstance(values, list):
        return [_decoded(value) for value in values]
    return values.decode("utf-8", "replace") if isinstance(values, bytes) else values
