"""Walk and rewrite jaxprs; no other module reads or replaces the equations of a jaxpr."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from shims._src.platform import jax_private as jp


def is_jaxpr(value) -> bool:
    """Return whether a value is a jaxpr, closed or open."""
    return hasattr(type(value), "eqns")  # a size looks longer for what it does not have


def with_items(sequence, items):
    """Return a list or tuple with its items replaced; the same object if no item differs."""
    if all(a is b for a, b in zip(sequence, items, strict=True)):
        return sequence
    kind = type(sequence)
    return kind(*items) if hasattr(sequence, "_fields") else kind(items)


# The types of most parameters, which are asked for each equation of each program.
_PLAIN = frozenset((bool, int, float, str, type(None), jp.DimExpr))


def sub_jaxprs(params) -> list:
    """List the jaxprs among an equation's parameters."""
    found = []
    for value in params.values():
        if type(value) in _PLAIN:
            continue
        for item in value if isinstance(value, (tuple, list)) else (value,):
            if type(item) not in _PLAIN and is_jaxpr(item):
                found.append(item)
    return found


def has_programs(eqn) -> bool:
    """Return whether an equation has nested jaxprs."""
    return bool(eqn.params) and bool(sub_jaxprs(eqn.params))


def own_equations(jaxpr) -> Sequence:
    """Return the equations of a jaxpr, closed or open, without those of nested jaxprs."""
    return jp.open_jaxpr(jaxpr)[0].eqns


def equations(jaxpr) -> Iterator:
    """Yield every equation of a jaxpr, closed or open, and of nested jaxprs, outer equations first."""
    for eqn in own_equations(jaxpr):
        yield eqn
        for inner in sub_jaxprs(eqn.params):
            yield from equations(inner)


# The primitives that call Python functions.
_CALLBACKS = frozenset(("pure_callback", "io_callback", "debug_callback", "debug_print"))


def calls_host(jaxpr) -> bool:
    """Return whether a program, or one nested in it, calls Python functions."""
    return any(eqn.primitive.name in _CALLBACKS for eqn in equations(jaxpr))


def uses(jaxpr, var) -> list:
    """List the equations of an open jaxpr that read a variable; nested jaxprs are not searched."""
    return [eqn for eqn in jaxpr.eqns if any(atom is var for atom in eqn.invars)]


def evaluate(jaxpr, env: dict, step: Callable, of_literal: Callable[[Any], Any]) -> list:
    """Evaluate an open jaxpr with custom rules for equations and literals; return the output values.

    Args:
      jaxpr: the program.
      env: the values of its constants and inputs, by variable; the values of the results are added.
      step: a function of an equation and the values of its operands that returns those of its results.
      of_literal: a function of a literal that returns its value.
    """

    def read(atom):
        return of_literal(atom) if isinstance(atom, jp.Literal) else env[atom]

    for eqn in jaxpr.eqns:
        env.update(zip(eqn.outvars, step(eqn, [read(a) for a in eqn.invars]), strict=True))
    return [read(atom) for atom in jaxpr.outvars]


def map_equations(jaxpr, replacements: Callable[[Any], Sequence]):
    """Replace each equation of a jaxpr, closed or open, by a sequence of equations.

    Args:
      jaxpr: the program; nested jaxprs are left as they are.
      replacements: a function of an equation that returns those that replace it.

    Returns:
      The changed jaxpr; `jaxpr` itself if each equation is replaced by itself.
    """
    inner, _ = jp.open_jaxpr(jaxpr)
    new = [e for eqn in inner.eqns for e in replacements(eqn)]
    if len(new) == len(inner.eqns) and all(a is b for a, b in zip(new, inner.eqns, strict=True)):
        return jaxpr
    return with_equations(jaxpr, inner.invars, new, inner.outvars)


def with_equations(jaxpr, invars, equations, outvars, more_constants=()):
    """Return a copy of a jaxpr with new inputs, equations and outputs.

    Args:
      jaxpr: a jaxpr, closed or open; its constants are kept.
      invars: the variables of the inputs.
      equations: the equations.
      outvars: the variables and literals that it returns.
      more_constants: further constants of a closed jaxpr, as pairs of a variable and its value.
    """
    inner, consts = jp.open_jaxpr(jaxpr)
    changed = inner.replace(invars=invars, eqns=equations, outvars=outvars)
    if more_constants:
        variables, values = zip(*more_constants, strict=True)
        changed = changed.replace(constvars=[*inner.constvars, *variables])
        return jaxpr.replace(jaxpr=changed, consts=[*consts, *values])
    return changed if type(jaxpr) is type(inner) else jaxpr.replace(jaxpr=changed)


def results_as_inputs(jaxpr, primitive):
    """Turn the results of a primitive without operands into the first inputs of a jaxpr.

    Args:
      jaxpr: the program, closed or open; nested jaxprs are left as they are.
      primitive: a primitive with one result.

    Returns:
      `(jaxpr, parameters)`: the changed program, and the parameters of the equations that it no longer has,
      one dict for each new input.
    """
    inner, _ = jp.open_jaxpr(jaxpr)
    found = [eqn for eqn in inner.eqns if eqn.primitive is primitive]
    kept = [eqn for eqn in inner.eqns if eqn.primitive is not primitive]
    invars = [*(eqn.outvars[0] for eqn in found), *inner.invars]
    changed = with_equations(jaxpr, invars, kept, inner.outvars)
    return changed, [eqn.params for eqn in found]


def program_between(jaxpr, count: int, inputs, outputs):
    """Return `(closed program, used)` that computes variables of a jaxpr from others.

    No equation is left out because no variable needs it: it may define a size that a shape needs.

    Args:
      jaxpr: an open jaxpr without constants.
      count: the number of equations after which all of `outputs` are known.
      inputs: variables with known values; their equations are left out.
      outputs: the variables to compute.

    Returns:
      The program over those inputs that are used, and for each input whether it is.
    """
    known = set(inputs)
    computed = [e for e in jaxpr.eqns[:count] if known.isdisjoint(e.outvars)]
    read = {v for e in computed for v in e.invars if not isinstance(v, jp.Literal)}
    read |= {v for v in outputs if not isinstance(v, jp.Literal)}
    used = [v in read for v in inputs]
    kept = [v for v in inputs if v in read]
    return jp.closed_program(kept, computed, outputs), used
