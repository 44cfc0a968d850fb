"""Results of TensorFlow and of `shims` laid out as NumPy arrays, and compared."""

from __future__ import annotations

import jax
import numpy as np
import tensorflow as tf

import shims

_WIDE = {"int64": "int32", "float64": "float32", "uint64": "uint32"}


def parts(value) -> list[np.ndarray]:
    """The arrays behind a result: values before splits, coordinates before values."""
    if isinstance(value, (tuple, list)):
        return [a for v in value for a in parts(v)]
    if isinstance(value, (tf.RaggedTensor, shims.RaggedTensor)):
        return [np.asarray(a) for a in (value.flat_values, *value.nested_row_splits)]
    if isinstance(value, (tf.SparseTensor, shims.SparseTensor)):
        return [np.asarray(a) for a in (value.indices, value.values, value.dense_shape)]
    return [np.asarray(value)]


def differences(theirs, ours, tolerance=2e-6) -> str:
    """What differs between two results; nothing when they are equal."""
    a, b = parts(theirs), parts(ours)
    if len(a) != len(b):
        return f"{len(a)} arrays, ours has {len(b)}"
    for i, (x, y) in enumerate(zip(a, b, strict=True)):
        wanted = (
            x.dtype.name if jax.config.jax_enable_x64 else _WIDE.get(x.dtype.name, x.dtype.name)
        )
        if y.dtype.name != wanted:
            return f"array {i}: dtype {y.dtype.name} instead of {wanted}"
        if x.shape != y.shape:
            return f"array {i}: shape {y.shape} instead of {x.shape}"
        if not np.allclose(x.astype(y.dtype), y, rtol=tolerance, atol=tolerance, equal_nan=True):
            return f"array {i}: {y.tolist()} instead of {x.tolist()}"
    return ""


def ragged(tf_module, rows, dtype=np.float32, ragged_rank=1):
    """Nested lists as a ragged tensor of either library."""
    return tf_module.ragged.constant(rows, dtype=dtype, ragged_rank=ragged_rank)
