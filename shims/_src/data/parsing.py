"""Parse records of `tf.train.Example` on the host."""

from __future__ import annotations

from typing import Any

import numpy as np

from shims._src.checkpoint import wire
from shims._src.data import components, elements, features, list_messages, messages
from shims._src.errors import errors
from shims._src.ragged.tensor import RaggedTensor
from shims._src.types.host_tensor import HostTensor, host
from shims._src.types.tensor_shape import TensorShape
from shims._src.types.tensor_spec import as_numpy_dtype

_DTYPES = {
    "bytes_list": np.dtype(object),
    "float_list": np.dtype(np.float32),
    "int64_list": np.dtype(np.int64),
}
_READERS = {
    "bytes_list": list_messages.texts_in,
    "float_list": list_messages.floats_in,
    "int64_list": list_messages.integers_in,
}
# The features of a record by name: the encoded `Feature`.
Record = dict[str, bytes]


def record_of(serialized: bytes) -> Record:
    """Return the encoded features of an encoded `Example`.

    Raises:
      InvalidArgumentError: the bytes are not an `Example`.
    """
    try:
        found: Record = {}
        for number, value in wire.fields(serialized):
            if number == 1:
                found.update(messages.entries_in(wire.bytes_of(value)))
        return found
    except ValueError:
        raise errors.InvalidArgumentError(
            f"Could not parse example input, value: {serialized!r}"
        ) from None


def values_of(record: Record, key: str, dtype) -> np.ndarray | None:
    """Return the values of a feature, `None` if it is missing.

    Raises:
      InvalidArgumentError: they have a different dtype.
    """
    for number, value in wire.fields(record.get(key, b"")):
        kind = messages.KINDS.get(number)
        if kind is None:
            continue
        if _DTYPES[kind] != dtype:
            raise errors.InvalidArgumentError(
                f"Key: {key}.  Data types don't match. Data type: {_name(_DTYPES[kind])} but "
                f"expected type: {_name(dtype)}"
            )
        return _READERS[kind](wire.bytes_of(value)).astype(dtype, copy=False)
    return None


def _name(dtype: np.dtype) -> str:
    return {"object": "string", "float32": "float"}.get(dtype.name, dtype.name)


def _dtype_of(feature, key: str) -> np.dtype:
    dtype = as_numpy_dtype(feature.dtype)
    if dtype not in _DTYPES.values():
        raise ValueError(f"Feature {key}: dtype {dtype.name} is not float32, int64 or string.")
    return dtype


def parse_single_example(serialized, features, example_names=None, name=None) -> dict[str, Any]:
    """Parse a record of `tf.train.Example`.

    Args:
      serialized: a scalar string that contains the encoded record.
      features: for each name, a `FixedLenFeature`, `VarLenFeature`, `RaggedFeature`,
        `FixedLenSequenceFeature` or `SparseFeature`.
      example_names: ignored.
      name: ignored.

    Returns:
      Tensors, sparse and ragged tensors by name.

    Raises:
      ValueError: `features` is empty, or `serialized` is not a scalar.
      InvalidArgumentError: the record is damaged, or a feature is missing or does not fit.

    Differs from TensorFlow:
      Tensors are on the host.

    Under jit:
      Strings cannot be traced: parse the records before you call the compiled function.

    https://www.tensorflow.org/api_docs/python/tf/io/parse_single_example
    """
    del example_names, name
    _check_features(features)
    text = host(serialized)
    _check_text(text)
    if text.ndim:
        raise ValueError("Input serialized must be a scalar")
    record = record_of(text.numpy())
    return {key: _single(record, key, features[key]) for key in sorted(features)}


def parse_example(serialized, features, example_names=None, name=None) -> dict[str, Any]:
    """Parse a batch of records of `tf.train.Example`.

    Args:
      serialized: a vector of strings (the encoded records), or a scalar string (one record).
      features: for each name, a `FixedLenFeature`, `VarLenFeature`, `RaggedFeature`,
        `FixedLenSequenceFeature` or `SparseFeature`.
      example_names: ignored.
      name: ignored.

    Returns:
      Tensors, sparse and ragged tensors by name, whose first axis is that of `serialized`.

    Raises:
      ValueError: `features` is empty.
      InvalidArgumentError: a record is damaged, or a feature is missing or does not fit.

    Differs from TensorFlow:
      Tensors are on the host.

    Under jit:
      Strings cannot be traced: parse the records before you call the compiled function.

    https://www.tensorflow.org/api_docs/python/tf/io/parse_example
    """
    texts = host(elements.component_of(serialized))
    if not texts.ndim:
        return parse_single_example(texts, features, example_names, name)
    _check_features(features)
    _check_text(texts)
    records = [record_of(text) for text in np.asarray(texts).tolist()]
    return {key: _batch(records, key, features[key]) for key in sorted(features)}


