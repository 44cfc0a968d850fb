"""Re-export the names of `tf.experimental` that have a counterpart."""

from shims._src.data.iterators import Optional as Optional
from shims._src.facade import bindings as _bindings  # noqa: F401 - binds
from shims._src.facade import missing as _missing
from shims.experimental import numpy as numpy

__getattr__ = _missing.of("shims.experimental")
