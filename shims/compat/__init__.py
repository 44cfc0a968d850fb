"""Provide `tf.compat`: the interface of TensorFlow 1 as `tf.compat.v1`."""

import importlib as _importlib


def __getattr__(name: str):
    # As in TensorFlow, `tf.compat.v1` needs no separate import; it is loaded on first use.
    if name == "v1":
        return _importlib.import_module("shims.compat.v1")
    raise AttributeError(f"module 'shims.compat' has no attribute {name!r}; it has v1")
