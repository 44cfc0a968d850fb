"""Give the results of a program's own pullback (`jax.custom_vjp`) the sizes of the operands.

A size among the residuals is an array in the pullback. An axis of that size has its own symbol there.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives, trace


def flatten_bwd(state, original, pullback, in_tree, in_avals, *rest):
    """Let JAX flatten a pullback whose results have the sizes of the operands, checked at run time."""
    return original(_with_sizes(pullback, tuple(in_avals)), in_tree, in_avals, *rest)


@jp.lu.transformation2
def _with_sizes(pullback, avals, *args):
    results = pullback(*args)
    if trace.current() is None:
        return results
    leaves, tree = jax.tree.flatten(results, is_leaf=lambda x: x is None)
    if len(leaves) != len(avals):  # `None` for an operand of several arrays, or JAX raises an error
        return results
    return jax.tree.unflatten(tree, map(_as_operand, leaves, avals))


def _as_operand(x, aval):
    if x is None or np.ndim(x) != len(getattr(aval, "shape", ())):
        return x
    for axis, (have, want) in enumerate(zip(np.shape(x), aval.shape, strict=True)):
        if any(map(jp.is_symbolic, (have, want))):
            x = primitives.unify_axis(jnp.asarray(x), axis, want, label="jax.custom_vjp")
    return x
