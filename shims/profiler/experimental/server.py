"""Re-export the names of `tf.profiler.experimental.server`."""

from shims._src.facade import bindings as _bindings  # noqa: F401 - binds
from shims._src.summary.profiling import start_server as start

__all__ = ["start"]
