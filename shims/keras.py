"""Keras 3 with JAX behind it: `from shims import keras` gives the module `keras` itself."""

import sys as _sys

from shims._src.optimizers.keras_module import load as _load

_sys.modules[__name__] = _load()
