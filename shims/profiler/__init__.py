"""Re-export the names of `tf.profiler`."""

from shims._src.facade import bindings as _bindings  # noqa: F401 - binds
from shims._src.facade import missing as _missing
from shims.profiler import experimental as experimental

__getattr__ = _missing.of("shims.profiler")
