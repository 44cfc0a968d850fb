"""Re-export the names of `tf.distribute.experimental` that have a counterpart."""

from shims._src.distribute.contexts import ValueContext as ValueContext
from shims._src.distribute.strategies import (
    MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy,
)
from shims._src.distribute.strategies import TPUStrategy as TPUStrategy
from shims._src.facade import missing as _missing

__getattr__ = _missing.of("shims.distribute.experimental")
