"""Load Keras names from `data/keras_names.json`.

MODULES: the modules of Keras 3.
PARAMS: a dict from the names that Keras 3 and `tf.keras` share to their parameters, if they are callable.
RENAMED: a dict from names of `tf.keras` to the names of the same objects in Keras 3.
LEFT_OVER: names of `tf.keras` that Keras 3 does not have.
BACKEND: a dict from the functions of `tf.keras.backend` among them to their parameters.
"""

from __future__ import annotations

from tf2jax_port.rewrite.data import read_data

_DATA = read_data("keras_names")

MODULES: frozenset[str] = frozenset(_DATA["modules"])
PARAMS: dict[str, str | None] = _DATA["params"]
RENAMED: dict[str, str] = _DATA["renamed"]
LEFT_OVER: frozenset[str] = frozenset(_DATA["left_over"])
BACKEND: dict[str, str] = _DATA["backend"]
