"""Checks of loop bodies stay in the loop.

JAX's differentiation of a loop computes once, before it, what is the same in every iteration. A check is
not the same where there is no iteration: `x[0]` in a loop over no elements is no fault. So each check
takes a value of the iteration along.
"""

from __future__ import annotations

from collections.abc import Iterator

from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives


def kept(closed):
    """A loop body whose checks depend on its first operand, which every iteration has anew.

    Args:
      closed: the closed jaxpr of a body.

    Returns:
      The same where it checks nothing.
    """
    jaxpr, _ = jp.open_jaxpr(closed)
    if not jaxpr.invars or not jaxpr.effects:
        return closed
    eqns = [e for eqn in jaxpr.eqns for e in _with_value(eqn, jaxpr.invars[0])]
    return jp.with_equations(closed, jaxpr.invars, eqns, jaxpr.outvars)


def _with_value(eqn, value) -> Iterator:
    """An equation, and before it what makes it depend on a value if it reports something."""
    place = _place(eqn) if jp.report_effect in eqn.effects else None
    if place is None:
        yield eqn
        return
    invars = list(eqn.invars)
    old = invars[place]
    invars[place] = jp.another_variable(value, old.aval)
    yield eqn.replace(
        primitive=primitives.sized_p,
        invars=[old, value],
        outvars=[invars[place]],
        params={},
        effects=frozenset(),
    )
    yield eqn.replace(invars=invars)


def _place(eqn) -> int | None:
    """Which operand decides that an equation cannot be carried out before the loop."""
    if eqn.primitive in (primitives.check_p, primitives.outgrow_p) or eqn.primitive.name == "cond":
        return 0
    if eqn.primitive.name == "scan":
        place = jp.scan_counts(eqn.params)[0]
    elif eqn.primitive.name == "while":
        place = eqn.params["cond_nconsts"] + eqn.params["body_nconsts"]
    else:
        return None
    return place if place < len(eqn.invars) else None
