"""Keep the run-time checks of loop bodies inside the loop.

When JAX differentiates a loop, it hoists loop-invariant equations. A check must not be hoisted: `x[0]`
in a loop that runs no iteration is not an error. So each check is made to depend on a value of the iteration.
"""

from __future__ import annotations

from shims._src.platform import jax_private as jp
from shims._src.platform.jaxprs import map_equations
from shims._src.sizes import primitives


def kept(closed):
    """Keep JAX from hoisting the checks of a loop body: make them depend on its first operand.

    Args:
      closed: the closed jaxpr of a body; its first operand changes every iteration.
    """
    jaxpr, _ = jp.open_jaxpr(closed)
    if not jaxpr.invars or not jaxpr.effects:
        return closed
    return map_equations(closed, lambda eqn: _with_value(eqn, jaxpr.invars[0]))


def _with_value(eqn, value) -> list:
    """Make an equation that reports a check depend on `value`, by an equation inserted before it.

    Returns both equations, or only the given one if it reports no check.
    """
    place = _operand_position(eqn) if jp.report_effect in eqn.effects else None
    if place is None:
        return [eqn]
    invars = list(eqn.invars)
    old = invars[place]
    invars[place] = jp.another_variable(value, old.aval)
    sized = eqn.replace(
        primitive=primitives.sized_p,
        invars=[old, value],
        outvars=[invars[place]],
        params={},
        effects=frozenset(),
    )
    return [sized, eqn.replace(invars=invars)]


def _operand_position(eqn) -> int | None:
    """Return the position of the operand by which an equation is made to depend on the iteration.

    Return `None` for equations that report no checks, and so may be hoisted.
    """
    if eqn.primitive in (primitives.check_p, primitives.outgrow_p) or eqn.primitive.name == "cond":
        return 0
    if eqn.primitive.name == "scan":
        place = jp.scan_counts(eqn.params)[0]
    elif eqn.primitive.name == "while":
        place = eqn.params["cond_nconsts"] + eqn.params["body_nconsts"]
    else:
        return None
    return place if place < len(eqn.invars) else None
