"""Re-export the names of `tf.experimental.numpy` that have a counterpart: those of `jax.numpy`."""

from shims._src.facade import missing as _missing
from shims._src.numpy_api import functions as _functions
from shims.experimental.numpy import random as random

_missing_name = _missing.of("shims.experimental.numpy")


def __getattr__(name: str):
    return _functions.find(name) if name in _functions.names() else _missing_name(name)


def __dir__() -> list[str]:
    return [*_functions.names(), "random"]
