"""Define the parts of a strategy that functions can access: the replica, the values of replicas, and the input."""

from __future__ import annotations

import enum
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments.conversion import as_array
from shims._src.distribute.per_replica import DistributedValues, outside_of_run
from shims._src.recording import replicas
from shims._src.types.host_tensor import host


class ReduceOp(enum.Enum):
    """The ways to reduce the values of replicas.

    https://www.tensorflow.org/api_docs/python/tf/distribute/ReduceOp
    """

    SUM = "SUM"
    MEAN = "MEAN"


ReduceOp.__module__ = "shims.distribute"


def reduce_op_of(value) -> ReduceOp:
    """Return a `ReduceOp` given itself or its name.

    Raises:
      ValueError: it is neither.
    """
    return value if isinstance(value, ReduceOp) else ReduceOp(str(value).upper())


class InputContext:
    """The position of an input pipeline among the pipelines of a program. Each process has one pipeline.

    Args:
      num_input_pipelines: the number of pipelines.
      input_pipeline_id: the number of this pipeline.
      num_replicas_in_sync: the number of replicas.

    https://www.tensorflow.org/api_docs/python/tf/distribute/InputContext
    """

    __module__ = "shims.distribute"

    def __init__(self, num_input_pipelines=1, input_pipeline_id=0, num_replicas_in_sync=1):
        self.num_input_pipelines = num_input_pipelines
        self.input_pipeline_id = input_pipeline_id
        self.num_replicas_in_sync = num_replicas_in_sync

    def get_per_replica_batch_size(self, global_batch_size) -> Any:
        """Return the size of the batch of a replica.

        Raises:
          ValueError: the number of replicas does not divide the global size.
        """
        if global_batch_size % self.num_replicas_in_sync:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size!r} is not divisible by "
                f"`num_replicas_in_sync` {self.num_replicas_in_sync!r} "
            )
        return global_batch_size // self.num_replicas_in_sync


class ValueContext:
    """The replica for which a value is created.

    Args:
      replica_id_in_sync_group: the number of the replica.
      num_replicas_in_sync: the number of replicas.

    https://www.tensorflow.org/api_docs/python/tf/distribute/experimental/ValueContext
    """

    __module__ = "shims.distribute.experimental"

    def __init__(self, replica_id_in_sync_group=0, num_replicas_in_sync=1):
        self.replica_id_in_sync_group = replica_id_in_sync_group
        self.num_replicas_in_sync = num_replicas_in_sync


class ReplicaContext:
    """The replica in which `Strategy.run` calls a function, with reductions over all replicas.

    Args:
      strategy: the strategy.

    Differs from TensorFlow:
      If there are several replicas, `replica_id_in_sync_group` is known only while the program runs.

    https://www.tensorflow.org/api_docs/python/tf/distribute/ReplicaContext
    """

    __module__ = "shims.distribute"

    def __init__(self, strategy):
        self.strategy = strategy

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas."""
        return self.strategy.num_replicas_in_sync

    @property
    def replica_id_in_sync_group(self) -> Any:
        """The number of the replica, a scalar tensor."""
        of = replicas.traced()
        return host(np.int32(0)) if of is None else lax.axis_index(of.axis)

    def all_reduce(self, reduce_op, value, options=None) -> Any:
        """Return the sum or the mean of the values of all replicas, on each of them."""
        del options
        kind = reduce_op_of(reduce_op)
        if replicas.traced() is None:
            return value
        total = replicas.summed(value)
        return total if kind is ReduceOp.SUM else jax.tree.map(replicas.averaged, total)

    def all_gather(self, value, axis, options=None) -> Any:
        """Return the values of all replicas, joined along an axis, on each of them."""
        del options
        of = replicas.traced()
        if of is None:
            return value
        return jax.tree.map(
            lambda x: lax.all_gather(as_array(x), of.axis, axis=axis, tiled=True), value
        )

    def merge_call(self, merge_fn, args=(), kwargs=None) -> Any:
        """Call `merge_fn(strategy, *args, **kwargs)` outside of the replica.

        If there are several replicas, array arguments are per-replica values: `strategy.reduce` returns
        their sum or mean, and `strategy.experimental_local_results` returns all of them.
        """
        if replicas.traced() is not None:
            args, kwargs = jax.tree.map(_merged, (tuple(args), kwargs or {}))
        with self.strategy.outside_replicas():
            return merge_fn(self.strategy, *args, **(kwargs or {}))


def _merged(x):
    return Merged(x) if isinstance(x, (jax.Array, np.ndarray, np.generic)) else x


class Merged(DistributedValues):
    """The values of all replicas in `merge_call`, of which the program of each device has its own.

    Args:
      own: the value of the replica.
    """

    def __init__(self, own):
        self.own = own

    @property
    def values(self) -> tuple[Any, ...]:
        """The values of all replicas, in order."""
        of = replicas.traced()
        if of is None:
            raise outside_of_run("one value for each replica")
        gathered = lax.all_gather(jnp.asarray(self.own), of.axis)
        return tuple(gathered[i] for i in range(of.number))

    def __jax_array__(self):
        raise outside_of_run(f"the values of {replicas.number()} replicas")


class CrossDeviceOps:
    """A way to reduce over devices, which one device does not need.

    https://www.tensorflow.org/api_docs/python/tf/distribute/CrossDeviceOps
    """

    __module__ = "shims.distribute"

    def __init__(self, *arguments, **options):
        del arguments, options


class ReductionToOneDevice(CrossDeviceOps):
    """A reduction on one device.

    https://www.tensorflow.org/api_docs/python/tf/distribute/ReductionToOneDevice
    """


class NcclAllReduce(CrossDeviceOps):
    """A reduction by NCCL.

    https://www.tensorflow.org/api_docs/python/tf/distribute/NcclAllReduce
    """


class HierarchicalCopyAllReduce(CrossDeviceOps):
    """A reduction over a hierarchy of devices.

    https://www.tensorflow.org/api_docs/python/tf/distribute/HierarchicalCopyAllReduce
    """


class RunOptions:
    """Options of `Strategy.run`, which are ignored.

    https://www.tensorflow.org/api_docs/python/tf/distribute/RunOptions
    """

    __module__ = "shims.distribute"

    def __init__(self, **options):
        del options


class InputOptions(RunOptions):
    """Options of distributed datasets, which are ignored.

    https://www.tensorflow.org/api_docs/python/tf/distribute/InputOptions
    """
