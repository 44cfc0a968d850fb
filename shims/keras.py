"""Load Keras 3 with the JAX backend: `from shims import keras` is the module `keras` itself."""

import sys as _sys

from shims._src.optimizers.keras_module import load as _load

_keras = _sys.modules[__name__] = _load()  # first of all: it says what is missing

from shims._src.facade import keras_backend as _keras_backend  # noqa: E402
from shims._src.facade import keras_gone as _keras_gone  # noqa: E402
from shims._src.facade import keras_variables as _keras_variables  # noqa: E402

_keras_backend.add_to(_keras)
_keras_gone.add_to_modules()
_keras_variables.add_to(_keras)
