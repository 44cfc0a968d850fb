"""Provide `SparseTensorSpec`, the spec of a sparse argument."""

from __future__ import annotations

import numpy as np

from shims._src.sparse.tensor import SparseTensor, is_sparse, unchecked
from shims._src.types.dtypes import as_dtype, canonical_dtype
from shims._src.types.tensor_shape import TensorShape
from shims._src.types.tensor_spec import TensorSpec, as_numpy_dtype


class SparseTensorSpec:
    """The spec of a sparse tensor: shape and dtype.

    Args:
      shape: sizes; `None` for unknown sizes. The rank is known.
      dtype: the dtype of the values.

    Differs from TensorFlow:
      The rank must be known if the spec is part of an input signature.

    Under jit:
      A spec is static; nothing is traced.

    https://www.tensorflow.org/api_docs/python/tf/SparseTensorSpec
    """

    __module__ = "shims"

    def __init__(self, shape=None, dtype=np.float32):
        self.shape = TensorShape(shape)
        self.dtype = as_numpy_dtype(dtype)

    @classmethod
    def from_value(cls, value) -> SparseTensorSpec:
        """Return the spec of a sparse tensor."""
        return cls(value.shape, value.dtype)

    @property
    def value_type(self) -> type:
        """The class of the values."""
        return SparseTensor

    def is_compatible_with(self, other) -> bool:
        """Return whether a sparse tensor or spec matches this spec."""
        return (
            (is_sparse(other) or isinstance(other, SparseTensorSpec))
            and as_numpy_dtype(other.dtype) == self.dtype
            and self.shape.is_compatible_with(other.shape)
        )

    def template(self):
        """Return a sparse tensor of `TensorSpec`s.

        Raises:
          ValueError: the rank is unknown.
        """
        rank = self.shape.rank
        if rank is None:
            raise ValueError("An input signature needs to know the rank of a sparse tensor.")
        integer = canonical_dtype(np.int64)
        return unchecked(
            TensorSpec([None, rank], integer),
            TensorSpec([None], self.dtype),
            TensorSpec([rank], integer),
        )

    def conformed(self, value):
        """Check that an argument is sparse and return it.

        Raises:
          ValueError: the value is not sparse.
        """
        if not is_sparse(value):
            raise ValueError(f"{value!r} is not described by {self!r}.")
        return value

    def __eq__(self, other) -> bool:
        if not isinstance(other, SparseTensorSpec):
            return NotImplemented
        return (self.shape, self.dtype) == (other.shape, other.dtype)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def __repr__(self) -> str:
        return f"SparseTensorSpec({self.shape!r}, {as_dtype(self.dtype)!r})"
