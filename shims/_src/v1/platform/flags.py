"""Provide `tf.flags`: the flags of absl, with the parameter names in TensorFlow 1.

The command line is parsed when a flag is first read, even if `tf.app.run` is not used.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

from shims._src.errors import errors

__all__ = [  # noqa: F822, found by `__getattr__`
    "FLAGS",
    "DEFINE_bool",
    "DEFINE_boolean",
    "DEFINE_enum",
    "DEFINE_float",
    "DEFINE_integer",
    "DEFINE_list",
    "DEFINE_multi_integer",
    "DEFINE_multi_string",
    "DEFINE_string",
    "mark_flag_as_required",
]

# The parameter names in TensorFlow 1, and those of absl.
_OLD = {"flag_name": "name", "default_value": "default", "docstring": "help"}


def _absl() -> Any:
    try:
        from absl import flags
    except ImportError as error:
        raise errors.UnimplementedError(
            errors.message(
                "tf.flags",
                "absl, which provides the flags, is not installed.",
                do="pip install absl-py",
            )
        ) from error
    return flags


class _Flags:
    """A proxy for absl's flags that parses the command line when a flag is first read."""

    def __getattr__(self, name: str):
        if name.startswith("__") and name != "__flags":
            raise AttributeError(name)
        flags = _absl().FLAGS
        # `__flags` is the dict of flags, which programs print before they read a flag.
        if name != "__flags" and not flags.is_parsed():
            flags(sys.argv)
        return getattr(flags, name)

    def __getitem__(self, name: str):
        return _absl().FLAGS[name]

    def __setattr__(self, name: str, value) -> None:
        setattr(_absl().FLAGS, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(_absl().FLAGS, name)

    def __contains__(self, name: str) -> bool:
        return name in _absl().FLAGS

    def __iter__(self):
        return iter(_absl().FLAGS)

    def __dir__(self):
        return dir(_absl().FLAGS)

    def __call__(self, *args, **kwargs):
        return _absl().FLAGS(*args, **kwargs)


FLAGS = _Flags()


def __getattr__(name: str):
    if name.startswith("__"):
        raise AttributeError(name)
    found = getattr(_absl(), name)
    if not name.startswith("DEFINE") or not callable(found):
        return found

    @functools.wraps(found)
    def define(*args, **kwargs):
        return found(*args, **{_OLD.get(key, key): value for key, value in kwargs.items()})

    return define


def __dir__() -> list[str]:
    return sorted({*dir(_absl()), "FLAGS"})
