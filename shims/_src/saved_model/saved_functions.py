"""Define the saved form of a function: its programs, and the arguments that each program accepts."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from typing import Any

import jax
from jax import export

from shims._src.types.tensor_spec import TensorSpec
from shims._src.variables.variable import Variable

# A size of an operand: a number, or the name of an unknown size of at least 0.
Size = int | str
Shapes = tuple[tuple[Size, ...], ...]


@dataclasses.dataclass(frozen=True)
class Check:
    """A check that a program makes when it runs.

    Attributes:
      error: the name of the error class.
      text: the message.
    """

    error: str
    text: str


@dataclasses.dataclass(frozen=True, eq=False)
class Program:
    """A compiled program over the values of variables and the operands.

    Its results are the leaves of the outputs, the new values of the variables in `written`, and, if there are
    checks, two vectors: whether each has failed, and the number in its message.

    Attributes:
      shapes: the shape of each operand.
      excluded: values of unknown sizes for which it is not valid: pairs of a name and a number, or of two names
        that must not be equal.
      used: the variables whose values it takes.
      written: the variables that it assigns.
      outputs: the structure of its results, encoded.
      checks: what it checks.
      data: the program, as `jax.export` stores it.
    """

    shapes: Shapes
    excluded: tuple[tuple[str, Size], ...]
    used: tuple[Variable, ...]
    written: tuple[Variable, ...]
    outputs: Any
    checks: tuple[Check, ...]
    data: bytes

    @functools.cached_property
    def exported(self) -> export.Exported:
        """The program, read."""
        return export.deserialize(bytearray(self.data))

    @functools.cached_property
    def compiled(self):
        """The program as a function that JAX compiles once per shape."""
        return jax.jit(self.exported.call)


@dataclasses.dataclass(frozen=True, eq=False)
class SavedConcrete:
    """The programs for one signature of a function.

    Attributes:
      arguments: the structure of each argument by its name, encoded; the leaves are `TensorSpec`.
      programs: programs for different sizes.
      refused: for ranks and sizes that have no program, the first reason.
    """

    arguments: dict[str, Any]
    programs: tuple[Program, ...]
    refused: str = ""


@dataclasses.dataclass(frozen=True, eq=False)
class SavedFunction:
    """A function with the signatures that it was traced for.

    Attributes:
      name: the name of the Python function.
      parameters: its parameters.
      input_signature: the specs that it was declared with, or `None`.
      concretes: the signatures.
    """

    name: str
    parameters: inspect.Signature
    input_signature: tuple[TensorSpec, ...] | None
    concretes: tuple[SavedConcrete, ...]


@dataclasses.dataclass(frozen=True, eq=False)
class SavedSignature:
    """A function of named tensors to named tensors.

    Attributes:
      concrete: its programs.
      inputs: the name of each operand.
      outputs: the name of each result.
    """

    concrete: SavedConcrete
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
