"""TensorFlow's older interfaces."""

import importlib as _importlib


def __getattr__(name: str):
    # As in TensorFlow, `tf.compat.v1` needs no import of its own; it is loaded when it is used.
    if name == "v1":
        return _importlib.import_module("shims.compat.v1")
    raise AttributeError(f"module 'shims.compat' has no attribute {name!r}; it has v1")
