"""Provide lookup tables in graphs: `tf.lookup` and `tf.contrib.lookup`.

The contents of a table are known when it is created; Python looks keys up during a run.
"""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from shims._src.data.specs import TensorSpec
from shims._src.errors import errors
from shims._src.sparse.tensor import SparseTensor, unchecked
from shims._src.strings import tables
from shims._src.types.dtypes import as_dtype, int64, string
from shims._src.types.host_tensor import host
from shims._src.v1.graph.deferred_operators import operation_of
from shims._src.v1.graph.grouping import no_op
from shims._src.v1.graph.host_calls import at_once, with_outline
from shims._src.v1.graph.modes import executing_eagerly
from shims._src.v1.graph.nodes import Tensor


def _known(name: str, value) -> Any:
    """Return the value of an argument that may be a constant tensor.

    Raises:
      UnimplementedError: it is a tensor that only a run computes.
    """
    if not isinstance(value, Tensor):
        return value
    found = value.op.attributes.get("value")
    if found is None:
        raise errors.UnimplementedError(
            errors.message(
                "lookup",
                f"the {name} of a table must be known when the table is created.",
                received=f"{value!r}",
                do="pass a list or a NumPy array, or feed ids instead of strings",
            )
        )
    return host(found)


class KeyValueTensorInitializer(tables.KeyValueTensorInitializer):
    """The contents of a table as a vector of keys and a vector of values.

    Differs from TensorFlow:
      Keys and values must be constants.

    https://www.tensorflow.org/api_docs/python/tf/lookup/KeyValueTensorInitializer
    """

    __module__ = "shims.compat.v1.lookup"

    def __init__(self, keys, values, key_dtype=None, value_dtype=None, name=None):
        given = _known("keys", keys), _known("values", values)
        with jax.enable_x64(True):
            super().__init__(*given, key_dtype, value_dtype, name)


class TextFileInitializer(tables.TextFileInitializer):
    """The contents of a table as lines of a text file; see `tf.lookup` of TensorFlow 2."""

    __module__ = "shims.compat.v1.lookup"

    def __init__(self, filename, *args, **options):
        with jax.enable_x64(True):
            super().__init__(_known("file name", filename), *args, **options)


class _GraphTable(tables._Table):
    """A table whose lookups are operations of a graph.

    Differs from TensorFlow:
      The table is initialized when it is created: `tf.tables_initializer` does nothing.
    """

    @property
    def init(self):
        """An operation that does nothing: the table is initialized already."""
        return no_op("table_init")

    initializer = init

    def lookup(self, keys, name=None):
        """Return the values of keys: a tensor, or a sparse tensor like `keys`.

        Raises:
          TypeError: the keys are not of the table's dtype.
        """
        if executing_eagerly():
            return super().lookup(keys)
        if isinstance(keys, SparseTensor):
            return unchecked(keys.indices, self.lookup(keys.values, name), keys.dense_shape)
        if isinstance(keys, Tensor) and keys.dtype != self.key_dtype:
            raise TypeError(
                f"Dtype of argument `keys` must be {self.key_dtype}, received: {keys.dtype}"
            )
        find = with_outline(self._outline)(super().lookup)
        name = name or f"{self.name}_Lookup/LookupTableFindV2"
        return operation_of(find, (keys,), {}, public="lookup", name=name)

    def _outline(self, keys) -> TensorSpec:
        shape = keys.shape if hasattr(keys, "shape") else np.shape(keys)
        dtype = object if self._value_dtype.hasobject else self._value_dtype
        unknown = getattr(shape, "rank", 0) is None
        return TensorSpec(None if unknown else [getattr(n, "value", n) for n in shape], dtype)

    def size(self, name=None):
        """Return the number of keys, as a tensor."""
        if executing_eagerly():
            return super().size()
        find = with_outline(lambda: TensorSpec([], np.int64))(super().size)
        name = name or f"{self.name}_Size/LookupTableSizeV2"
        return operation_of(find, (), {}, public="lookup", name=name)


class StaticHashTable(_GraphTable, tables.StaticHashTable):
    """A table that does not change; see `tf.lookup.StaticHashTable` of TensorFlow 2."""

    __module__ = "shims.compat.v1.lookup"

    def __init__(self, initializer, default_value, name=None, experimental_is_anonymous=False):
        default = _known("default value", default_value)
        at_once(tables.StaticHashTable.__init__, self, initializer, default, name)


