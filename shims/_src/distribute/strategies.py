"""Provide strategies of one replica, and the context that functions see."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import jax

from shims._src.distribute.contexts import (
    InputContext,
    ReduceOp,
    ReplicaContext,
    ValueContext,
    reduce_op_of,
    several_devices,
)
from shims._src.math.reduction import reduce_mean, reduce_sum
from shims._src.platform.thread_state import ThreadSlot
from shims._src.recording.contexts import device as on_device


class Strategy:
    """A strategy: how a program computes on devices. There is one replica.

    Args:
      extended: ignored.

    Differs from TensorFlow:
      There is always one replica, on the default device or the one that is named. Values of replicas and
      distributed datasets are plain values and datasets. `extended` is missing.

    Under jit:
      `run` calls the function in the surrounding program.

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
    num_replicas_in_sync = 1
    cluster_resolver = None
    _device: str | None = None

    def __init__(self, extended=None):
        del extended

    def scope(self) -> contextlib.AbstractContextManager[Strategy]:
        """Open a block in which this is the strategy, outside of every replica."""
        return self.outside_replicas()

    @contextlib.contextmanager
    def outside_replicas(self) -> Iterator[Strategy]:
        """Open a block outside of every replica."""
        with _CURRENT.holding((self, None)), on_device(self._device):
            yield self

    def run(self, fn, args=(), kwargs=None, options=None) -> Any:
        """Call a function on each replica, of which there is one.

        Args:
          fn: the function.
          args: its positional arguments.
          kwargs: its keyword arguments.
          options: ignored.

        Returns:
          What it returns.
        """
        del options
        with _CURRENT.holding((self, ReplicaContext(self))), on_device(self._device):
            return fn(*args, **(kwargs or {}))

    def reduce(self, reduce_op, value, axis) -> Any:
        """Reduce the values of the replicas.

        Args:
          reduce_op: `ReduceOp` or its name.
          value: what `run` returned.
          axis: the axis that is reduced, too; `None` for none.

        Returns:
          The value, reduced over the axis.
        """
        kind = reduce_op_of(reduce_op)
        if axis is None:
            return value
        reduced = reduce_sum if kind is ReduceOp.SUM else reduce_mean
        return jax.tree.map(lambda x: reduced(x, axis), value)

    def gather(self, value, axis) -> Any:
        """Return a value: the concatenation over one replica."""
        del axis
        return value

    def experimental_local_results(self, value) -> tuple[Any, ...]:
        """Return the values of the replicas as a tuple."""
        return (value,)

    def experimental_distribute_dataset(self, dataset, options=None) -> Any:
        """Return the dataset: its batches are those of the only replica."""
        del options
        return dataset

    def distribute_datasets_from_function(self, dataset_fn, options=None) -> Any:
        """Return the dataset that a function of an `InputContext` makes."""
        del options
        return dataset_fn(InputContext())

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def experimental_distribute_values_from_function(self, value_fn) -> Any:
        """Return the value that a function of a `ValueContext` makes."""
        return value_fn(ValueContext())


class OneDeviceStrategy(Strategy):
    """A strategy on one device.

    Args:
      device: TensorFlow's name of it, `/cpu:0` or `/gpu:0`.

    https://www.tensorflow.org/api_docs/python/tf/distribute/OneDeviceStrategy
    """

    def __init__(self, device):
        super().__init__()
        self._device = device


class MirroredStrategy(Strategy):
    """A strategy with a copy of each variable on each device; here, on one.

    Args:
      devices: a list of one device of TensorFlow's name; the default device if `None`.
      cross_device_ops: ignored.

    Raises:
      UnimplementedError: several devices are named.

    Differs from TensorFlow:
      Without `devices`, several accelerators do not make several replicas.

    https://www.tensorflow.org/api_docs/python/tf/distribute/MirroredStrategy
    """

    def __init__(self, devices=None, cross_device_ops=None):
        super().__init__()
        del cross_device_ops
        named = [devices] if isinstance(devices, str) else list(devices or ())
        if len(named) > 1:
            raise several_devices(named)
        self._device = named[0] if named else None


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
