"""Provide `tf.compat`: `tf.compat.v1` is the interface of TensorFlow 1, `tf.compat.v2` is `shims`; and texts and sizes."""

import importlib as _importlib

_NAMES = (
    *("as_bytes", "as_str", "as_str_any", "as_text", "bytes_or_text_types", "complex_types"),
    *("dimension_at_index", "dimension_value", "integral_types", "path_to_str", "real_types"),
)


def __dir__():
    return ["v1", "v2", *_NAMES]


def __getattr__(name: str):
    # As in TensorFlow, `tf.compat.v1` needs no separate import; it is loaded on first use.
    if name in ("v1", "v2"):
        return _importlib.import_module(f"shims.compat.{name}")
    if name in _NAMES:
        return getattr(_importlib.import_module("shims.compat.v1").compat, name)
    raise AttributeError(f"module 'shims.compat' has no attribute {name!r}; it has v1 and v2")
