"""Look keys up in tables on the host: `tf.lookup`."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.conversion import check_width
from shims._src.errors import errors
from shims._src.strings.hashes import farm
from shims._src.strings.operands import numbers, strings
from shims._src.tracing.text_operands import holds_text
from shims._src.types.dtypes import as_dtype, canonical_dtype, string
from shims._src.types.host_tensor import host
from shims._src.types.tensor_spec import as_numpy_dtype


def _on_host(function: str, name: str, value, dtype) -> np.ndarray:
    """Convert keys or values to an array of a dtype on the host."""
    if holds_text(value) or (dtype is not None and as_numpy_dtype(dtype).hasobject):
        found = np.asarray(strings(function, value))
    else:
        found = numbers(function, name, value)
        if dtype is None and found.dtype == np.float64 and not hasattr(value, "dtype"):
            found = found.astype(np.float32)
        elif dtype is None and found.dtype == np.int64 and not hasattr(value, "dtype"):
            found = found.astype(np.int32)
    wanted = found.dtype if dtype is None else as_numpy_dtype(dtype)
    if found.dtype.hasobject != wanted.hasobject:
        raise TypeError(f"{function}: `{name}` is not of dtype {as_dtype(wanted)!r}.")
    return found.astype(wanted)


class KeyValueTensorInitializer:
    """The contents of a table as a vector of keys and a vector of values.

    Args:
      keys: strings or integers.
      values: strings or numbers.
      key_dtype: the dtype of the keys; the dtype of `keys` when `None`.
      value_dtype: the dtype of the values; the dtype of `values` when `None`.
      name: ignored.

    Differs from TensorFlow:
      Keys and values stay on the host.

    Under jit:
      Tables are static.

    https://www.tensorflow.org/api_docs/python/tf/lookup/KeyValueTensorInitializer
    """

    __module__ = "shims.lookup"

    def __init__(self, keys, values, key_dtype=None, value_dtype=None, name=None):
        function = "lookup.KeyValueTensorInitializer"
        self._keys = _on_host(function, "keys", keys, key_dtype)
        self._values = _on_host(function, "values", values, value_dtype)
        if self._keys.shape != self._values.shape:
            raise checks.invalid(
                function,
                "the number of keys differs from the number of values.",
                received=f"shapes {self._keys.shape} and {self._values.shape}",
            )

    @property
    def key_dtype(self):
        """The dtype of the keys."""
        return as_dtype(self._keys.dtype)

    @property
    def value_dtype(self):
        """The dtype of the values."""
        return as_dtype(self._values.dtype)

    def contents(self) -> dict[Any, Any]:
        """Return the table.

        Raises:
          FailedPreconditionError: a key has two values.
        """
        found: dict[Any, Any] = {}
        pairs = zip(self._keys.ravel().tolist(), self._values.ravel().tolist(), strict=True)
        for key, value in pairs:
            if found.setdefault(key, value) != value:
                raise errors.FailedPreconditionError(
                    errors.message(
                        "lookup.StaticHashTable",
                        "a key has two values.",
                        received=f"{key!r}: {found[key]!r} and {value!r}",
                    )
                )
        return found


class TextFileIndex:
    """The columns of a text file that have no number.

    https://www.tensorflow.org/api_docs/python/tf/lookup/TextFileIndex
    """

    __module__ = "shims.lookup"

    WHOLE_LINE = -2
    LINE_NUMBER = -1


class TextFileInitializer(KeyValueTensorInitializer):
    r"""The contents of a table as lines of a text file.

    Args:
      filename: the path.
      key_dtype: the dtype of the keys.
      key_index: the column of the keys, or `TextFileIndex.WHOLE_LINE` or `LINE_NUMBER`.
      value_dtype: the dtype of the values.
      value_index: the column of the values, or one of these constants.
      vocab_size: the number of lines to read; all when `None`.
      delimiter: the character between columns.
      name: ignored.
      value_index_offset: is added to line numbers that are values.

    Raises:
      NotFoundError: there is no such file.
      InvalidArgumentError: a line lacks a column, or there are fewer than `vocab_size` lines.

    Differs from TensorFlow:
      The file is read when the initializer is created.

    Under jit:
      Tables are static.

    https://www.tensorflow.org/api_docs/python/tf/lookup/TextFileInitializer
    """

    __module__ = "shims.lookup"

    def __init__(
        self,
        filename,
        key_dtype,
        key_index,
        value_dtype,
        value_index,
        vocab_size=None,
        delimiter="\t",
        name=None,
        value_index_offset=0,
    ):
        path = np.asarray(strings("lookup.TextFileInitializer", filename))[()]
        try:
            with open(path, "rb") as file:
                lines = file.read().splitlines()
        except FileNotFoundError as error:
            raise errors.NotFoundError(f"lookup.TextFileInitializer: {error}") from None
        if vocab_size is not None:
            if len(lines) < vocab_size:
                raise checks.invalid(
                    "lookup.TextFileInitializer",
                    f"the file has {len(lines)} lines, but `vocab_size` is {vocab_size}.",
                )
            lines = lines[:vocab_size]
        keys = _column(lines, key_index, key_dtype, delimiter, 0)
        values = _column(lines, value_index, value_dtype, delimiter, value_index_offset)
        super().__init__(keys, values, key_dtype, value_dtype)


def _column(lines: list[bytes], index: int, dtype, delimiter: str, offset: int):
    if index == TextFileIndex.LINE_NUMBER:
        return np.arange(len(lines)) + offset
    if index == TextFileIndex.WHOLE_LINE:
        cells = lines
    else:
        rows = [line.split(delimiter.encode()) for line in lines]
        if any(len(row) <= index for row in rows):
            raise checks.invalid("lookup.TextFileInitializer", f"a line has no column {index}.")
        cells = [row[index] for row in rows]
    wanted = as_numpy_dtype(dtype)
    return cells if wanted.hasobject else np.array([wanted.type(cell) for cell in cells], wanted)


class _Table:
    """A static table: `lookup`, `size` and `__getitem__` over a dictionary."""

    _contents: dict[Any, Any]
    _key_dtype: np.dtype
    _value_dtype: np.dtype

    @property
    def key_dtype(self):
        """The dtype of the keys."""
        return as_dtype(self._key_dtype)

    @property
    def value_dtype(self):
        """The dtype of the values."""
        return as_dtype(self._value_dtype)

    def _found(self, key):
        raise NotImplementedError

    def lookup(self, keys, name=None):
        """Return the values of keys: an array, or a ragged or sparse tensor like `keys`.

        Raises:
          TypeError: the keys are not of the table's dtype.
          UnimplementedError: the keys are traced.
        """
        function = "lookup"
        if hasattr(keys, "flat_values"):
            return keys.with_flat_values(self.lookup(keys.flat_values))
        if hasattr(keys, "dense_shape"):
            return keys.with_values(self.lookup(keys.values))
        if self._key_dtype.hasobject:
            given = np.asarray(strings(function, keys))
        else:
            if holds_text(keys):
                raise TypeError(f"{function}: the keys are not of dtype {self.key_dtype!r}.")
            given = numbers(function, "keys", keys)
            if given.dtype.kind not in "iu":
                raise TypeError(f"{function}: the keys are not of dtype {self.key_dtype!r}.")
        values = [self._found(key) for key in given.ravel().tolist()]
        found = np.empty(given.shape, self._value_dtype)
        found.reshape(-1)[:] = values
        if self._value_dtype.hasobject:
            return host(found)
        check_width(found)
        return jnp.asarray(found, canonical_dtype(self._value_dtype))

    def __getitem__(self, keys):
        return self.lookup(keys)

    def size(self, name=None):
        """Return the number of keys."""
        return jnp.asarray(self._count(), canonical_dtype(np.int64))

    def _count(self) -> int:
        return len(self._contents)


class StaticHashTable(_Table):
    """A table that does not change.

    Args:
      initializer: the contents.
      default_value: the value of all other keys.
      name: the name.
      experimental_is_anonymous: ignored.

    Raises:
      FailedPreconditionError: a key has two values.
      TypeError: the dtype of the default value differs from the dtype of the values.

    Differs from TensorFlow:
      The table is a dictionary on the host.

    Under jit:
      The keys must be known.

    Example:
      >>> import shims
      >>> contents = shims.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
      >>> shims.lookup.StaticHashTable(contents, -1).lookup(["b", "c"]).tolist()
      [2, -1]

    https://www.tensorflow.org/api_docs/python/tf/lookup/StaticHashTable
    """

    __module__ = "shims.lookup"

    def __init__(self, initializer, default_value, name=None, experimental_is_anonymous=False):
        self.name = name or "hash_table"
        self._contents = initializer.contents()
        self._key_dtype = initializer.key_dtype.dtype
        self._value_dtype = initializer.value_dtype.dtype
        default = _on_host(
            "lookup.StaticHashTable", "default_value", default_value, self._value_dtype
        )
        self._default = default.item()

    @property
    def default_value(self):
        """The value of missing keys."""
        return host(self._default) if self._value_dtype.hasobject else jnp.asarray(self._default)

    def _found(self, key):
        return self._contents.get(key, self._default)

    def export(self, name=None):
        """Return all keys and values, in any order."""
        keys = np.array([*self._contents], self._key_dtype)
        values = np.array([*self._contents.values()], self._value_dtype)
        return tuple(
            host(x) if x.dtype.hasobject else jnp.asarray(x, canonical_dtype(x.dtype))
            for x in (keys, values)
        )


class StaticVocabularyTable(_Table):
    """A table of ids in which other strings are hashed into buckets after the known ids.

    Args:
      initializer: the contents, with integers as values; `None` to hash all keys.
      num_oov_buckets: the number of buckets for other keys.
      lookup_key_dtype: the dtype of keys to look up; the dtype of the contents when `None`.
      name: the name.
      experimental_is_anonymous: ignored.

    Raises:
      TypeError: the values are not int64.
      ValueError: the number of buckets is not positive.

    Differs from TensorFlow:
      Ids are int32 unless `jax_enable_x64` is on.

    Under jit:
      The keys must be known.

    https://www.tensorflow.org/api_docs/python/tf/lookup/StaticVocabularyTable
    """

    __module__ = "shims.lookup"

    def __init__(
        self,
        initializer,
        num_oov_buckets,
        lookup_key_dtype=None,
        name=None,
        experimental_is_anonymous=False,
    ):
        if num_oov_buckets <= 0:
            raise ValueError("`num_oov_buckets` must be > 0; use StaticHashTable.")
        self.name = name or "vocabulary_table"
        self._buckets = num_oov_buckets
        self._contents, self._key_dtype = {}, string.dtype
        if initializer is not None:
            if initializer.value_dtype.dtype not in (np.int64, canonical_dtype(np.int64)):
                raise TypeError(
                    f"Invalid `value_dtype`: expected int64 but got {initializer.value_dtype}."
                )
            self._contents = initializer.contents()
            self._key_dtype = initializer.key_dtype.dtype
        elif lookup_key_dtype is not None:
            self._key_dtype = as_numpy_dtype(lookup_key_dtype)
        self._value_dtype = np.dtype(np.int64)

    def _found(self, key):
        if key in self._contents:
            return self._contents[key]
        text = key if isinstance(key, bytes) else str(key).encode()
        return len(self._contents) + farm(text) % self._buckets

    def _count(self) -> int:
        return len(self._contents) + self._buckets
