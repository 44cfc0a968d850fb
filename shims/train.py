"""Re-export the names of `tf.train` that have a counterpart."""

from shims._src.facade import bindings as _bindings  # noqa: F401 - binds
from shims._src.facade import missing as _missing
from shims._src.variables.moving_average import ExponentialMovingAverage as ExponentialMovingAverage

__getattr__ = _missing.of("shims.train")
