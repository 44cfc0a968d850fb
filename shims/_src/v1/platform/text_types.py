"""Provide `tf.compat`: conversions between text and bytes, and tuples of numeric types."""

from __future__ import annotations

import numbers
import os

import numpy as np

bytes_or_text_types = (bytes, str)
complex_types = (numbers.Complex, np.number)
integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)


def as_bytes(bytes_or_text, encoding="utf-8"):
    """Convert text or bytes to bytes.

    Raises:
      TypeError: the argument is neither.

    https://www.tensorflow.org/api_docs/python/tf/compat/as_bytes
    """
    if isinstance(bytes_or_text, bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_text(bytes_or_text, encoding="utf-8"):
    """Convert bytes or text to text.

    Raises:
      TypeError: the argument is neither.

    https://www.tensorflow.org/api_docs/python/tf/compat/as_text
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


as_str = as_text


def as_str_any(value, encoding="utf-8"):
    """Convert bytes to text, and any other value by `str`.

    https://www.tensorflow.org/api_docs/python/tf/compat/as_str_any
    """
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path):
    """Convert a path object to text.

    https://www.tensorflow.org/api_docs/python/tf/compat/path_to_str
    """
    return as_text(os.fspath(path)) if hasattr(path, "__fspath__") else path


def path_to_bytes(path):
    """Convert a path to bytes.

    https://www.tensorflow.org/api_docs/python/tf/compat/path_to_bytes
    """
    return as_bytes(os.fspath(path) if hasattr(path, "__fspath__") else path)
