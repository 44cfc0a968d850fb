"""Track how many replicas a program has, and combine their values.

`Strategy.run` traces a function once, for a mesh axis with one index per replica.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from shims._src.platform.thread_state import ThreadSlot
from shims._src.recording.indexed_slices import IndexedSlices, dense
from shims._src.types.variable_options import VariableAggregation


class Replicas(NamedTuple):
    """The replicas for which a function is traced.

    Attributes:
      number: how many there are.
      axis: the mesh axis that numbers them.
    """

    number: int
    axis: str


_TRACED: ThreadSlot[Replicas | None] = ThreadSlot(None)


# The number of replicas for which the surrounding code creates variables.
_IN_SCOPE: ThreadSlot[int] = ThreadSlot(1)


def creating_for(number: int):
    """Open a block that creates variables for a number of replicas."""
    return _IN_SCOPE.holding(number)


def sum_of_copies(value):
    """Return the sum of the copies that the replicas have of a new variable."""
    return value if _IN_SCOPE.value == 1 else value * jnp.asarray(_IN_SCOPE.value, value.dtype)


def traced() -> Replicas | None:
    """Return the replicas for which a function is being traced; `None` for one that is just called."""
    return _TRACED.value


def number() -> int:
    """Return the number of replicas that run the surrounding code."""
    return 1 if _TRACED.value is None else _TRACED.value.number


def tracing(replicas: Replicas | None):
    """Open a block that is traced for replicas."""
    return _TRACED.holding(replicas)


def summed(tree):
    """Add the values of all replicas; rows of gradients are added in the dense array."""
    replicas = _TRACED.value
    if replicas is None:
        return tree
    return jax.tree.map(
        lambda x: lax.psum(jnp.asarray(dense(x)), replicas.axis),
        tree,
        is_leaf=lambda x: isinstance(x, IndexedSlices),
    )


def combined(value, aggregation: VariableAggregation):
    """Combine the values that the replicas assign to a variable."""
    if _TRACED.value is None or aggregation is VariableAggregation.NONE:
        return value
    if aggregation is VariableAggregation.ONLY_FIRST_REPLICA:
        return _first(value, _TRACED.value)
    total = summed(value)
    if aggregation is VariableAggregation.SUM:
        return total
    return averaged(total)


def averaged(total):
    """Divide the sum over all replicas by their number."""
    if jnp.issubdtype(total.dtype, jnp.inexact):
        return total / jnp.asarray(number(), total.dtype)
    return total // jnp.asarray(number(), total.dtype)


def _first(value, replicas: Replicas):
    """Return the value of the first replica."""
    is_first = lax.axis_index(replicas.axis) == 0
    if value.dtype == bool:
        return _first(value.astype(jnp.int32), replicas) > 0
    return lax.psum(jnp.where(is_first, value, jnp.zeros_like(value)), replicas.axis)
