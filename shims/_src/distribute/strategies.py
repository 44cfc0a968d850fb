"""Provide strategies: how a program computes on one or several devices, and the context that functions see."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np
from jax.sharding import AxisType, Mesh

from shims._src.array.joining import concat
from shims._src.distribute import compiled, distributed_dataset, keras_gradients
from shims._src.distribute.contexts import (
    InputContext,
    Merged,
    ReduceOp,
    ReplicaContext,
    ValueContext,
    reduce_op_of,
)
from shims._src.distribute.devices import devices_named, devices_of_all, own_devices, tpus
from shims._src.distribute.per_replica import PerReplica
from shims._src.distribute.running import run_on
from shims._src.math.reduction import reduce_mean, reduce_sum
from shims._src.platform import jax_private as jp
from shims._src.platform.thread_state import ThreadSlot
from shims._src.recording import replicas, state
from shims._src.recording.contexts import device as on_device


class Strategy:
    """A strategy, which determines how a program computes on devices.

    Args:
      extended: ignored.

    Attributes:
      mesh: the mesh of the devices, with one device for each replica; `None` for one replica.

    Differs from TensorFlow:
      If `run` calls a function for several replicas, the function is traced once, and the program
      runs on each device. Therefore, Python code cannot read the number of its replica or the
      values of arrays, and random operators draw the same numbers on each replica. A variable has
      one value: reduce a value over the replicas before it is assigned, or give the variable an
      `aggregation`. `extended` is missing.

    Under jit:
      `run` becomes a `jax.shard_map` of the surrounding program.

    Example:
      >>> import shims
      >>> strategy = shims.distribute.MirroredStrategy()
      >>> with strategy.scope():
      ...     weight = shims.Variable(2.0)
      >>> print(strategy.run(lambda x: weight * x, args=(3.0,)))
      6.0

    https://www.tensorflow.org/api_docs/python/tf/distribute/Strategy
    """

    __module__ = "shims.distribute"
    cluster_resolver = None
    mesh: Mesh | None = None
    _device: str | None = None

    def __init__(self, extended=None):
        del extended

    def _use(self, found) -> None:
        """Use devices of JAX, one for each replica."""
        if len(found) > 1:
            self.mesh = Mesh(np.array(found), ("replica",), axis_types=(AxisType.Auto,))

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas."""
        return 1 if self.mesh is None else self.mesh.size

    def scope(self) -> contextlib.AbstractContextManager[Strategy]:
        """Open a block in which this is the strategy, outside of every replica."""
        return self.outside_replicas()

    @contextlib.contextmanager
    def outside_replicas(self) -> Iterator[Strategy]:
        """Open a block outside of every replica."""
        here = _CURRENT.holding((self, None)), on_device(self._device)
        with here[0], here[1], replicas.creating_for(self.num_replicas_in_sync):
            yield self

    @contextlib.contextmanager
    def _inside_replica(self) -> Iterator[None]:
        with _CURRENT.holding((self, ReplicaContext(self))), on_device(self._device):
            yield

    def run(self, fn, args=(), kwargs=None, options=None) -> Any:
        """Call a function on each replica.

        Args:
          fn: the function.
          args: the positional arguments of the function. If an argument is a per-replica value,
            each replica receives its own component.
          kwargs: the keyword arguments of the function.
          options: ignored.

        Returns:
          The result of `fn`; per-replica values if there are several replicas.

        Raises:
          InvalidArgumentError: a variable is assigned values that differ between replicas.
        """
        del options
        if self.mesh is None:
            with self._inside_replica():
                return fn(*args, **(kwargs or {}))
        if get_replica_context() is not None and replicas.traced() is not None:
            raise RuntimeError(
                "`Strategy.run` is called inside a function that `Strategy.run` executes."
            )
        keras_gradients.bind()
        call = lambda given: run_on(self.mesh, fn, given[0], given[1], self._inside_replica)
        given = (tuple(args), dict(kwargs or {}))
        if state.current_scope() is None and jp.ambient_is_eager():
            return compiled.called(call, given)
        return call(given)

    def reduce(self, reduce_op, value, axis) -> Any:
        """Reduce the values of the replicas.

        Args:
          reduce_op: `ReduceOp` or its name.
          value: what `run` returned.
          axis: an axis that is reduced as well, or `None`.

        Returns:
          The value, reduced over the replicas and the axis.

        Raises:
          ValueError: the operation is a sum, and `value` is not a per-replica value.
        """
        kind = reduce_op_of(reduce_op)
        reduced = reduce_sum if kind is ReduceOp.SUM else reduce_mean
        if self.mesh is None:
            return value if axis is None else jax.tree.map(lambda x: reduced(x, axis), value)
        return _of_replicas(lambda x: self._reduced(kind, x, axis), value)

    def _reduced(self, kind: ReduceOp, value, axis):
        if isinstance(value, Merged):
            return ReplicaContext(self).all_reduce(kind, value.own)
        if not isinstance(value, PerReplica):
            return _reduce_single(kind, value)
        if axis is None:
            whole = value.stacked if value.sizes is None else _check_alike(value)
            return reduce_sum(whole, 0) if kind is ReduceOp.SUM else reduce_mean(whole, 0)
        total = reduce_sum(self.run(lambda x: reduce_sum(x, axis), (value,)).stacked, 0)
        if kind is ReduceOp.SUM:
            return total
        counts = self.run(lambda x: reduce_sum(jax.numpy.ones_like(x), axis), (value,))
        count = reduce_sum(counts.stacked, 0)
        return total / count.astype(total.dtype)

    def gather(self, value, axis) -> Any:
        """Return the values of the replicas, joined along an axis."""
        if self.mesh is None:
            return value
        return _of_replicas(lambda x: concat(self.experimental_local_results(x), axis), value)

    def experimental_local_results(self, value) -> tuple[Any, ...]:
        """Return the values of the replicas of this process as a tuple."""
        if isinstance(value, (PerReplica, Merged)):
            return value.values
        leaves, tree = jax.tree.flatten(value, is_leaf=_is_distributed)
        if not any(map(_is_distributed, leaves)):
            return (value,)
        columns = [x.values if _is_distributed(x) else (x,) * len(leaves[0].values) for x in leaves]
        return tuple(jax.tree.unflatten(tree, row) for row in zip(*columns, strict=True))

    def experimental_distribute_dataset(self, dataset, options=None) -> Any:
        """Return a dataset of which each replica gets a part of every batch."""
        del options
        return dataset if self.mesh is None else distributed_dataset.divided(dataset, self.mesh)

    def distribute_datasets_from_function(self, dataset_fn, options=None) -> Any:
        """Return the dataset that a function of an `InputContext` makes; each batch is for one replica."""
        del options
        if self.mesh is None:
            return dataset_fn(InputContext())
        place = jax.process_count(), jax.process_index()
        if not self.mesh.is_multi_process:
            place = 1, 0
        made = dataset_fn(InputContext(*place, self.num_replicas_in_sync))
        return distributed_dataset.grouped(made, self.mesh)

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def experimental_distribute_values_from_function(self, value_fn) -> Any:
        """Return the values that a function of a `ValueContext` makes for the replicas."""
        if self.mesh is None:
            return value_fn(ValueContext())
        own = [i for i, d in enumerate(self.mesh.devices) if d in self.mesh.local_devices]
        made = [value_fn(ValueContext(i, self.mesh.size)) for i in own]
        return distributed_dataset.placed(0, made, self.mesh)


