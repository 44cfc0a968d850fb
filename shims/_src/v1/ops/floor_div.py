"""Quotients that version 1 has a name for."""

from __future__ import annotations

import shims


def floor_div(x, y, name=None):
    """The quotient, rounded down; see `tf.math.floordiv`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/floor_div
    """
    return shims.math.floordiv(x, y)
