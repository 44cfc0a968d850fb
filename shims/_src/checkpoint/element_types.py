"""Map between TensorFlow's dtype numbers and NumPy dtypes."""

from __future__ import annotations

import functools

import ml_dtypes
import numpy as np

STRING = 7

# Quantized elements are read as their storage integers, as by TensorFlow's own reader.
_NAMES = {
    1: "float32",
    2: "float64",
    3: "int32",
    4: "uint8",
    5: "int16",
    6: "int8",
    STRING: "string",
    8: "complex64",
    9: "int64",
    10: "bool",
    11: "qint8",
    12: "quint8",
    13: "qint32",
    14: "bfloat16",
    15: "qint16",
    16: "quint16",
    17: "uint16",
    18: "complex128",
    19: "float16",
    20: "resource",
    21: "variant",
    22: "uint32",
    23: "uint64",
    24: "float8_e5m2",
    25: "float8_e4m3fn",
    26: "float8_e4m3fnuz",
    27: "float8_e4m3b11fnuz",
    28: "float8_e5m2fnuz",
    29: "int4",
    30: "uint4",
    31: "int2",
    32: "uint2",
    33: "float4_e2m1fn",
}


def name_of(number: int) -> str:
    """Return TensorFlow's name of a dtype number, or a description of an unknown number."""
    return _NAMES.get(number, f"dtype {number}")


def proto_name(number: int) -> str:
    """Return the protocol buffer name of a dtype, such as `DT_FLOAT`."""
    name = name_of(number)
    return "DT_" + {"float32": "FLOAT", "float64": "DOUBLE", "float16": "HALF"}.get(
        name, name.upper()
    )


@functools.cache
def numpy_dtype(number: int) -> np.dtype | None:
    """Return the NumPy dtype of a dtype number, or `None` if there is none."""
    if number == STRING:
        return np.dtype(object)
    name = _NAMES.get(number, "").removeprefix("q")
    scalar = getattr(np, name + "_" if name == "bool" else name, None)
    scalar = getattr(ml_dtypes, name, None) if scalar is None else scalar
    if name in ("", "resource", "variant") or scalar is None:
        return None
    return np.dtype(scalar)


def number_of(dtype: np.dtype) -> int | None:
    """Return TensorFlow's number of a NumPy dtype, or `None` if there is none."""
    if dtype.kind in "OSU":
        return STRING
    return _numbers_by_dtype().get(dtype.newbyteorder("="))


@functools.cache
def _numbers_by_dtype() -> dict[np.dtype, int]:
    plain = (n for n, name in _NAMES.items() if not name.startswith("q") and n != STRING)
    found = ((numpy_dtype(n), n) for n in plain)
    return {dtype: n for dtype, n in found if dtype is not None}
