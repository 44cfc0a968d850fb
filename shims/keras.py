"""Load Keras 3 with the JAX backend: `from shims import keras` is the module `keras` itself."""

import sys as _sys

from shims._src.optimizers.keras_module import load as _load

_sys.modules[__name__] = _load()
