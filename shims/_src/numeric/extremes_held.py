"""Put optimization barriers before operands that are compared with their own maximum or minimum.

The derivative of a maximum goes to the elements that equal it. XLA may recompute an operand in every
fusion that reads it, and round it differently there: then no element equals the maximum, or a wrong
one does. An optimization barrier makes the reduction and the comparison read the same array.
"""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from shims._src.platform import jax_private as jp
from shims._src.platform.jaxprs import own_equations

_EXTREMES = ("reduce_max", "reduce_min")


def barriered_operands(jaxpr) -> frozenset:
    """Return the variables of a jaxpr that are both compared and reduced to their maximum or minimum.

    They need a barrier, because otherwise XLA may compute them twice with different rounding.
    """
    extremes = [eqn for eqn in own_equations(jaxpr) if is_extreme(eqn)]
    if not extremes:
        return frozenset()
    comparisons = (eqn for eqn in own_equations(jaxpr) if eqn.primitive.name == "eq")
    compared = {v for eqn in comparisons for v in eqn.invars if not isinstance(v, jp.Literal)}
    return frozenset(eqn.invars[0] for eqn in extremes if eqn.invars[0] in compared)


def is_extreme(eqn) -> bool:
    """Return whether an equation reduces a floating-point variable to its maximum or minimum."""
    if eqn.primitive.name not in _EXTREMES or isinstance(eqn.invars[0], jp.Literal):
        return False
    return jnp.issubdtype(eqn.invars[0].aval.dtype, jnp.floating)


def barrier(eqn, var, held):
    """Return a jaxpr equation that passes `var` through an optimization barrier to `held`."""
    return eqn.replace(
        primitive=lax.optimization_barrier_p, invars=[var], outvars=[held], params={}
    )
