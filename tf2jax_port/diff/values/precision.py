"""Widths of types: what JAX makes of them, what rounding they have, what is wider."""

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


def as_jax_has_it(dtype: np.dtype, x64: bool) -> np.dtype:
    """The type that JAX gives to data of this type."""
    return dtype if x64 else _NARROW.get(dtype.name, dtype)


def representable(array: np.ndarray, x64: bool) -> np.ndarray:
    """The array with its own type and with elements that JAX can hold too.

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
                f"{int(array[outside].flat[0])} does not fit {narrow.name}, which is all that JAX "
                "has unless 64-bit types are on: run with --x64"
            )
        return array
    with np.errstate(over="ignore"):
        return read_only(array.astype(narrow).astype(array.dtype))


def widened(array: np.ndarray) -> np.ndarray:
    """The array in double precision; anything but floats as it is."""
    wide = _WIDE.get(array.dtype.name)
    return array if wide is None else read_only(array.astype(wide))


def narrowed(array: np.ndarray) -> np.ndarray:
    """Floats of 64 bits in 32; anything else as it is."""
    wide = array.dtype.name in ("float64", "complex128")
    return read_only(array.astype(_NARROW[array.dtype.name])) if wide else array


def halved(array: np.ndarray) -> np.ndarray:
    """Floats of 32 and 64 bits in bfloat16; anything else as it is."""
    wide = array.dtype.name in ("float32", "float64")
    with np.errstate(over="ignore"):
        return read_only(array.astype(ml_dtypes.bfloat16)) if wide else array


def read_only(array: np.ndarray) -> np.ndarray:
    """The array, closed to writing: a lane must not change the inputs of the next."""
    array.flags.writeable = False
    return array


def ulp(dtype: np.dtype) -> float:
    """The distance from 1 to the next number of a float type."""
    return float(ml_dtypes.finfo(real_part(dtype)).eps)


def tiny(dtype: np.dtype) -> float:
    """The smallest normal number of a float type."""
    return float(ml_dtypes.finfo(real_part(dtype)).smallest_normal)


def real_part(dtype: np.dtype) -> np.dtype:
    """The type of the parts of a complex type; any other type itself."""
    if dtype.kind != "c":
        return dtype
    return np.dtype("float32") if dtype.itemsize == 8 else np.dtype("float64")


def exact_wide(array: np.ndarray) -> np.ndarray:
    """Floats in double precision for reckoning with them."""
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64, copy=False)
