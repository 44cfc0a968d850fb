"""Provide `RaggedTensor`: rows of different lengths as a pytree of two arrays."""

from __future__ import annotations

import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.ragged import partition, segment_ids
from shims._src.ragged.delegates import DELEGATES
from shims._src.ragged.operators import RaggedOperators
from shims._src.sizes import primitives
from shims._src.tracing import text_operands
from shims._src.tracing.dispatch import operator
from shims._src.types.composite import OperatorCall, Ragged
from shims._src.types.tensor_shape import TensorShape


@jax.tree_util.register_pytree_node_class
class RaggedTensor(RaggedOperators, Ragged):
    """A tensor with rows of different lengths.

    Args:
      values: the concatenated rows, which are an array `[n, ...]` or, if the rows themselves are
        ragged, another `RaggedTensor`.
      row_splits: integers `[rows + 1]`, so that row `i` is `values[row_splits[i]:row_splits[i + 1]]`.
      uniform_row_length: the common length of all rows, if it is static.

    Differs from TensorFlow:
      A pytree of JAX arrays. Splits are int32 unless `jax_enable_x64` is on. Strings are
      kept on the host.

    Under jit:
      Inside `shims.function` the number of values may be data-dependent; returned tensors are cut
      to their valid size. Gradients flow through `flat_values`.

    Example:
      >>> import shims
      >>> rows = shims.ragged.constant([[1, 2], [], [3]])
      >>> print(rows.to_list(), rows.shape)
      [[1, 2], [], [3]] (3, None)

    https://www.tensorflow.org/api_docs/python/tf/RaggedTensor
    """

    __slots__ = ("_row_splits", "_uniform", "_values")
    __module__ = "shims"

    def __init__(self, values, row_splits, uniform_row_length: int | None = None):
        self._values: Any = values
        self._row_splits: Any = row_splits
        self._uniform = uniform_row_length

    def tree_flatten(self):
        """Flatten for JAX: values and row splits are children, the uniform row length is static."""
        return (self._values, self._row_splits), self._uniform

    @classmethod
    def tree_unflatten(cls, uniform, children):
        """Rebuild the tensor from the result of `tree_flatten`."""
        return cls(*children, uniform)

    def __shims_call__(self, call: OperatorCall):
        return DELEGATES.call_operator(call)

    # ---- components -----------------------------------------------------------------------------

    @property
    def values(self):
        """The concatenated rows."""
        return self._values

    @property
    def row_splits(self):
        """The boundaries of the rows in `values`: `[rows + 1]`."""
        return self._row_splits

    @property
    def uniform_row_length(self):
        """The common static length of all rows, or `None`."""
        return self._uniform

    @property
    def flat_values(self):
        """The innermost values, an array."""
        values = self._values
        while isinstance(values, RaggedTensor):
            values = values._values
        return values

    @property
    def nested_row_splits(self) -> tuple:
        """The row splits of all ragged axes, outermost first."""
        inner = self._values.nested_row_splits if isinstance(self._values, RaggedTensor) else ()
        return (self._row_splits, *inner)

    @property
    def ragged_rank(self) -> int:
        """The number of ragged axes."""
        return len(self.nested_row_splits)

    @property
    def dtype(self):
        """The dtype of the values."""
        return text_operands.dtype_of(self.flat_values)

    @property
    def shape(self) -> TensorShape:
        """The static shape; `None` for ragged axes and sizes known only at run time."""
        rows = partition.row_count(self._row_splits)
        outer = [rows if is_known(rows) else None, self._uniform]
        inner = list(self._values.shape)[1:]
        return TensorShape([*outer, *(d if d is None or is_known(d) else None for d in inner)])

    def get_shape(self) -> TensorShape:
        """Return `shape`."""
        return self.shape

    # ---- the rows --------------------------------------------------------------------------------

    @operator
    def nrows(self, out_type=None, name=None):
        """Return the number of rows, as a scalar."""
        dtype = self._row_splits.dtype if out_type is None else partition.splits_dtype(out_type)
        return jnp.asarray(partition.row_count(self._row_splits), dtype)

    @operator
    def row_lengths(self, axis=1, name=None):
        """Return the row lengths; for `axis` above 1, a ragged tensor of the lengths within rows."""
        axis = checks.axis_of("row_lengths", axis, self.ragged_rank + self.flat_values.ndim)
        if axis == 0:
            return self.nrows()
        if axis == 1:
            return partition.lengths_of(self._row_splits)
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.row_lengths(axis - 1))
        size = jnp.asarray(self._values.shape[axis - 1], self._row_splits.dtype)
        ones = jnp.ones(self._values.shape[: axis - 1], self._row_splits.dtype)
        return self.with_values(ones * size)

    @operator
    def nested_row_lengths(self, name=None) -> tuple:
        """Return the row lengths of all ragged axes, outermost first."""
        return tuple(map(partition.lengths_of, self.nested_row_splits))

    @operator
    def row_starts(self, name=None):
        """Return the start offset of each row."""
        return self._row_splits[:-1]

    @operator
    def row_limits(self, name=None):
        """Return the end offset of each row."""
        return self._row_splits[1:]

    @operator
    def value_rowids(self, name=None):
        """Return the row id of each value."""
        return partition.row_ids(self._row_splits, row_total(self._values))

    @operator
    def nested_value_rowids(self, name=None) -> tuple:
        """Return the row ids of the values for all ragged axes, outermost first."""
        inner = self._values
        below = inner.nested_value_rowids() if isinstance(inner, RaggedTensor) else ()
        return (self.value_rowids(), *below)

    @operator
    def bounding_shape(self, axis=None, name=None, out_type=None):
        """Return the smallest dense shape that holds all rows, or its entries at `axis`."""
        dtype = self._row_splits.dtype if out_type is None else partition.splits_dtype(out_type)
        splits = self.nested_row_splits
        sizes = [self.nrows()]
        sizes += [jnp.max(partition.lengths_of(s), initial=0) for s in splits]
        sizes += [jnp.asarray(d) for d in self.flat_values.shape[1:]]
        shape = jnp.stack([s.astype(dtype) for s in sizes])
        return shape if axis is None else shape[jnp.asarray(axis)]

    # ---- conversions ----------------------------------------------------------------------------

    @operator
    def with_values(self, new_values) -> RaggedTensor:
        """Return a tensor with the same rows and new values."""
        if not isinstance(new_values, RaggedTensor):
            new_values = text_operands.elements(new_values)
        new_values = _check_value_count(new_values, row_total(self._values))
        return RaggedTensor(new_values, self._row_splits, self._uniform)

    @operator
    def with_flat_values(self, new_values) -> RaggedTensor:
        """Return a tensor with the same rows and new flat values."""
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.with_flat_values(new_values))
        return self.with_values(new_values)

    def with_row_splits_dtype(self, dtype) -> RaggedTensor:
        """Return the tensor with row splits of a different dtype."""
        dtype = partition.splits_dtype(dtype)
        values = self._values
        if isinstance(values, RaggedTensor):
            values = values.with_row_splits_dtype(dtype)
        return RaggedTensor(values, self._row_splits.astype(dtype), self._uniform)

    @operator
    def merge_dims(self, outer_axis, inner_axis):
        """Merge axes `outer_axis` to `inner_axis` into one."""
        return DELEGATES.merge_dims(self, outer_axis, inner_axis)

    @operator
    def to_tensor(self, default_value=None, name=None, shape=None):
        """Convert to an array, padding short rows; see `shims.ragged`."""
        return DELEGATES.to_tensor(self, default_value, shape)

    @operator
    def to_sparse(self, name=None):
        """Convert to a `SparseTensor`."""
        return DELEGATES.to_sparse(self)

    def to_list(self) -> list:
        """Convert to nested Python lists."""
        values = self._values
        values = values.to_list() if isinstance(values, RaggedTensor) else np.asarray(values)
        splits = np.asarray(self._row_splits).tolist()
        rows = [values[a:b] for a, b in itertools.pairwise(splits)]
        return [r.tolist() if isinstance(r, np.ndarray) else r for r in rows]

    def numpy(self) -> np.ndarray:
        """Convert to a NumPy array, an object array if the rows differ in length."""
        values = self._values
        is_nested = isinstance(values, RaggedTensor)
        values = values.numpy() if is_nested else np.asarray(values)
        splits = np.asarray(self._row_splits).tolist()
        rows = [values[a:b] for a, b in itertools.pairwise(splits)]
        if len({len(r) for r in rows}) <= 1 and (
            not rows or not is_nested or rows[0].dtype != object
        ):
            return np.stack(rows) if rows else np.zeros((0, *values.shape), values.dtype)
        out = np.empty(len(rows), object)
        for i, row in enumerate(rows):
            out[i] = row
        return out

    def __repr__(self) -> str:
        try:
            return f"<tf.RaggedTensor {self.to_list()!r}>"
        except jax.errors.TracerArrayConversionError:
            return f"tf.RaggedTensor(values={self._values}, row_splits={self._row_splits})"

    # ---- factories -------------------------------------------------------------------------------

    @classmethod
    def from_row_splits(cls, values, row_splits, name=None, validate=True) -> RaggedTensor:
        """Build a ragged tensor from values and row splits.

        Example:
          >>> import shims
          >>> print(shims.RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 2, 3]).to_list())
          [[1, 2], [], [3]]
        """
        values = as_values(values)
        splits = partition.as_partition("from_row_splits", "row_splits", row_splits, values)
        if is_known(splits.shape[0]) and splits.shape[0] == 0:
            raise ValueError("row_splits tensor may not be empty.")
        return _partition_values("from_row_splits", values, splits, validate)

    @classmethod
    def from_row_lengths(cls, values, row_lengths, name=None, validate=True) -> RaggedTensor:
        """Build a ragged tensor from values and row lengths.

        Example:
          >>> import shims
          >>> print(shims.RaggedTensor.from_row_lengths([1, 2, 3], [2, 0, 1]).to_list())
          [[1, 2], [], [3]]
        """
        values = as_values(values)
        lengths = partition.as_partition("from_row_lengths", "row_lengths", row_lengths, values)
        splits = partition.from_lengths(lengths)
        return _partition_values("from_row_lengths", values, splits, validate)

    @classmethod
    def from_row_starts(cls, values, row_starts, name=None, validate=True) -> RaggedTensor:
        """Build a ragged tensor from values and the start offset of each row."""
        values = as_values(values)
        starts = partition.as_partition("from_row_starts", "row_starts", row_starts, values)
        end = jnp.asarray(row_total(values), starts.dtype).reshape(1)
        splits = jnp.concatenate([starts, end])
        return _partition_values("from_row_starts", values, splits, validate)

    @classmethod
    def from_row_limits(cls, values, row_limits, name=None, validate=True) -> RaggedTensor:
        """Build a ragged tensor from values and the end offset of each row."""
        values = as_values(values)
        limits = partition.as_partition("from_row_limits", "row_limits", row_limits, values)
        splits = jnp.concatenate([jnp.zeros((1,), limits.dtype), limits])
        return _partition_values("from_row_limits", values, splits, validate)

    @classmethod
    def from_value_rowids(
        cls, values, value_rowids, nrows=None, name=None, validate=True
    ) -> RaggedTensor:
        """Build a ragged tensor from values and their ascending row ids."""
        values = as_values(values)
        ids = partition.as_partition("from_value_rowids", "value_rowids", value_rowids, values)
        have, need = ids.shape[0], row_total(values)
        if is_known(have) and is_known(need) and have != need:
            raise checks.invalid(
                "from_value_rowids",
                f"the number of row ids is {ids.shape[0]}, but the number of values is {row_total(values)}.",
                required="one row id for each value",
            )
        ids = _check_value_count(ids, row_total(values))
        splits = segment_ids.splits_of_rows("from_value_rowids", ids, nrows, validate)
        return _partition_values("from_value_rowids", values, splits, validate=False)

    @classmethod
    def from_uniform_row_length(
        cls, values, uniform_row_length, nrows=None, validate=True, name=None
    ) -> RaggedTensor:
        """Build a ragged tensor with rows of the same length."""
        return DELEGATES.from_uniform_row_length(as_values(values), uniform_row_length, nrows)

    @classmethod
    def from_nested_row_splits(
        cls, flat_values, nested_row_splits, name=None, validate=True
    ) -> RaggedTensor:
        """Build nested ragged axes from row splits, outermost first."""
        return _build_nested(
            cls.from_row_splits, flat_values, "splits", nested_row_splits, validate
        )

    @classmethod
    def from_nested_row_lengths(
        cls, flat_values, nested_row_lengths, name=None, validate=True
    ) -> RaggedTensor:
        """Build nested ragged axes from row lengths, outermost first."""
        return _build_nested(
            cls.from_row_lengths, flat_values, "lengths", nested_row_lengths, validate
        )

    @classmethod
    def from_nested_value_rowids(
        cls, flat_values, nested_value_rowids, nested_nrows=None, name=None, validate=True
    ) -> RaggedTensor:
        """Build nested ragged axes from row ids, outermost first."""
        for name, given in (("value_rowids", nested_value_rowids), ("nrows", nested_nrows)):
            if not isinstance(given, (list, tuple, type(None))):
                raise TypeError(f"Argument `nested_{name}` must be a list of arrays.")
        counts = [None] * len(nested_value_rowids) if nested_nrows is None else nested_nrows
        out = flat_values
        for ids, count in reversed(list(zip(nested_value_rowids, counts, strict=True))):
            out = cls.from_value_rowids(out, ids, count, validate=validate)
        return out

    @classmethod
    def from_tensor(
        cls,
        tensor,
        lengths=None,
        padding=None,
        ragged_rank=1,
        name=None,
        row_splits_dtype=np.int64,
    ) -> RaggedTensor:
        """Convert an array; rows may be truncated to `lengths` or stripped of trailing `padding`.

        Example:
          >>> import shims
          >>> print(shims.RaggedTensor.from_tensor([[1, 2, 0], [3, 0, 0]], padding=0).to_list())
          [[1, 2], [3]]
        """
        return DELEGATES.from_tensor(tensor, lengths, padding, ragged_rank, row_splits_dtype)

    @classmethod
    def from_sparse(cls, st_input, name=None, row_splits_dtype=np.int64) -> RaggedTensor:
        """Convert a sparse matrix whose rows are left-aligned and in order."""
        return DELEGATES.from_sparse(st_input, row_splits_dtype)

    @operator
    def __getitem__(self, key):
        return DELEGATES.take(self, key)