def _check_text(serialized: HostTensor) -> None:
    dtype = np.asarray(serialized).dtype
    if not dtype.hasobject:
        raise TypeError(
            f"Input 'serialized' of 'ParseExampleV2' Op has type {dtype.name} that does not match "
            "expected type of string."
        )


def _check_features(given) -> None:
    if not given:
        raise ValueError("Invalid argument: features cannot be empty.")
    for key, feature in given.items():
        if isinstance(feature, features.FixedLenSequenceFeature) and not feature.allow_missing:
            raise ValueError(
                "Unsupported: FixedLenSequenceFeature requires allow_missing to be True."
            )
        if not isinstance(feature, _KINDS):
            raise ValueError(f"Invalid feature {key}:{feature}.")


_KINDS = (
    features.FixedLenFeature,
    features.VarLenFeature,
    features.FixedLenSequenceFeature,
    features.SparseFeature,
    features.RaggedFeature,
)


def _sizes(shape) -> list[int]:
    return TensorShape(shape).as_list()


def _single(record: Record, key: str, feature) -> Any:
    dtype = _dtype_of(feature, key)
    if isinstance(feature, features.FixedLenFeature):
        return _fixed(record, key, feature, dtype)
    if isinstance(feature, features.FixedLenSequenceFeature):
        return host(_rows(record, key, feature, dtype))
    if isinstance(feature, features.SparseFeature):
        return _sparse([record], feature, dtype, is_batch=False)
    if isinstance(feature, features.RaggedFeature):
        return _ragged_row(record, key, feature, dtype)
    values = _or_none(values_of(record, key, dtype), dtype)
    indices = np.arange(len(values), dtype=np.int64)[:, None]
    return elements.sparse(host(indices), host(values), host(np.array([len(values)], np.int64)))


def _or_none(values: np.ndarray | None, dtype: np.dtype) -> np.ndarray:
    return np.zeros(0, dtype) if values is None else values


def _batch(records: list[Record], key: str, feature) -> Any:
    dtype = _dtype_of(feature, key)
    if isinstance(feature, features.FixedLenFeature):
        rows = [_fixed(record, key, feature, dtype) for record in records]
        out = np.empty((len(rows), *_sizes(feature.shape)), dtype)
        for number, row in enumerate(rows):
            out[number] = np.asarray(row)[()]
        return host(out)
    if isinstance(feature, features.FixedLenSequenceFeature):
        return _padded([_rows(r, key, feature, dtype) for r in records], feature, dtype)
    if isinstance(feature, features.SparseFeature):
        return _sparse(records, feature, dtype, is_batch=True)
    if isinstance(feature, features.RaggedFeature):
        return _ragged_batch(records, key, feature, dtype)
    each = [_or_none(values_of(record, key, dtype), dtype) for record in records]
    indices = [np.stack([np.full(len(v), i), np.arange(len(v))], 1) for i, v in enumerate(each)]
    shape = np.array([len(each), max((len(v) for v in each), default=0)], np.int64)
    return elements.sparse(
        host(np.concatenate([np.zeros((0, 2), np.int64), *indices]).astype(np.int64)),
        host(np.concatenate([np.zeros(0, dtype), *each])),
        host(shape),
    )


def _fixed(record: Record, key: str, feature, dtype: np.dtype) -> HostTensor:
    shape = _sizes(feature.shape)
    values = values_of(record, key, dtype)
    if values is None:
        if feature.default_value is None:
            raise errors.InvalidArgumentError(
                f"Feature: {key} (data type: {_name(dtype)}) is required but could not be found."
            )
        default = elements.component_of(feature.default_value, dtype)
        values = np.asarray(default).astype(dtype, copy=False).reshape(-1)
    if len(values) != int(np.prod(shape, dtype=np.int64)):
        raise errors.InvalidArgumentError(
            f"Key: {key}.  Number of {_name(dtype)} values != expected.  Values size: {len(values)} "
            f"but output shape: {[*shape]}"
        )
    return host(values.reshape(shape))


