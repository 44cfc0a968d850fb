"""Define `TensorSpec`: the declared shape and dtype of a function's argument."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.types.tensor_shape import TensorShape


class TensorSpec:
    """The shape and dtype of an array, and a name for error messages.

    Args:
      shape: any value that `TensorShape` accepts. `None` is an unknown size. A name
        (`["batch", 3]`) is an unknown size that is equal to every other size with this name.
      dtype: a dtype of TensorFlow, NumPy or JAX, or the name of a dtype.
      name: the name of the argument in error messages.

    Raises:
      TypeError: `dtype` is not a dtype, or a size is not valid.

    Differs from TensorFlow:
      Sizes may be names, and `dtype` is a NumPy dtype.

    Under jit:
      A spec is static; nothing is traced.

    Example:
      >>> TensorSpec(["batch", 3], "float32")
      TensorSpec(shape=(batch, 3), dtype=tf.float32, name=None)

    https://www.tensorflow.org/api_docs/python/tf/TensorSpec
    """

    __slots__ = ("_dtype", "_name", "_shape")
    __module__ = "shims"

    def __init__(self, shape, dtype=np.float32, name: str | None = None):
        self._shape = TensorShape(shape)
        self._dtype = as_numpy_dtype(dtype)
        self._name = name

    @classmethod
    def from_tensor(cls, tensor, name: str | None = None) -> TensorSpec:
        """Return the spec of an array."""
        return cls(tensor.shape, tensor.dtype, name)

    @classmethod
    def from_spec(cls, spec, name: str | None = None) -> TensorSpec:
        """Copy a spec, optionally with another name."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    @property
    def shape(self) -> TensorShape:
        """The shape, whose sizes may be unknown."""
        return self._shape

    @property
    def dtype(self) -> np.dtype:
        """The NumPy dtype."""
        return self._dtype

    @property
    def name(self) -> str | None:
        """The name of the argument in messages."""
        return self._name

    @property
    def value_type(self) -> type:
        """The class of the values: arrays."""
        return jax.Array

    def is_compatible_with(self, spec_or_tensor) -> bool:
        """Return whether an array or another spec is compatible with this shape and dtype."""
        if not hasattr(spec_or_tensor, "shape") or not hasattr(spec_or_tensor, "dtype"):
            return False
        return self._dtype == as_numpy_dtype(
            spec_or_tensor.dtype
        ) and self._shape.is_compatible_with(spec_or_tensor.shape)

    def is_subtype_of(self, other) -> bool:
        """Return whether `other` matches every array that this spec matches."""
        return (
            isinstance(other, TensorSpec)
            and self._dtype == other._dtype
            and self._shape.is_subtype_of(other._shape)
            and self._name in (None, other._name)
        )

    def most_specific_common_supertype(self, others) -> TensorSpec | None:
        """Return the most specific spec that matches this one and all `others`, or `None`."""
        others = list(others)
        if any(
            not isinstance(o, TensorSpec) or (o._dtype, o._name) != (self._dtype, self._name)
            for o in others
        ):
            return None
        shape = self._shape.most_specific_common_supertype(o._shape for o in others)
        return TensorSpec(shape, self._dtype, self._name)

    def most_specific_compatible_type(self, other) -> TensorSpec:
        """Return the most specific spec that matches both.

        Raises:
          ValueError: their dtypes differ.
        """
        found = self.most_specific_common_supertype([other])
        if found is None:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return found

    def __eq__(self, other) -> bool:
        if not isinstance(other, TensorSpec):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self):
        return self._shape, self._dtype, self._name

    def __reduce__(self):
        return TensorSpec, (self._shape, self._dtype, self._name)

    def __repr__(self) -> str:
        dtype = "string" if self._dtype.hasobject else self._dtype.name
        return f"TensorSpec(shape={self._shape}, dtype=tf.{dtype}, name={self._name!r})"


# TensorFlow's enumeration of dtypes, which protocol buffers and old programs use.
NAMES_BY_ENUM = {
    1: "float32",
    2: "float64",
    3: "int32",
    4: "uint8",
    5: "int16",
    6: "int8",
    7: "string",
    8: "complex64",
    9: "int64",
    10: "bool",
    14: "bfloat16",
    17: "uint16",
    18: "complex128",
    19: "float16",
    22: "uint32",
    23: "uint64",
}


def as_numpy_dtype(dtype) -> np.dtype:
    """Convert a dtype of TensorFlow, NumPy or JAX, or the name of one, to a NumPy dtype.

    Raises:
      TypeError: it is none of these, or it is `int` or `complex`, whose width is ambiguous.
    """
    found: Any = getattr(dtype, "as_numpy_dtype", dtype)  # an attribute of TensorFlow's dtypes
    try:
        found = _NAMES.get(found, found)
        if type(found) is int:
            found = NAMES_BY_ENUM.get(found)
        if found is None or any(found is d for d in ("int", "complex", int, complex)):
            raise TypeError
        return np.dtype(found)
    except TypeError:
        raise TypeError(f"Cannot convert {dtype!r} to a dtype.") from None


# Dtypes that NumPy does not know or reads differently (`float` is float64 to NumPy).
_NAMES = {
    float: np.float32,
    "float": np.float32,
    "half": np.float16,
    "string": np.object_,
    "bfloat16": jnp.bfloat16,
    "float8_e4m3fn": jnp.float8_e4m3fn,
    "float8_e5m2": jnp.float8_e5m2,
    "int4": jnp.int4,
    "uint4": jnp.uint4,
}