def _is_distributed(x) -> bool:
    return isinstance(x, (PerReplica, Merged))


def _of_replicas(f, tree):
    return jax.tree.map(f, tree, is_leaf=_is_distributed)


def _check_alike(value: PerReplica):
    """Return values of equal sizes as one array."""
    return jax.numpy.stack(value.values)


def _reduce_single(kind: ReduceOp, value):
    """Reduce a value that is the same on all replicas, as TensorFlow does."""
    if kind is ReduceOp.MEAN:
        return value
    if isinstance(value, (int, float)) and value == 0:
        return 0
    raise ValueError(
        f"A non-DistributedValues value {value} cannot be reduced with the given reduce op {kind}."
    )


class OneDeviceStrategy(Strategy):
    """A strategy on one device.

    Args:
      device: TensorFlow's name of the device, `/cpu:0` or `/gpu:0`.

    https://www.tensorflow.org/api_docs/python/tf/distribute/OneDeviceStrategy
    """

    def __init__(self, device):
        super().__init__()
        self._device = device


class MirroredStrategy(Strategy):
    """A strategy with a replica on each device.

    Args:
      devices: a list of device names in TensorFlow's form. `None` stands for all accelerators of
        this process, or for one CPU if there are none.
      cross_device_ops: ignored; XLA reduces over devices.

    Raises:
      ValueError: a device does not exist, or is named twice.

    https://www.tensorflow.org/api_docs/python/tf/distribute/MirroredStrategy
    """

    def __init__(self, devices=None, cross_device_ops=None):
        super().__init__()
        del cross_device_ops
        named = [devices] if isinstance(devices, str) else list(devices or ())
        self._device = named[0] if len(named) == 1 else None
        self._use(devices_named(named) if len(named) > 1 else [] if named else own_devices())


