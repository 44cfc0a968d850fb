"""`TensorSpec`: the shape and dtype that a function states for one of its arguments."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from shims._src.types.tensor_shape import TensorShape


class TensorSpec:
    """What an array looks like: shape, dtype, and a name for error messages.

    Args:
      shape: anything that `TensorShape` takes. `None` is an unknown size; a name
        (`["batch", 3]`) is an unknown size that equals every other size of that name.
      dtype: TensorFlow's, NumPy's or JAX's dtype, or its name.
      name: how messages call the argument.

    Raises:
      TypeError: `dtype` or a size is not one.

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
        """The spec of an array."""
        return cls(tensor.shape, tensor.dtype, name)

    @classmethod
    def from_spec(cls, spec, name: str | None = None) -> TensorSpec:
        """A copy of a spec, perhaps with another name."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    @property
    def shape(self) -> TensorShape:
        """The shape, of which sizes may be unknown."""
        return self._shape

    @property
    def dtype(self) -> np.dtype:
        """The NumPy dtype."""
        return self._dtype

    @property
    def name(self) -> str | None:
        """How messages call the argument."""
        return self._name

    def is_compatible_with(self, spec_or_tensor) -> bool:
        """Whether an array, or what another spec describes, may have this shape and dtype."""
        if not hasattr(spec_or_tensor, "shape") or not hasattr(spec_or_tensor, "dtype"):
            return False
        return self._dtype == as_numpy_dtype(
            spec_or_tensor.dtype
        ) and self._shape.is_compatible_with(spec_or_tensor.shape)

    def is_subtype_of(self, other) -> bool:
        """Whether every array that this spec describes is described by `other` too."""
        return (
            isinstance(other, TensorSpec)
            and self._dtype == other._dtype
            and self._shape.is_subtype_of(other._shape)
            and self._name in (None, other._name)
        )

    def most_specific_common_supertype(self, others) -> TensorSpec | None:
        """The most specific spec that describes this one and all `others`, or `None`."""
        others = list(others)
        if any(
            not isinstance(o, TensorSpec) or (o._dtype, o._name) != (self._dtype, self._name)
            for o in others
        ):
            return None
        shape = self._shape.most_specific_common_supertype(o._shape for o in others)
        return TensorSpec(shape, self._dtype, self._name)

    def most_specific_compatible_type(self, other) -> TensorSpec:
        """The most specific spec that describes both.

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


# TensorFlow's numbers for dtypes, as protocol buffers and old programs have them.
_NUMBERS = {
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
    """The NumPy dtype behind TensorFlow's, NumPy's or JAX's dtype, or behind its name.

    Raises:
      TypeError: it is none of these, or is `int` or `complex`, which do not say how wide they are.
    """
    found: Any = getattr(dtype, "as_numpy_dtype", dtype)  # what TensorFlow's dtypes have
    try:
        found = _NAMES.get(found, found)
        if type(found) is int:
            found = _NUMBERS.get(found)
        if found is None or any(found is d for d in ("int", "complex", int, complex)):
            raise TypeError
        return np.dtype(found)
    except TypeError:
        raise TypeError(f"Cannot convert {dtype!r} to a dtype.") from None


# What NumPy does not know, or takes for something else (`float` is float64 to it).
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
