"""Run one call under both libraries and compare values, shapes, dtypes and errors."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

import shims


def check_call(call: str) -> None:
    """Check that a call gives equal results, or errors of one kind."""
    expected, found = outcome(tf, call), outcome(shims, call)
    if isinstance(expected, Exception):
        assert isinstance(found, Exception), found
        assert isinstance(found, kin(expected)), (type(expected), repr(found))
    else:
        if isinstance(found, Exception):
            raise found
        assert found == expected or repr(found) == repr(expected)  # NaN differs from itself


def outcome(library, call: str):
    """Return the result of a call as plain data, or the error."""
    try:
        return plain(eval(call, {"tf": library, "np": np}))
    except Exception as error:  # noqa: BLE001 - the classes are compared
        return error


def plain(x):
    """Convert a result to nested lists of values with dtypes and shapes."""
    if hasattr(x, "to_list"):
        return (
            "ragged",
            plain(x.flat_values),
            [np.asarray(s).tolist() for s in x.nested_row_splits],
        )
    if hasattr(x, "dense_shape"):
        return ("sparse", *(plain(p) for p in (x.indices, x.values, x.dense_shape)))
    if isinstance(x, (list, tuple)) and not hasattr(x, "as_list"):
        return [plain(y) for y in x]
    if hasattr(x, "dtype"):
        dtype = np.dtype(getattr(x.dtype, "as_numpy_dtype", x.dtype))
        narrow = {"int64": "int32", "float64": "float32"}.get(dtype.name, dtype.name)
        if any(isinstance(y, np.ndarray) for y in np.asarray(x).ravel()):
            return [plain(y) for y in x]
        return (narrow, np.asarray(x).shape, np.asarray(x).tolist())
    return str(x) if hasattr(x, "as_list") else x


def kin(error: Exception) -> tuple[type, ...]:
    """Return the classes of shims that stand for an error of TensorFlow's."""
    named = getattr(shims.errors, type(error).__name__, None)
    return (named,) if named is not None else (type(error),)
