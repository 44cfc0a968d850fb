"""Convert arrays between precisions, and return properties of dtypes."""

from __future__ import annotations

import ml_dtypes
import numpy as np

_NARROW = {
    "float64": np.dtype("float32"),
    "int64": np.dtype("int32"),
    "uint64": np.dtype("uint32"),
    "complex128": np.dtype("complex64"),
}
_WIDE = {
    "float16": np.dtype("float64"),
    "bfloat16": np.dtype("float64"),
    "float32": np.dtype("float64"),
    "complex64": np.dtype("complex128"),
}


# Types with fewer digits than float32, those with the fewest first.
COARSE = ("float8_e5m2", "float8_e4m3fn", "bfloat16", "float16")


def as_jax_has_it(dtype: np.dtype, x64: bool) -> np.dtype:
    """Return the dtype that JAX uses for arrays of a dtype: without x64, 64 bits become 32."""
    return dtype if x64 else _NARROW.get(dtype.name, dtype)


def representable(array: np.ndarray, x64: bool) -> np.ndarray:
    """Round the elements to values that JAX can represent; the dtype stays the same.

    Raises:
      OverflowError: an integer does not fit into 32 bits.
    """
    narrow = as_jax_has_it(array.dtype, x64)
    if narrow == array.dtype:
        return array
    if narrow.kind in "iu":
        info = np.iinfo(narrow)
        outside = (array < info.min) | (array > info.max)
        if outside.any():
            raise OverflowError(
                f"{int(array[outside].flat[0])} does not fit {narrow.name}, and JAX has no 64-bit "
                "types unless they are enabled: run with --x64"
            )
        return array
    with np.errstate(over="ignore"):
        return read_only(array.astype(narrow).astype(array.dtype))


def widened(array: np.ndarray) -> np.ndarray:
    """Convert floats to double precision; other arrays are returned unchanged."""
    wide = _WIDE.get(array.dtype.name)
    return array if wide is None else read_only(array.astype(wide))


def narrowed(array: np.ndarray) -> np.ndarray:
    """Convert 64-bit floats to 32 bits; other arrays are returned unchanged."""
    wide = array.dtype.name in ("float64", "complex128")
    return read_only(array.astype(_NARROW[array.dtype.name])) if wide else array


def halved(array: np.ndarray) -> np.ndarray:
    """Convert floats of 32 and 64 bits to bfloat16; other arrays are returned unchanged."""
    wide = array.dtype.name in ("float32", "float64")
    with np.errstate(over="ignore"):
        return read_only(array.astype(ml_dtypes.bfloat16)) if wide else array


def read_only(array: np.ndarray) -> np.ndarray:
    """Mark the array as read-only, so that no lane can change the inputs of the next."""
    array.flags.writeable = False
    return array


def ulp(dtype: np.dtype) -> float:
    """Return the machine epsilon of a float dtype: the distance from 1 to the next number."""
    return float(ml_dtypes.finfo(real_part(dtype)).eps)


def coarse_ulp(name: str) -> float:
    """Return the machine epsilon of one of the `COARSE` types, by name; 0 for an empty name."""
    return float(ml_dtypes.finfo(name).eps) if name else 0.0


def tiny(dtype: np.dtype) -> float:
    """Return the smallest normal number of a float dtype."""
    return float(ml_dtypes.finfo(real_part(dtype)).smallest_normal)


def real_part(dtype: np.dtype) -> np.dtype:
    """Return the dtype of the real part of a complex dtype; other dtypes are returned unchanged."""
    if dtype.kind != "c":
        return dtype
    return np.dtype("float32") if dtype.itemsize == 8 else np.dtype("float64")


def exact_wide(array: np.ndarray) -> np.ndarray:
    """Convert numbers to double precision (float64 or complex128) for calculations."""
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64, copy=False)
