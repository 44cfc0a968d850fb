"""Give the names of `tf.version` that have a counterpart."""

from shims._src.facade import bindings as _bindings  # noqa: F401 - binds
from shims._src.facade import missing as _missing
from shims._src.platform.tensorflow_release import __version__ as VERSION

__all__ = ["VERSION"]
__getattr__ = _missing.of("shims.version")
