"""What a random program is: inputs, calls of rows of the table, and the values that it returns."""

from __future__ import annotations

import dataclasses

import numpy as np

from tests.table import cases
from tf2jax_port.table import Row

from . import printing


@dataclasses.dataclass(frozen=True)
class Ref:
    """A value of the program, by name."""

    name: str


@dataclasses.dataclass(frozen=True, eq=False)
class Call:
    """One operator applied.

    Attributes:
      results: names of the arrays that it gives, in order.
      row: which operator.
      arguments: by parameter: a `Ref`, an array, a tuple of them, or a plain Python value.
    """

    results: tuple[str, ...]
    row: Row
    arguments: tuple[tuple[str, object], ...]

    def refs(self) -> tuple[str, ...]:
        """The values that it uses."""
        flat = [v for _, a in self.arguments for v in (a if isinstance(a, tuple) else (a,))]
        return tuple(v.name for v in flat if isinstance(v, Ref))


@dataclasses.dataclass(frozen=True, eq=False)
class Input:
    """A parameter of the program: an array, and which of its sizes a signature leaves open."""

    name: str
    value: np.ndarray
    unknown: tuple[bool, ...]


@dataclasses.dataclass(frozen=True, eq=False)
class Program:
    """Calls in order; what no later call uses is returned."""

    inputs: tuple[Input, ...]
    calls: tuple[Call, ...]

    @property
    def returns(self) -> tuple[str, ...]:
        used = {name for call in self.calls for name in call.refs()}
        return tuple(n for call in self.calls for n in call.results if n not in used)

    @property
    def sources(self) -> tuple[str, ...]:
        """The inputs to differentiate by."""
        return tuple(i.name for i in self.inputs if i.value.dtype.kind == "f")

    def shapes(self) -> list[list[int | None]]:
        """List the shapes of the inputs as far as a signature says them."""
        return [
            [None if u else s for u, s in zip(i.unknown, i.value.shape, strict=True)]
            for i in self.inputs
        ]

    def __repr__(self) -> str:
        return printing.code(self)

    def _repr_pretty_(self, printer, cycle) -> None:
        """How Hypothesis prints the example that it found."""
        printer.text(printing.code(self))


def resolved(call: Call, values: dict[str, object], constant) -> dict[str, object]:
    """The arguments of a call, with values in the place of names and constants of arrays."""

    def one(value):
        if isinstance(value, Ref):
            return values[value.name]
        if isinstance(value, np.ndarray):
            return constant(value)
        if isinstance(value, tuple) and any(isinstance(v, (Ref, np.ndarray)) for v in value):
            return [one(v) for v in value]
        return value

    return {name: one(value) for name, value in call.arguments}


def run(program: Program, side, inputs: dict[str, object], after=None) -> dict[str, object]:
    """All values of the program by name.

    Args:
      program: what to run.
      side: the library: `apply(call, given)` gives a list of arrays, `constant` makes one.
      inputs: arrays by name.
      after: what to make of each result before others use it; as it is when left out.
    """
    values = dict(inputs)
    for call in program.calls:
        found = side.apply(call, resolved(call, values, side.constant))
        assert len(found) >= len(call.results), f"{call.row.name} gives {len(found)} arrays"
        for name, value in zip(call.results, found, strict=False):
            values[name] = value if after is None else after(call, value)
    return values


def call_row(function, call: Call, given: dict[str, object]):
    """`function(**given)`, a `*args` parameter spliced in."""
    return cases.apply(function, call.row, given)
