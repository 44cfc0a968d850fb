"""Provide partitioned variables, partitioners, and descriptions of the slices that parts hold."""

from __future__ import annotations

import math
from collections.abc import Iterator

from shims._src.types.dtypes import as_dtype
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.shapes import GraphShape
from shims._src.v1.graph.standard_operators import concat, identity, slice_


class PartitionInfo:
    """The slice of a partitioned variable that an initializer fills.

    Attributes:
      full_shape: the shape of the whole variable.
      var_offset: the start of the slice along each axis.
    """

    def __init__(self, full_shape, var_offset):
        self.full_shape, self.var_offset = list(full_shape), list(var_offset)


class SaveSliceInfo:
    """The slice of a saved variable that one part of a partitioned variable holds.

    Attributes:
      full_name: the name of the whole variable.
      full_shape: the shape of the whole variable.
      var_offset: the start of the part along each axis.
      var_shape: the shape of the part.
    """

    def __init__(self, full_name=None, full_shape=None, var_offset=None, var_shape=None):
        self.full_name, self.full_shape = full_name, full_shape
        self.var_offset, self.var_shape = var_offset, var_shape

    @property
    def spec(self) -> str:
        """The slice as text, as in `5 2 3,2:0,2`: the full shape, then start and length along each axis."""
        sizes = "".join(f"{d} " for d in self.full_shape)
        pairs = zip(self.var_offset, self.var_shape, strict=True)
        return sizes + ":".join(f"{o},{n}" for o, n in pairs)


class PartitionedVariable:
    """A variable split into several variables along an axis.

    Args:
      name: the name of the whole variable.
      shape: the shape of the whole variable.
      dtype: the dtype.
      variable_list: the parts, in order.
      partitions: the number of parts per axis.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/get_variable
    """

    __module__ = "shims.compat.v1"
    __array_priority__ = 100

    def __init__(self, name, shape, dtype, variable_list, partitions):
        self._name, self._shape = name, GraphShape(shape)
        self._dtype, self._parts = as_dtype(dtype), list(variable_list)
        self._partitions = list(partitions)

    def __iter__(self):
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    @property
    def name(self) -> str:
        """The name of the whole variable, without `:0`."""
        return self._name

    @property
    def dtype(self):
        """The dtype."""
        return self._dtype

    @property
    def shape(self) -> GraphShape:
        """The shape of the whole variable."""
        return self._shape

    def get_shape(self) -> GraphShape:
        """Return the shape of the whole variable."""
        return self._shape

    def _get_variable_list(self) -> list:
        return self._parts

    def _get_partitions(self) -> list:
        return self._partitions

    def as_tensor(self):
        """Concatenate the parts to a single tensor."""
        graph = get_default_graph()
        whole = self._parts[0]
        if len(self._parts) > 1:
            with graph.name_scope(f"{self._name}/ConcatPartitions/"):
                whole = concat(self._parts, axis_of(self._partitions)[0])
        with graph.name_scope(None):
            return identity(whole, name=self._name)

    @property
    def graph_value(self):
        """The tensor that operators use in place of the variable."""
        return self.as_tensor()

    def assign(self, value, use_locking=False, name=None, read_value=True) -> list:
        """Assign to the parts a tensor of the whole shape, or the tensors of a list, one per part."""
        return self._assign_parts("assign", value, use_locking, name, read_value)

    def assign_add(self, value, use_locking=False, name=None, read_value=True) -> list:
        """Add to the parts a tensor of the whole shape, or the tensors of a list, one per part."""
        return self._assign_parts("assign_add", value, use_locking, name, read_value)

    def assign_sub(self, value, use_locking=False, name=None, read_value=True) -> list:
        """Subtract from the parts a tensor of the whole shape, or the tensors of a list, one per part."""
        return self._assign_parts("assign_sub", value, use_locking, name, read_value)

    def _assign_parts(self, method, value, use_locking, name, read_value) -> list:
        if not isinstance(value, (list, PartitionedVariable)):
            places = slices_of(self._shape.as_list(), self._partitions)
            value = [slice_(value, offset, shape) for offset, shape in places]
        return [
            getattr(part, method)(v, use_locking, name, read_value)
            for part, v in zip(self._parts, value, strict=True)
        ]

    def checked(self, shape, dtype, parts) -> PartitionedVariable:
        """Check that the variable matches the requested properties, and return it.

        Raises:
          ValueError: the variable has a different shape, dtype or number of parts.
        """
        start = f"Trying to reuse partitioned variable {self._name}, but specified"
        if not shape.is_compatible_with(self._shape):
            raise ValueError(f"{start} shape {shape} and found shape {self._shape}.")
        if dtype != self._dtype:
            raise ValueError(f"{start} dtype {dtype.name} and found dtype {self._dtype.name}.")
        if parts is not None and parts != self._partitions:
            raise ValueError(f"{start} partitions {parts} and found partitions {self._partitions}.")
        return self


