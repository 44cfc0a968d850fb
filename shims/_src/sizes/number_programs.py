"""Cut the program that computes a number, such as a size, out of the trace in progress."""

from __future__ import annotations

from collections.abc import Iterator

from shims._src.platform import jax_private as jp
from shims._src.platform import jaxprs
from shims._src.sizes.primitives import SIZE_MAKERS


def program_of(top, x):
    """Return `(closed jaxpr, constants)` that compute a tracer of the trace `top`, see `jp.program_so_far`.

    Besides the equations from which the value is computed, the program has those that make the sizes in their
    shapes: no operand connects `jnp.ones(n)` with the equation that made `n`.
    """
    makers = {}
    for eqn in jp.equations_so_far(top):
        for name in _made_by(eqn):
            makers.setdefault(name, eqn)
    also: list = []
    while True:
        closed, constants = jp.program_so_far(top, x, also)
        equations = jaxprs.own_equations(closed)
        made = {name for eqn in equations for name in _made_by(eqn)}
        missing = {name for eqn in equations for name in _sizes_in(eqn)} - made
        found = [makers[name].outvars[0] for name in sorted(missing & makers.keys())]
        if not found:
            return closed, constants
        also += found


def _made_by(eqn) -> set[str]:
    """Return the names of the sizes that an equation, or one nested in it, makes."""
    nested = (e for program in jaxprs.sub_jaxprs(eqn.params) for e in jaxprs.equations(program))
    return {e.params["name"] for e in (eqn, *nested) if e.primitive.name in SIZE_MAKERS}


def _sizes_in(eqn) -> Iterator[str]:
    """Yield the names of the sizes in the shapes and parameters of an equation and of those nested in it."""
    for var in eqn.outvars:
        for d in getattr(var.aval, "shape", ()):
            yield from jp.variables(d)
    if eqn.primitive.name == "dim_as_value":
        yield from jp.variables(eqn.params["dim"])
    for program in jaxprs.sub_jaxprs(eqn.params):
        for inner in jaxprs.own_equations(program):
            yield from _sizes_in(inner)
