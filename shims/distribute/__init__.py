"""Re-export the names of `tf.distribute` that have a counterpart."""

from shims._src.distribute.contexts import CrossDeviceOps as CrossDeviceOps
from shims._src.distribute.contexts import HierarchicalCopyAllReduce as HierarchicalCopyAllReduce
from shims._src.distribute.contexts import InputContext as InputContext
from shims._src.distribute.contexts import InputOptions as InputOptions
from shims._src.distribute.contexts import NcclAllReduce as NcclAllReduce
from shims._src.distribute.contexts import ReduceOp as ReduceOp
from shims._src.distribute.contexts import ReductionToOneDevice as ReductionToOneDevice
from shims._src.distribute.contexts import ReplicaContext as ReplicaContext
from shims._src.distribute.contexts import RunOptions as RunOptions
from shims._src.distribute.distributed_dataset import DistributedDataset as DistributedDataset
from shims._src.distribute.distributed_dataset import DistributedIterator as DistributedIterator
from shims._src.distribute.per_replica import DistributedValues as DistributedValues
from shims._src.distribute.strategies import MirroredStrategy as MirroredStrategy
from shims._src.distribute.strategies import (
    MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy,
)
from shims._src.distribute.strategies import OneDeviceStrategy as OneDeviceStrategy
from shims._src.distribute.strategies import Strategy as Strategy
from shims._src.distribute.strategies import TPUStrategy as TPUStrategy
from shims._src.distribute.strategies import experimental_set_strategy as experimental_set_strategy
from shims._src.distribute.strategies import get_replica_context as get_replica_context
from shims._src.distribute.strategies import get_strategy as get_strategy
from shims._src.distribute.strategies import has_strategy as has_strategy
from shims._src.distribute.strategies import in_cross_replica_context as in_cross_replica_context
from shims._src.facade import bindings as _bindings  # noqa: F401 - binds
from shims._src.facade import missing as _missing
from shims.distribute import experimental as experimental

__getattr__ = _missing.of("shims.distribute")
