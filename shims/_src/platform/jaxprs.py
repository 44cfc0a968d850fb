"""Walk jaxprs: iterate over equations, find the uses of a variable, evaluate by a rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from shims._src.platform import jax_private as jp


def equations(jaxpr) -> Iterator:
    """Yield every equation of a jaxpr, closed or open, and of nested jaxprs, outer equations first."""
    for eqn in jp.open_jaxpr(jaxpr)[0].eqns:
        yield eqn
        for inner in jp.sub_jaxprs(eqn.params):
            yield from equations(inner)


def has_programs(eqn) -> bool:
    """Return whether an equation has nested jaxprs."""
    return any(True for _ in jp.sub_jaxprs(eqn.params))


def uses(jaxpr, var) -> list:
    """List the equations of an open jaxpr that read a variable; nested jaxprs are not searched."""
    return [eqn for eqn in jaxpr.eqns if any(atom is var for atom in eqn.invars)]


def evaluate(jaxpr, known: Mapping, step: Callable, of_literal: Callable[[Any], Any]) -> list:
    """Evaluate an open jaxpr by a function that evaluates one equation; return the output values.

    Args:
      jaxpr: the program.
      known: the values of its constants and inputs, by variable.
      step: a function of an equation and the values of its operands that returns those of its results.
      of_literal: a function of a literal that returns its value.
    """
    env = dict(known)

    def read(atom):
        return of_literal(atom.val) if isinstance(atom, jp.Literal) else env[atom]

    for eqn in jaxpr.eqns:
        env.update(zip(eqn.outvars, step(eqn, [read(a) for a in eqn.invars]), strict=True))
    return [read(atom) for atom in jaxpr.outvars]
