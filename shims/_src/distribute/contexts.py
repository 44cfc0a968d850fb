"""Define what functions see of a strategy: the replica, the values of replicas, and the input."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from shims._src.errors import errors
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
    """The place of an input pipeline among those of a program: the only one.

    https://www.tensorflow.org/api_docs/python/tf/distribute/InputContext
    """

    __module__ = "shims.distribute"
    num_input_pipelines = 1
    input_pipeline_id = 0
    num_replicas_in_sync = 1

    def get_per_replica_batch_size(self, global_batch_size) -> Any:
        """Return the size of the batch of a replica, which is the global one."""
        return global_batch_size


class ValueContext:
    """The replica for which a value is made.

    https://www.tensorflow.org/api_docs/python/tf/distribute/experimental/ValueContext
    """

    __module__ = "shims.distribute.experimental"
    replica_id_in_sync_group = 0
    num_replicas_in_sync = 1


class ReplicaContext:
    """Answer a function that `Strategy.run` calls: its replica, and reductions over all of them.

    Args:
      strategy: the strategy.

    https://www.tensorflow.org/api_docs/python/tf/distribute/ReplicaContext
    """

    __module__ = "shims.distribute"
    num_replicas_in_sync = 1

    def __init__(self, strategy):
        self.strategy = strategy

    @property
    def replica_id_in_sync_group(self) -> Any:
        """The number of the replica, a scalar tensor."""
        return host(np.int32(0))

    def all_reduce(self, reduce_op, value, options=None) -> Any:
        """Return a value, which is the sum and the mean over one replica."""
        del options
        reduce_op_of(reduce_op)
        return value

    def all_gather(self, value, axis, options=None) -> Any:
        """Return a value, which is the concatenation over one replica."""
        del axis, options
        return value

    def merge_call(self, merge_fn, args=(), kwargs=None) -> Any:
        """Call `merge_fn(strategy, *args, **kwargs)` outside of the replica."""
        with self.strategy.outside_replicas():
            return merge_fn(self.strategy, *args, **(kwargs or {}))


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


def several_devices(devices) -> errors.UnimplementedError:
    """Return the error for a strategy on several devices."""
    return errors.UnimplementedError(
        errors.message(
            "MirroredStrategy",
            "a strategy has one replica here.",
            required="one device",
            received=f"{devices}",
            do="leave `devices` out, and shard the batches: `jax.device_put(batch, "
            'jax.NamedSharding(jax.make_mesh([n], ["batch"]), jax.P("batch")))`',
        )
    )
