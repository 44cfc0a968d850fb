"""Provide the string operators of TensorFlow 1 whose parameters or results differ in version 2."""

from __future__ import annotations

import numpy as np

from shims._src.data.elements import ragged
from shims._src.sparse.tensor import unchecked
from shims._src.strings import elements, numbers, splitting
from shims._src.strings.operands import strings
from shims._src.types.host_tensor import host


def string_split(
    source, sep=None, skip_empty=True, delimiter=None, result_type="SparseTensor", name=None
):
    """Split each string of a vector at each character of `sep`.

    Args:
      source: a vector of strings.
      sep: the separators, one character each; a space by default. With `""`, strings are split into bytes.
      skip_empty: whether to leave out empty parts.
      delimiter: another name of `sep`.
      result_type: `"SparseTensor"` or `"RaggedTensor"`.
      name: the name of the operation.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/string_split
    """
    given = delimiter if sep is None else sep
    separators = b" " if given is None else np.asarray(strings("string_split", given)).item()
    texts = np.atleast_1d(np.asarray(strings("string_split", source))).tolist()
    rows = [_parts(text, separators) for text in texts]
    if skip_empty:
        rows = [[part for part in row if part] for row in rows]
    return _of_type(rows, result_type)


def _parts(text: bytes, separators: bytes) -> list[bytes]:
    if not separators:
        return [text[i : i + 1] for i in range(len(text))]
    for separator in separators[1:]:
        text = text.replace(bytes([separator]), separators[:1])
    return text.split(separators[:1])


def split(input=None, sep=None, maxsplit=-1, result_type="SparseTensor", source=None, name=None):
    """Split each string of a vector; see `tf.strings.split` of TensorFlow 2.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/strings/split
    """
    given = np.atleast_1d(np.asarray(strings("strings.split", source if input is None else input)))
    found = splitting.split(given, sep, maxsplit)
    if result_type.upper() == "RAGGEDTENSOR":
        return found
    return _sparse(found.to_list())


def _of_type(rows: list[list[bytes]], result_type: str):
    if result_type.upper() == "SPARSETENSOR":
        return _sparse(rows)
    return _ragged(rows)


def _sparse(rows: list[list[bytes]]):
    """Return a sparse tensor of rows of strings, which is as wide as the longest row."""
    indices = [(i, j) for i, row in enumerate(rows) for j in range(len(row))]
    values = np.array([part for row in rows for part in row] or [b""], object)[: len(indices)]
    width = max(map(len, rows), default=0)
    return unchecked(
        host(np.array(indices, np.int64).reshape(-1, 2)),
        host(values),
        host(np.array([len(rows), width], np.int64)),
    )


def _ragged(rows: list[list[bytes]]):
    flat = [part for row in rows for part in row]
    values = np.array(flat or [b""], object)[: len(flat)]
    return ragged(host(values), np.cumsum([0, *map(len, rows)]))


def substr(input, pos, len, name=None, unit="BYTE"):
    """Return the part of each string that starts at `pos` and has `len` bytes or characters.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/substr
    """
    return elements.substr(input, pos, len, unit)


def string_to_number(string_tensor=None, out_type=np.float32, name=None, input=None):
    """Read each string as a number.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/string_to_number
    """
    return numbers.to_number(input if string_tensor is None else string_tensor, out_type)
