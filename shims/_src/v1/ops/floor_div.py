"""Provide `floor_div` of TensorFlow 1."""

from __future__ import annotations

import shims


def floor_div(x, y, name=None):
    """Divide and round down; see `tf.math.floordiv`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/floor_div
    """
    return shims.math.floordiv(x, y)
