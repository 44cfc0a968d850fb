"""Re-export the names of `tf.profiler.experimental` that have a counterpart."""

from shims._src.facade import bindings as _bindings  # noqa: F401 - binds
from shims._src.facade import missing as _missing
from shims._src.summary.profiling import Profile as Profile
from shims._src.summary.profiling import ProfilerOptions as ProfilerOptions
from shims._src.summary.profiling import Trace as Trace
from shims._src.summary.profiling import start as start
from shims._src.summary.profiling import stop as stop
from shims.profiler.experimental import server as server

__getattr__ = _missing.of("shims.profiler.experimental")
