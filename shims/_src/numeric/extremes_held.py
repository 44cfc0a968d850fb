"""What is compared with its own maximum is computed once.

The derivative of a maximum goes to the elements that equal it. XLA may compute an operand anew in every
fusion that reads it, and round it otherwise there: then no element equals the maximum, or a wrong one
does. Behind a barrier there is one array, which both read.
"""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from shims._src.platform import jax_private as jp

_EXTREMES = ("reduce_max", "reduce_min")


def held_operands(jaxpr) -> frozenset:
    """The variables of an open jaxpr of which an extreme is taken, and that are compared with it."""
    extremes = [eqn for eqn in jaxpr.eqns if is_extreme(eqn)]
    if not extremes:
        return frozenset()
    comparisons = (eqn for eqn in jaxpr.eqns if eqn.primitive.name == "eq")
    compared = {v for eqn in comparisons for v in eqn.invars if not isinstance(v, jp.Literal)}
    return frozenset(eqn.invars[0] for eqn in extremes if eqn.invars[0] in compared)


def is_extreme(eqn) -> bool:
    """Whether an equation is the maximum or minimum of floating-point numbers that a variable holds."""
    if eqn.primitive.name not in _EXTREMES or isinstance(eqn.invars[0], jp.Literal):
        return False
    return jnp.issubdtype(eqn.invars[0].aval.dtype, jnp.floating)


def barrier(eqn, var, held):
    """An equation that holds the operand of another one, as `held`."""
    return eqn.replace(
        primitive=lax.optimization_barrier_p, invars=[var], outvars=[held], params={}
    )
