"""Ragged tensors."""

from __future__ import annotations

import numpy as np

from .case import Case

_VALUES = np.float32([1.5, -2.0, 3.0, 4.0, 4.0])
_LENGTHS = np.int32([2, 0, 3])
_OTHERS = ((np.float32([0.5]), np.int32([0, 1])), (np.float32([]), np.int32([0])))


def _rt(tf, values, lengths):
    return tf.RaggedTensor.from_row_lengths(values, lengths)


CASES = (
    Case(
        "ragged-from-row-lengths",
        ("RaggedTensor", "RaggedTensor.from_row_lengths"),
        lambda tf, v, n: (_rt(tf, v, n), _rt(tf, v, n).to_tensor(-1.0)),
        (_VALUES, _LENGTHS),
        _OTHERS,
        xla="unsupported: no kernel",
    ),
)