class MultiWorkerMirroredStrategy(Strategy):
    """A strategy with a replica on each device of all processes that `jax.distributed.initialize` connects.

    Args:
      cluster_resolver: ignored; pass the addresses of the processes to
        `jax.distributed.initialize`.
      communication_options: ignored.

    Differs from TensorFlow:
      The variable `TF_CONFIG` is not read. Each process gets its own part of a dataset: use
      `distribute_datasets_from_function`, or `shard` the dataset before it is distributed.

    https://www.tensorflow.org/api_docs/python/tf/distribute/MultiWorkerMirroredStrategy
    """

    def __init__(self, cluster_resolver=None, communication_options=None):
        super().__init__()
        del communication_options
        self.cluster_resolver = cluster_resolver
        self._use(devices_of_all())


class TPUStrategy(Strategy):
    """A strategy with a replica on each TPU core.

    Args:
      tpu_cluster_resolver: ignored.
      experimental_device_assignment: ignored.

    Raises:
      NotFoundError: JAX has no TPU.

    https://www.tensorflow.org/api_docs/python/tf/distribute/TPUStrategy
    """

    def __init__(self, tpu_cluster_resolver=None, experimental_device_assignment=None):
        super().__init__()
        del experimental_device_assignment
        self.cluster_resolver = tpu_cluster_resolver
        self._use(tpus())


class _DefaultStrategy(Strategy):
    @contextlib.contextmanager
    def scope(self) -> Iterator[Strategy]:
        with _CURRENT.holding((self, ReplicaContext(self))):
            yield self


_DEFAULT = _DefaultStrategy()
# The strategy and the replica in which code runs; a replica of the default strategy at the start.
_CURRENT: ThreadSlot[tuple[Strategy, ReplicaContext | None]] = ThreadSlot(
    (_DEFAULT, ReplicaContext(_DEFAULT))
)


def get_strategy() -> Strategy:
    """Return the strategy of the surrounding scope, or a default one.

    https://www.tensorflow.org/api_docs/python/tf/distribute/get_strategy
    """
    return _CURRENT.value[0]


def has_strategy() -> bool:
    """Return whether there is a strategy other than the default one.

    https://www.tensorflow.org/api_docs/python/tf/distribute/has_strategy
    """
    return get_strategy() is not _DEFAULT


def get_replica_context() -> ReplicaContext | None:
    """Return the replica in which the code runs, `None` outside of `run` in the scope of a strategy.

    https://www.tensorflow.org/api_docs/python/tf/distribute/get_replica_context
    """
    return _CURRENT.value[1]


def in_cross_replica_context() -> bool:
    """Return whether the code runs in the scope of a strategy, outside of `run`.

    https://www.tensorflow.org/api_docs/python/tf/distribute/in_cross_replica_context
    """
    return get_replica_context() is None


def experimental_set_strategy(strategy) -> None:
    """Set the strategy of this thread from now on.

    Args:
      strategy: a strategy, or `None` for the default one.

    https://www.tensorflow.org/api_docs/python/tf/distribute/experimental_set_strategy
    """
    default = _DEFAULT, ReplicaContext(_DEFAULT)
    _CURRENT.value = default if strategy is None else (strategy, None)
