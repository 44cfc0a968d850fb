"""Define `PerReplica`: the values that several replicas have for one tensor."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.array.select import boolean_mask
from shims._src.errors import errors
from shims._src.platform import jax_private as jp


class DistributedValues:
    """The base class of values that differ between replicas.

    https://www.tensorflow.org/api_docs/python/tf/distribute/DistributedValues
    """

    __module__ = "shims.distribute"


@jax.tree_util.register_pytree_node_class
class PerReplica(DistributedValues):
    """The values of a tensor on several replicas.

    They are one array with a leading axis for the replicas, which the devices of a mesh share. If their first
    sizes differ, each is padded.

    Args:
      stacked: array `[replicas, ...]`.
      sizes: int32 vector of the first size of each value; `None` if all are whole.
    """

    def __init__(self, stacked, sizes=None):
        self.stacked, self.sizes = stacked, sizes

    @property
    def values(self) -> tuple[Any, ...]:
        """The values of the replicas whose devices belong to this process, in order."""
        if jp.is_tracer(self.stacked) or self.stacked.is_fully_addressable:
            parts = [self.stacked[i] for i in range(self.stacked.shape[0])]
            sizes = self.sizes
        else:
            parts, sizes = _own(self.stacked), None if self.sizes is None else _own(self.sizes)
        if sizes is None:
            return tuple(parts)
        return tuple(_cut(x, sizes[i]) for i, x in enumerate(parts))

    def tree_flatten(self):
        """Return the arrays, for JAX."""
        return (self.stacked, self.sizes), None

    @classmethod
    def tree_unflatten(cls, _, arrays):
        """Create the values from arrays, for JAX."""
        return cls(*arrays)

    def __repr__(self) -> str:
        if jp.is_tracer(self.stacked):
            return f"PerReplica:{self.stacked!r}"
        return (
            "PerReplica:{\n"
            + ",\n".join(f"  {i}: {x!r}" for i, x in enumerate(self.values))
            + "\n}"
        )

    def __jax_array__(self):
        raise outside_of_run(f"the values of {self.stacked.shape[0]} replicas")

    __array__ = __jax_array__


def outside_of_run(received: str) -> errors.InvalidArgumentError:
    """Return the error for values of replicas that are used as an array."""
    return errors.InvalidArgumentError(
        errors.message(
            "PerReplica",
            "operators accept per-replica values only inside `Strategy.run`.",
            received=received,
            do=(
                "reduce the values first, `strategy.reduce('SUM', value, axis=None)`, or read "
                "all values: `strategy.experimental_local_results(value)`"
            ),
        )
    )


def _own(stacked) -> list:
    """Return the values of the devices of this process, in the order of the replicas."""
    shards = sorted(stacked.addressable_shards, key=lambda s: s.index[0].start or 0)
    return [part for s in shards for part in np.asarray(s.data)]


def _cut(padded, size):
    if jp.is_tracer(padded) or jp.is_tracer(size):
        return boolean_mask(padded, jnp.arange(padded.shape[0]) < size)
    return padded[: int(size)]


def local_value(stacked, sizes):
    """Return the value of this replica, given its part of the arrays of a `PerReplica`."""
    return stacked[0] if sizes is None else _cut(stacked[0], sizes[0])