class StaticVocabularyTable(_GraphTable, tables.StaticVocabularyTable):
    """A table of ids that hashes other keys; see `tf.lookup` of TensorFlow 2."""

    __module__ = "shims.compat.v1.lookup"

    def __init__(
        self,
        initializer,
        num_oov_buckets,
        lookup_key_dtype=None,
        name=None,
        experimental_is_anonymous=False,
    ):
        make = tables.StaticVocabularyTable.__init__
        at_once(make, self, initializer, num_oov_buckets, lookup_key_dtype, name)


def _ids(initializer, num_oov_buckets: int, default_value, name):
    """Return a table of ids: other keys are hashed into buckets, or have the default value."""
    if num_oov_buckets < 0:
        raise ValueError(f"num_oov_buckets must be greater or equal than 0, got {num_oov_buckets}.")
    name = name or "hash_table"
    if num_oov_buckets:
        return StaticVocabularyTable(initializer, num_oov_buckets, name=name)
    return StaticHashTable(initializer, np.int64(default_value), name)


def index_table_from_tensor(
    mapping=None,
    num_oov_buckets=0,
    default_value=-1,
    hasher_spec=None,
    dtype=string,
    name=None,
    vocabulary_list=None,
):
    """Return a table of the positions of keys in a vector.

    Args:
      mapping: the keys, which are strings or integers.
      num_oov_buckets: the number of ids after those of the keys, into which other keys are hashed.
      default_value: the id of other keys if there are no buckets.
      hasher_spec: must be `None`, which stands for the fast hash.
      dtype: the dtype of the keys.
      name: the name of the table.
      vocabulary_list: another name of `mapping`.

    Raises:
      ValueError: there are no keys, or a number is negative.
      UnimplementedError: the keys are known only in a session, or `hasher_spec` is not the fast
        hash.
    """
    keys = _known("keys", vocabulary_list if mapping is None else mapping)
    if keys is None:
        raise ValueError("`vocabulary_list` must be specified.")
    _check_hasher(hasher_spec)
    kept = as_dtype(dtype)
    kept = int64 if kept.is_integer else kept
    count = np.arange(len(keys), dtype=np.int64)
    return _ids(
        KeyValueTensorInitializer(keys, count, kept, int64), num_oov_buckets, default_value, name
    )


def _check_hasher(spec) -> None:
    if spec is not None and getattr(spec, "hasher", "") != "fasthash":
        raise errors.UnimplementedError(
            errors.message(
                "contrib.lookup",
                "only TensorFlow's fast hash is supported.",
                received=f"hasher_spec={spec!r}",
                do="leave `hasher_spec` out",
            )
        )


def index_table_from_file(
    vocabulary_file=None,
    num_oov_buckets=0,
    vocab_size=None,
    default_value=-1,
    hasher_spec=None,
    key_dtype=string,
    name=None,
    key_column_index=tables.TextFileIndex.WHOLE_LINE,
    value_column_index=tables.TextFileIndex.LINE_NUMBER,
    delimiter="\t",
):
    """Return a table of the numbers of lines of a text file; see `index_table_from_tensor`.

    Raises:
      ValueError: there is no file name, or a number is out of range.
      NotFoundError: there is no such file.
      UnimplementedError: `hasher_spec` is not the fast hash.
    """
    if not isinstance(vocabulary_file, Tensor) and not vocabulary_file:
        raise ValueError("`vocabulary_file` must be specified and must not be empty.")
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size}.")
    _check_hasher(hasher_spec)
    contents = TextFileInitializer(
        vocabulary_file,
        key_dtype,
        key_column_index,
        int64,
        value_column_index,
        vocab_size=vocab_size,
        delimiter=delimiter,
    )
    return _ids(contents, num_oov_buckets, default_value, name)


def index_to_string_table_from_tensor(mapping, default_value="UNK", name=None):
    """Return a table of the strings of a vector by their positions."""
    values = _known("values", mapping)
    positions = np.arange(len(values), dtype=np.int64)
    contents = KeyValueTensorInitializer(positions, values, int64, string)
    return StaticHashTable(contents, default_value, name or "index_to_string")


def index_to_string_table_from_file(
    vocabulary_file,
    vocab_size=None,
    default_value="UNK",
    name=None,
    key_column_index=tables.TextFileIndex.LINE_NUMBER,
    value_column_index=tables.TextFileIndex.WHOLE_LINE,
    delimiter="\t",
):
    """Return a table of the lines of a text file by their numbers."""
    if not isinstance(vocabulary_file, Tensor) and not vocabulary_file:
        raise ValueError("vocabulary_file must be specified and must not be empty.")
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size}.")
    contents = TextFileInitializer(
        vocabulary_file,
        int64,
        key_column_index,
        string,
        value_column_index,
        vocab_size=vocab_size,
        delimiter=delimiter,
    )
    return StaticHashTable(contents, default_value, name or "index_to_string")
