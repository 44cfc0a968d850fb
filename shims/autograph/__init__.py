"""Re-export the names of `tf.autograph`: Python control flow over traced arrays."""

from shims._src.autograph import to_code as to_code
from shims._src.autograph import to_graph as to_graph
from shims._src.config.execution import set_verbosity as set_verbosity
from shims._src.facade import bindings as _bindings  # noqa: F401 - binds
from shims._src.facade import missing as _missing
from shims.autograph import experimental as experimental

__getattr__ = _missing.of("shims.autograph")