def _rows(record: Record, key: str, feature, dtype: np.dtype) -> np.ndarray:
    shape = _sizes(feature.shape)
    values = _or_none(values_of(record, key, dtype), dtype)
    size = int(np.prod(shape, dtype=np.int64))
    if size == 0 or len(values) % size:
        raise errors.InvalidArgumentError(
            f"Key: {key}.  Number of {_name(dtype)} values is not a multiple of stride length. "
            f"Saw {len(values)} values but output shape is: {[*shape]}"
        )
    return values.reshape(-1, *shape)


def _padded(rows: list[np.ndarray], feature, dtype: np.dtype) -> HostTensor:
    default = feature.default_value
    if default is None:
        default = b"" if dtype.hasobject else 0
    elif not np.isscalar(default):
        default = elements.component_of(default).numpy()
    size = max((len(r) for r in rows), default=0)
    out = np.full((len(rows), size, *_sizes(feature.shape)), default, dtype)
    for number, row in enumerate(rows):
        out[number, : len(row)] = row
    return host(out)


def _sparse(records: list[Record], feature, dtype: np.dtype, is_batch: bool) -> Any:
    """Return the values at the coordinates that other features hold."""
    many = isinstance(feature.index_key, (list, tuple))
    keys = list(feature.index_key) if many else [feature.index_key]
    sizes = list(feature.size) if many else [feature.size]
    indices, values = [], []
    for number, record in enumerate(records):
        found = _or_none(values_of(record, feature.value_key, dtype), dtype)
        columns = [
            _or_none(values_of(record, k, np.dtype(np.int64)), np.dtype(np.int64)) for k in keys
        ]
        if any(len(c) != len(found) for c in columns):
            raise ValueError(f"Dimensions {len(columns[0])} and {len(found)} are not compatible")
        order = np.lexsort(columns[::-1])
        if not feature.already_sorted:
            columns, found = [c[order] for c in columns], found[order]
        row = [np.full(len(found), number)] if is_batch else []
        indices.append(np.stack([*row, *columns], 1).astype(np.int64))
        values.append(found)
    shape = [*([len(records)] if is_batch else []), *sizes]
    width = np.zeros((0, len(shape)), np.int64)
    return elements.sparse(
        host(np.concatenate([width, *indices])),
        host(np.concatenate([np.zeros(0, dtype), *values])),
        host(np.array(shape, np.int64)),
    )


def _ragged_row(record: Record, key: str, feature, dtype: np.dtype) -> Any:
    """Return the values of a feature; other features partition them, from the innermost axis outwards."""
    found: Any = host(_or_none(values_of(record, feature.value_key or key, dtype), dtype))
    for partition in reversed(feature.partitions):
        if isinstance(found, HostTensor) and isinstance(partition, _UNIFORM):
            found = host(np.asarray(found).reshape(-1, partition.length, *found.shape[1:]))
            continue
        count = len(found.row_splits) - 1 if isinstance(found, RaggedTensor) else len(found)
        splits = _splits(record, partition, count)
        found = RaggedTensor(found, host(splits.astype(as_numpy_dtype(feature.row_splits_dtype))))
    return found


_UNIFORM: Any = features.RaggedFeature.UniformRowLength


def _splits(record: Record, partition, count: int) -> np.ndarray:
    """Return the row splits that a partition describes."""
    if isinstance(partition, _UNIFORM):
        return np.arange(0, count + 1, partition.length)
    integer = np.dtype(np.int64)
    values = _or_none(values_of(record, partition.key, integer), integer)
    if isinstance(partition, features.RaggedFeature.RowLengths):
        return np.concatenate([[0], np.cumsum(values)])
    if isinstance(partition, features.RaggedFeature.RowSplits):
        return values
    if isinstance(partition, features.RaggedFeature.RowStarts):
        return np.concatenate([values, [count]])
    if isinstance(partition, features.RaggedFeature.RowLimits):
        return np.concatenate([[0], values])
    rows = int(values[-1]) + 1 if len(values) else 0
    return np.searchsorted(values, np.arange(rows + 1))


def _ragged_batch(records: list[Record], key: str, feature, dtype: np.dtype) -> RaggedTensor:
    found = components.stack_ragged([_ragged_row(r, key, feature, dtype) for r in records])
    return _with_splits_dtype(found, as_numpy_dtype(feature.row_splits_dtype))


def _with_splits_dtype(value, dtype: np.dtype) -> Any:
    if not isinstance(value, RaggedTensor):
        return value
    splits = host(np.asarray(value.row_splits).astype(dtype))
    return RaggedTensor(_with_splits_dtype(value.values, dtype), splits)
