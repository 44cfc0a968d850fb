"""Provide `RaggedTensorSpec`, the spec of a ragged argument."""

from __future__ import annotations

import jax
import numpy as np

from shims._src.ragged import partition
from shims._src.ragged.tensor import RaggedTensor, is_ragged
from shims._src.types.dtypes import as_dtype
from shims._src.types.tensor_shape import TensorShape
from shims._src.types.tensor_spec import TensorSpec, as_numpy_dtype


class RaggedTensorSpec:
    """The spec of a ragged tensor: shape, dtype and number of ragged axes.

    Args:
      shape: sizes; `None` for ragged axes and unknown sizes.
      dtype: the dtype of the values.
      ragged_rank: the number of ragged axes; all but the first when `None`.
      row_splits_dtype: int32 or int64.
      flat_values_spec: the spec of the flat values, in place of `shape` and `dtype`.

    Raises:
      ValueError: the rank is unknown and no `ragged_rank` is given, or `ragged_rank` is not
        less than the rank.

    Differs from TensorFlow:
      Splits are int32 unless `jax_enable_x64` is on.

    Under jit:
      A spec is static; nothing is traced.

    https://www.tensorflow.org/api_docs/python/tf/RaggedTensorSpec
    """

    __module__ = "shims"

    def __init__(
        self,
        shape=None,
        dtype=np.float32,
        ragged_rank=None,
        row_splits_dtype=np.int64,
        flat_values_spec=None,
    ):
        self.shape = TensorShape(shape)
        self.dtype = as_numpy_dtype(dtype if flat_values_spec is None else flat_values_spec.dtype)
        rank = self.shape.rank
        if ragged_rank is None:
            if rank is None:
                raise ValueError("Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = rank - 1
        if rank is not None and ragged_rank >= rank:
            raise ValueError(
                f"Argument `ragged_rank` ({ragged_rank}) must be less than rank ({rank})."
            )
        self.ragged_rank = int(ragged_rank)
        self.row_splits_dtype = np.dtype(as_numpy_dtype(row_splits_dtype))
        self.flat_values_spec = flat_values_spec

    @classmethod
    def from_value(cls, value: RaggedTensor) -> RaggedTensorSpec:
        """Return the spec of a ragged tensor."""
        return cls(value.shape, value.dtype, value.ragged_rank, value.row_splits.dtype)

    @property
    def value_type(self) -> type:
        """The class of the values: ragged tensors, or arrays if no axis is ragged."""
        return RaggedTensor if self.ragged_rank else jax.Array

    def is_compatible_with(self, other) -> bool:
        """Return whether a ragged tensor or spec matches this spec."""
        return (
            (is_ragged(other) or isinstance(other, RaggedTensorSpec))
            and other.ragged_rank == self.ragged_rank
            and as_numpy_dtype(other.dtype) == self.dtype
            and self.shape.is_compatible_with(other.shape)
        )

    def template(self):
        """Return a ragged tensor of `TensorSpec`s, or a `TensorSpec` if the ragged rank is 0."""
        inner = [] if self.shape.rank is None else list(self.shape)[self.ragged_rank + 1 :]
        values = self.flat_values_spec
        if values is None:
            values = TensorSpec([None, *inner], self.dtype)
        if self.ragged_rank == 0:
            return TensorSpec(self.shape, self.dtype)
        splits = partition.splits_dtype(self.row_splits_dtype)
        rows = None if self.shape.rank is None else self.shape[0]
        for level in reversed(range(self.ragged_rank)):
            size = rows + 1 if level == 0 and isinstance(rows, int) else None
            values = RaggedTensor(values, TensorSpec([size], splits))
        return values

    def conformed(self, value):
        """Rebuild a ragged argument from its arrays, without cached Python attributes.

        Raises:
          ValueError: the value is not ragged, or has another ragged rank.
        """
        if self.ragged_rank == 0:
            return value
        if not is_ragged(value) or value.ragged_rank != self.ragged_rank:
            raise ValueError(f"{value!r} is not described by {self!r}.")
        out = value.flat_values
        for splits in reversed(value.nested_row_splits):
            out = RaggedTensor(out, splits)
        return out

    def __eq__(self, other) -> bool:
        if not isinstance(other, RaggedTensorSpec):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self):
        return self.shape, self.dtype, self.ragged_rank, self.row_splits_dtype

    def __repr__(self) -> str:
        return (
            f"RaggedTensorSpec({self.shape!r}, {as_dtype(self.dtype)!r}, {self.ragged_rank}, "
            f"tf.{self.row_splits_dtype.name})"
        )
