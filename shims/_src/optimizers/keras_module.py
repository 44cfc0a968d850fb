"""Import Keras 3 with the JAX backend for `shims.keras`."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import sys
import types

from shims._src.errors import errors


def load() -> types.ModuleType:
    """Import `keras` with the JAX backend.

    Raises:
      ImportError: Keras is not installed, is older than version 3, or uses another backend.
    """
    if importlib.util.find_spec("keras") is None:
        raise ImportError(
            errors.message(
                "keras",
                "Keras 3 is not installed.",
                do="install Keras: `pip install keras`",
            )
        )
    if "keras" not in sys.modules:
        os.environ.setdefault("KERAS_BACKEND", "jax")
    keras = importlib.import_module("keras")
    version = getattr(keras, "__version__", "?")
    if version.partition(".")[0] < "3":
        raise ImportError(
            errors.message(
                "keras",
                "this version of Keras computes with TensorFlow only.",
                required="Keras 3",
                received=f"Keras {version}",
            )
        )
    backend = keras.backend.backend()
    if backend != "jax":
        raise ImportError(
            errors.message(
                "keras",
                "Keras does not use the JAX back end.",
                required="KERAS_BACKEND=jax in the environment before Keras is imported",
                received=f"backend {backend}",
                do="import `shims.keras` before Keras and TensorFlow, or set KERAS_BACKEND=jax",
            )
        )
    _add_names_of_tf_keras(keras)
    return keras


def _add_names_of_tf_keras(keras: types.ModuleType) -> None:
    """Add names that `tf.keras` has in a module and `keras` lacks, such as `losses.Reduction`.

    Keras itself defines them, in a package for TensorFlow that imports nothing of it. `backend` is
    left out: its functions there compute with TensorFlow.
    """
    for name in ("losses", "metrics", "layers", "preprocessing", "preprocessing.image"):
        own = importlib.import_module(f"keras.{name}")
        with contextlib.suppress(ImportError):
            others = vars(importlib.import_module(f"keras._tf_keras.keras.{name}"))
            missing = {n: v for n, v in others.items() if not hasattr(own, n)}
            vars(own).update(missing)
