"""Load Keras 3 with the JAX backend: `from shims import keras` is the module `keras` itself."""

import sys as _sys

from shims._src.facade import keras_backend as _keras_backend
from shims._src.facade import keras_gone as _keras_gone
from shims._src.optimizers.keras_module import load as _load

_sys.modules[__name__] = _load()
_keras_backend.add_to(_sys.modules[__name__])
_keras_gone.add_to_modules()
