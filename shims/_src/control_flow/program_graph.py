"""Analyze the data flow of a jaxpr: which equations compute a value, and on which conditions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import jax
import numpy as np

from shims._src.control_flow.staging import is_array
from shims._src.platform import jax_private as jp
from shims._src.platform import jaxprs

# Primitives that pass on a number unchanged.
_TRANSPARENT = ("convert_element_type", "copy", "copy_p", "stop_gradient", "squeeze", "reshape")
_MOST_PATHS = 32

Facts = dict[tuple, int]


class ProgramGraph:
    """The equations of a jaxpr, with inner `jit`s and the branches of `cond`s inlined.

    A value is identified by an *atom*: `("input", i)`, `("value", x)` for a constant or a literal, or
    `(equation index, output index)`.

    Attributes:
      outputs: the atoms that the jaxpr returns.
    """

    def __init__(self, closed):
        self._equations: list[tuple[Any, list]] = []
        self._branches: dict[int, list[list]] = {}
        inputs = [("input", i) for i in range(len(closed.jaxpr.invars))]
        self.outputs = self._open(closed.jaxpr, closed.consts, inputs)

    def _open(self, jaxpr, consts, inputs) -> list:
        atoms: dict = dict(zip(jaxpr.invars, inputs, strict=True))
        atoms.update((v, ("value", c)) for v, c in zip(jaxpr.constvars, consts, strict=True))
        return jaxprs.evaluate(jaxpr, atoms, self._add, lambda literal: ("value", literal.val))

    def _add(self, eqn, operands) -> list:
        """Add an equation, and return the atoms of its results."""
        if eqn.primitive.name in ("jit", "pjit"):
            inner = eqn.params["jaxpr"]
            return self._open(inner.jaxpr, inner.consts, operands)
        self._equations.append((eqn, operands))
        place = len(self._equations) - 1
        if eqn.primitive.name == "cond":
            self._branches[place] = [
                self._open(b.jaxpr, b.consts, operands[1:]) for b in eqn.params["branches"]
            ]
        return [(place, k) for k in range(len(eqn.outvars))]

    # ---- what a value is -------------------------------------------------------------------------

    def source(self, atom) -> tuple:
        """Follow a value back through equations that return an operand unchanged; return the first atom."""
        while isinstance(atom[0], int):
            eqn, operands = self._equations[atom[0]]
            if eqn.primitive.name not in _TRANSPARENT:
                return atom
            atom = operands[0]
        return atom

    def equation(self, atom) -> tuple[str | None, list]:
        """Return the primitive's name and the operands of the equation that computes a value.

        Returns `(None, [])` if no equation computes it.
        """
        atom = self.source(atom)
        if not isinstance(atom[0], int):
            return None, []
        eqn, operands = self._equations[atom[0]]
        return eqn.primitive.name, operands

    def input_of(self, atom) -> int | None:
        """Return the index of the input that a value equals, or `None` if it equals none."""
        atom = self.source(atom)
        return atom[1] if atom[0] == "input" else None

    def constant_of(self, atom) -> int | None:
        """Return the bool or int that a value always has, or `None` if it is not constant."""
        atom = self.source(atom)
        if atom[0] != "value":
            return None
        known = jp.constant_of(atom[1])
        if known is None or np.ndim(known) or np.asarray(known).dtype.kind not in "iub":
            return None
        return int(known)

    def conjunction(self, atom) -> list:
        """Split a condition `a and b and ...` into the list of its operands."""
        name, operands = self.equation(atom)
        if name == "and":
            return [c for operand in operands for c in self.conjunction(operand)]
        return [atom]

    # ---- branches --------------------------------------------------------------------------------

    def paths(self, atom, facts: Facts | None = None) -> Iterator[tuple[Facts, tuple]]:
        """Yield `(facts, atom)` for each value that conditionals may select, with its conditions."""
        facts = {} if facts is None else facts
        atom = self.source(atom)
        branches = self._branches.get(atom[0])
        if branches is None:
            yield facts, atom
            return
        selector = self._equations[atom[0]][1][0]
        for number, outputs in enumerate(branches):
            known = self._suppose(selector, number, facts)
            if known is not None:
                yield from self.paths(outputs[atom[1]], known)

    def value_of(self, atom, facts: Facts) -> int | None:
        """Return the value of a condition if the known facts determine it, otherwise `None`."""
        atom = self.source(atom)
        constant = self.constant_of(atom)
        if constant is not None:
            return constant
        if atom in facts:
            return facts[atom]
        name, operands = self.equation(atom)
        if name == "not":
            value = self.value_of(operands[0], facts)
            return None if value is None else 1 - value
        if name == "cond":
            selected = self.value_of(operands[0], facts)
            if selected is not None:
                return self.value_of(self._branches[atom[0]][selected][atom[1]], facts)
        return None

    def _suppose(self, atom, value: int, facts: Facts) -> Facts | None:
        """Extend `facts` by what follows if a condition has a value; `None` on a contradiction."""
        atom = self.source(atom)
        known = self.value_of(atom, facts)
        if known is not None:
            return facts if known == value else None
        facts = {**facts, atom: value}
        name, operands = self.equation(atom)
        if name == "not":
            return self._suppose(operands[0], 1 - value, facts)
        if (name, value) in (("and", 1), ("or", 0)):
            for operand in operands:
                found = self._suppose(operand, value, facts)
                if found is None:
                    return None
                facts = found
        if name == "cond":
            results = [outputs[atom[1]] for outputs in self._branches[atom[0]]]
            possible = [
                number
                for number, result in enumerate(results)
                if self.value_of(result, facts) in (None, value)
            ]
            if len(possible) == 1:
                return self._suppose(operands[0], possible[0], facts)
        return facts

    # ---- values from outside ---------------------------------------------------------------------

    def evaluate(self, atom, inputs: Sequence, is_fixed):
        """Compute a value if it depends only on inputs that `is_fixed` accepts, otherwise return `None`."""
        sources: dict = {}
        if not self._gather(atom, inputs, is_fixed, sources):
            return None
        known = [jp.constant_of(v) if is_array(v) else v for v in sources.values()]
        if all(v is not None for v in known):
            with jax.ensure_compile_time_eval():
                return self._compute(atom, dict(zip(sources, known)))
        return self._compute(atom, {k: v for k, v in sources.items() if v is not None})

    def _gather(self, atom, inputs: Sequence, is_fixed, sources: dict) -> bool:
        """Collect in `sources` the inputs and constants from which a value is computed.

        Returns False if `is_fixed` rejects one of the inputs.
        """
        if isinstance(atom[0], int):
            eqn, operands = self._equations[atom[0]]
            if not operands and eqn.primitive.name in ("dim_as_value", "size_number"):
                sources[atom] = None  # a size, which is known only at run time
            return all(self._gather(a, inputs, is_fixed, sources) for a in operands)
        if atom[0] == "input" and not is_fixed(atom[1]):
            return False
        sources[_atom_key(atom)] = inputs[atom[1]] if atom[0] == "input" else atom[1]
        return True

    def _compute(self, atom, values: dict):
        if not isinstance(atom[0], int):
            return values[_atom_key(atom)]
        place, output = atom
        if place not in values:
            eqn, operands = self._equations[place]
            values[place] = jp.bind(eqn, [self._compute(a, values) for a in operands])
        return values[place][output]


def limited_paths(paths: Iterator) -> list | None:
    """Return the items of `paths` as a list, or `None` if there are too many to analyze."""
    found = []
    for path in paths:
        found.append(path)
        if len(found) > _MOST_PATHS:
            return None
    return found


def _atom_key(atom):
    """Return a hashable key of the atom of an input or a constant."""
    return atom if atom[0] == "input" else ("value", id(atom[1]))
