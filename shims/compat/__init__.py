"""Provide `tf.compat`: the interface of TensorFlow 1 as `tf.compat.v1`; `tf.compat.v2` is `shims`."""

import importlib as _importlib


def __getattr__(name: str):
    # As in TensorFlow, `tf.compat.v1` needs no separate import; it is loaded on first use.
    if name in ("v1", "v2"):
        return _importlib.import_module(f"shims.compat.{name}")
    raise AttributeError(f"module 'shims.compat' has no attribute {name!r}; it has v1 and v2")
