"""How often a loop runs, read off its condition and its body.

A loop whose condition is `t < n`, perhaps with more conditions beside it, whose body adds a constant
to `t` and leaves `n` alone, runs at most `(n - t) / step` times. Such a loop can be a `scan`, which
unlike `while` can be differentiated backwards.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core as jex

from shims._src import jax_private as jp
from shims._src import numbering
from shims._src.staging import is_array

# What a comparison says of `a ? b`, and of the two exchanged.
_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}
# Equations that hand on a number unchanged.
_TRANSPARENT = ("convert_element_type", "copy", "copy_p", "stop_gradient", "squeeze", "reshape")


@dataclasses.dataclass(frozen=True)
class Trips:
    """An upper bound of the number of iterations.

    Attributes:
      count: an int, a symbolic dimension, or a traced int32 scalar; not below zero if an int.
      exact: whether the loop runs that often, because nothing else ends it.
    """

    count: Any
    exact: bool


def find_trips(test, body, initial: Sequence) -> Trips | None:
    """The bound that a counter in the carry gives, or `None`.

    Args:
      test: closed jaxpr from the carry to a bool scalar.
      body: closed jaxpr from the carry, and perhaps more, to the next carry, and perhaps more.
      initial: the carry before the first iteration; Python numbers where they are known.
    """
    tests, steps = _Graph(test), _Graph(body)
    conditions = tests.conjunction(tests.outputs[0])
    for condition in conditions:
        for counter, comparison, limit in tests.comparisons(condition):
            if counter is None or not _is_integer(initial[counter]):
                continue
            step = steps.step(counter)
            start = _number(initial[counter])
            bound = tests.invariant(limit, initial, steps)
            if step is None or bound is None:
                continue
            count = _count(comparison, start, bound, step)
            if count is not None:
                return Trips(count, exact=len(conditions) == 1)
    return None


def _is_integer(x) -> bool:
    dtype = getattr(x, "dtype", None)
    if dtype is None:
        return isinstance(x, int) and not isinstance(x, bool)
    return bool(jnp.issubdtype(dtype, jnp.integer)) and np.ndim(x) == 0


def _count(comparison: str, start, limit, step: int):
    """How many of `start, start + step, ...` satisfy the comparison with `limit`."""
    if step > 0 and comparison in ("lt", "le"):
        distance = limit - start
    elif step < 0 and comparison in ("gt", "ge"):
        distance, step = start - limit, -step
    else:
        return None
    if comparison in ("lt", "gt"):
        distance = distance + (step - 1)
    else:
        distance = distance + step
    count = distance if step == 1 else distance // step
    return max(count, 0) if isinstance(count, int) else count


def _number(x):
    """A scalar as an int or a dimension where it is known, else as it is."""
    if jp.is_symbolic(x):
        return x
    if jp.is_tracer(x):
        known = numbering.symbolic_value(x)
        return x if known is None else known
    return int(x)


class _Graph:
    """The equations of a jaxpr with inner `jit`s opened up.

    An atom is `("input", i)`, `("value", x)` for a constant or a literal, or the position of an
    equation and of its output.
    """

    def __init__(self, closed):
        self.equations: list[tuple[Any, list]] = []
        jaxpr, consts = closed.jaxpr, closed.consts
        inputs = [("input", i) for i in range(len(jaxpr.invars))]
        self.outputs = self._open(jaxpr, consts, inputs)

    def _open(self, jaxpr, consts, inputs) -> list:
        atoms = dict(zip(jaxpr.invars, inputs, strict=True))
        atoms.update((v, ("value", c)) for v, c in zip(jaxpr.constvars, consts, strict=True))

        def read(atom):
            return ("value", atom.val) if isinstance(atom, jex.Literal) else atoms[atom]

        for eqn in jaxpr.eqns:
            operands = [read(a) for a in eqn.invars]
            if eqn.primitive.name in ("jit", "pjit"):
                inner = eqn.params["jaxpr"]
                results = self._open(inner.jaxpr, inner.consts, operands)
            else:
                self.equations.append((eqn, operands))
                place = len(self.equations) - 1
                results = [(place, k) for k in range(len(eqn.outvars))]
            atoms.update(zip(eqn.outvars, results))
        return [read(a) for a in jaxpr.outvars]

    def _equation(self, atom):
        """`(name, operands)` of the equation behind an atom, past those that change nothing."""
        while isinstance(atom[0], int):
            eqn, operands = self.equations[atom[0]]
            if eqn.primitive.name not in _TRANSPARENT:
                return eqn.primitive.name, operands
            atom = operands[0]
        return None, [atom]

    def conjunction(self, atom) -> list:
        """The conditions that must all hold for `atom` to hold."""
        name, operands = self._equation(atom)
        if name == "and":
            return [c for operand in operands for c in self.conjunction(operand)]
        return [atom]

    def comparisons(self, atom):
        """The two readings `(input, comparison, other side)` of a comparison."""
        name, operands = self._equation(atom)
        if name not in _MIRRORED:
            return
        left, right = operands
        yield self._input(left), name, right
        yield self._input(right), _MIRRORED[name], left

    def _input(self, atom):
        name, operands = self._equation(atom)
        source = operands[0]
        return source[1] if name is None and source[0] == "input" else None

    def step(self, position: int) -> int | None:
        """What an iteration adds to carried value `position`, if that is a constant."""
        name, operands = self._equation(self.outputs[position])
        if name not in ("add", "sub"):
            return None
        amounts = [self._constant(a) for a in operands]
        if self._input(operands[0]) == position and amounts[1] is not None:
            return amounts[1] if name == "add" else -amounts[1]
        if name == "add" and self._input(operands[1]) == position:
            return amounts[0]
        return None

    def _constant(self, atom) -> int | None:
        name, operands = self._equation(atom)
        source = operands[0]
        if name is not None or source[0] != "value":
            return None
        known = jp.constant_of(source[1])
        if (
            known is None
            or np.ndim(known)
            or not np.issubdtype(np.asarray(known).dtype, np.integer)
        ):
            return None
        return int(known)

    def invariant(self, atom, initial: Sequence, body: _Graph):
        """The value of an atom if no iteration can change it: an int, a dimension, or a tracer."""
        sources: dict = {}
        if not self._gather(atom, initial, body, sources):
            return None
        known = [jp.constant_of(v) if is_array(v) else v for v in sources.values()]
        if all(v is not None for v in known):
            with jax.ensure_compile_time_eval():
                value = self._evaluate(atom, dict(zip(sources, known)))
        else:
            value = self._evaluate(atom, {k: v for k, v in sources.items() if v is not None})
        return _number(value) if _is_integer(value) else None

    def _gather(self, atom, initial, body: _Graph, sources: dict) -> bool:
        """Collect the values that an atom is computed from; False if one of them changes."""
        if isinstance(atom[0], int):
            eqn, operands = self.equations[atom[0]]
            if eqn.primitive.name == "dim_as_value":
                sources[atom] = None  # a size, which is a number only when the program runs
            return all(self._gather(a, initial, body, sources) for a in operands)
        if atom[0] == "value":
            sources[_key(atom)] = atom[1]
            return True
        if body.outputs[atom[1]] != atom:
            return False
        sources[_key(atom)] = initial[atom[1]]
        return True

    def _evaluate(self, atom, values: dict):
        if not isinstance(atom[0], int):
            return values[_key(atom)]
        place, output = atom
        if place not in values:
            eqn, operands = self.equations[place]
            values[place] = jp.bind(eqn, [self._evaluate(a, values) for a in operands])
        return values[place][output]


def _key(atom):
    """A hashable name for an input or a constant."""
    return atom if atom[0] == "input" else ("value", id(atom[1]))
