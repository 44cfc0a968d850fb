"""Re-export the names of `tf.profiler.experimental.server`."""

from shims._src.summary.profiling import start_server as start

__all__ = ["start"]