def is_ragged(value) -> bool:
    """Return whether a value is a `RaggedTensor`."""
    return isinstance(value, RaggedTensor)


def row_total(values):
    """Return the number of rows of an array or a ragged tensor, as a dimension."""
    if isinstance(values, RaggedTensor):
        return partition.row_count(values.row_splits)
    return values.shape[0]


def as_values(values):
    """Convert the values of rows to a ragged tensor or an array of at least one axis."""
    if isinstance(values, RaggedTensor):
        return values
    values = text_operands.elements(values)
    if values.ndim == 0:
        raise checks.invalid("RaggedTensor", "values must have at least one axis.")
    return values


def _check_value_count(values, count):
    """Check that the number of values is `count`."""
    if isinstance(values, RaggedTensor):
        have = partition.row_count(values.row_splits)
        if is_known(have) and is_known(count) and have != count:
            raise checks.invalid(
                "RaggedTensor", f"the rows need {count} values, but {have} values are given."
            )
        return values
    return primitives.unify_axis(values, 0, count, label="RaggedTensor")


def _partition_values(function: str, values, splits, validate) -> RaggedTensor:
    """Check row splits and build a ragged tensor; nested row splits get one dtype."""
    if validate:
        partition.check_splits(function, splits, row_total(values))
    if isinstance(values, RaggedTensor) and values.row_splits.dtype != splits.dtype:
        splits = splits.astype(jnp.int64)
        values = values.with_row_splits_dtype(np.int64)
    return RaggedTensor(values, splits)


def _build_nested(make, flat_values, name, parts, validate):
    if not isinstance(parts, (list, tuple)):
        raise TypeError(f"Argument `nested_row_{name}` must be a list of arrays.")
    out = flat_values
    for part in reversed(list(parts)):
        out = make(out, part, validate=validate)
    return out