def axis_of(partitions) -> tuple[int, int]:
    """Return the axis that is split, and the number of parts, given the number of parts per axis."""
    return next(((i, n) for i, n in enumerate(partitions) if n > 1), (0, 1))


def slices_of(shape: list[int], partitions) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the start and the shape of each part of a variable.

    If the axis does not divide evenly, the first parts are longer by one.
    """
    axis, count = axis_of(partitions)
    least, longer = divmod(shape[axis], count)
    offset = [0] * len(shape)
    for i in range(count):
        part = list(shape)
        part[axis] = least + (i < longer)
        yield list(offset), part
        offset[axis] += part[axis]


def parts_of(partitioner, shape: GraphShape, dtype) -> list[int]:
    """Call a partitioner; check and return the number of parts along each axis.

    Raises:
      ValueError: the result of the partitioner is invalid.
    """
    if not shape.is_fully_defined():
        raise ValueError(
            f"Shape of a new partitioned variable must be fully defined, but instead was {shape}."
        )
    if not shape.rank:
        raise ValueError(f"A partitioned Variable must have rank at least 1, shape: {shape}")
    found = partitioner(shape=shape, dtype=dtype)
    if not isinstance(found, (list, tuple)):
        raise ValueError(f"Partitioner must return a sequence, but saw: {found}")
    if len(found) != shape.rank:
        raise ValueError(
            "Partitioner returned a partition list that does not match the Variable's rank: "
            f"{found} vs. {shape}"
        )
    if any(n < 1 for n in found):
        raise ValueError(f"Partitioner returned zero partitions for some axes: {found}")
    if sum(n > 1 for n in found) > 1:
        raise ValueError(
            f"Can only slice a variable along one dimension: shape: {shape}, partitioning: {found}"
        )
    return list(found)


def fixed_size_partitioner(num_shards: int, axis: int = 0):
    """Create a partitioner that splits an axis into a fixed number of parts.

    Args:
      num_shards: the number of parts; there are fewer parts if the axis has fewer elements.
      axis: the axis to split.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/fixed_size_partitioner
    """

    def partitioner(shape, **options):
        del options
        parts = [1] * len(shape)
        parts[axis] = min(num_shards, shape.dims[axis].value)
        return parts

    return partitioner


def variable_axis_size_partitioner(
    max_shard_bytes, axis=0, bytes_per_string_element=16, max_shards=None
):
    """Create a partitioner that splits an axis into parts of at most a number of bytes.

    Args:
      max_shard_bytes: the maximum number of bytes of a part.
      axis: the axis to split.
      bytes_per_string_element: the assumed size of a string.
      max_shards: the maximum number of parts, or `None`.

    Raises:
      ValueError: a number is not positive.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/variable_axis_size_partitioner
    """
    if max_shard_bytes < 1 or bytes_per_string_element < 1:
        raise ValueError("Both max_shard_bytes and bytes_per_string_element must be positive.")
    if max_shards and max_shards < 1:
        raise ValueError(f"max_shards must be positive, but was {max_shards}.")

    def partitioner(shape, dtype):
        parts = [1] * len(shape)
        length = shape.dims[axis].value
        row = _size_in_bytes(shape, dtype, bytes_per_string_element) // length
        per_part = max(1, max_shard_bytes // row)
        parts[axis] = -(-length // per_part)
        if max_shards:
            parts[axis] = min(parts[axis], max_shards)
        return parts

    return partitioner


def min_max_variable_partitioner(
    max_partitions=1, axis=0, min_slice_size=256 << 10, bytes_per_string_element=16
):
    """Create a partitioner that splits an axis into parts of at least a number of bytes.

    Args:
      max_partitions: the maximum number of parts.
      axis: the axis to split.
      min_slice_size: the minimum number of bytes of a part.
      bytes_per_string_element: the assumed size of a string.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/min_max_variable_partitioner
    """

    def partitioner(shape, dtype):
        if axis >= len(shape):
            raise ValueError(
                f"Cannot partition variable along axis {axis} when shape is only {shape}"
            )
        size = _size_in_bytes(shape, dtype, bytes_per_string_element)
        parts = [1] * len(shape)
        best = max(1, min(math.ceil(size / min_slice_size), max_partitions))
        parts[axis] = min(best, shape.dims[axis].value)
        return parts

    return partitioner


def _size_in_bytes(shape, dtype, of_string: int) -> int:
    dtype = as_dtype(dtype)
    return shape.num_elements() * (of_string if dtype.name == "string" else dtype.size)
