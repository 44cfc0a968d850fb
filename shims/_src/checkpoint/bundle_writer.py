"""Write the tensors of a checkpoint in TensorFlow's format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np

from shims._src.checkpoint import element_types
from shims._src.checkpoint.crc32c import crc32c, mask
from shims._src.checkpoint.entry import HEADER_KEY, Entry, Header
from shims._src.checkpoint.partitioned import Partitioned
from shims._src.checkpoint.replacing import new_bundle
from shims._src.checkpoint.slice_keys import slice_key
from shims._src.checkpoint.string_tensors import string_bytes
from shims._src.checkpoint.table import table_bytes
from shims._src.errors import errors

_Entries = dict[bytes, Entry]


def write_bundle(prefix: str, tensors: Mapping[str, Any]) -> None:
    """Write a checkpoint atomically.

    If writing is interrupted, an existing checkpoint of the same name stays readable until the new one
    is complete.

    Args:
      prefix: the path of the checkpoint, without `.index`; its folder is created if needed.
      tensors: a mapping from names to array-likes or `Partitioned`, in the order in which the data is
        written. Arrays of `str`, of `bytes` or of either as objects are strings.

    Raises:
      NotFoundError: the folder cannot be created because its parent does not exist.
      InvalidArgumentError: a name is empty, or TensorFlow has no dtype for an array.
    """
    entries: _Entries = {}
    with new_bundle(prefix) as (file, commit):
        for name, value in tensors.items():
            _write_variable(file, _encode_key(name), name, value, entries)
        items = [(key, entry.to_bytes()) for key, entry in sorted(entries.items())]
        commit(lambda shards: _encode_index(shards, items))


def _encode_index(shards: int, items: list[tuple[bytes, bytes]]) -> bytes:
    return table_bytes([(HEADER_KEY, Header(shards).to_bytes()), *items])


def _write_variable(file: BinaryIO, key: bytes, name: str, value, entries: _Entries) -> None:
    if isinstance(value, Partitioned) and np.shape(value.pieces[0][1]) == tuple(value.shape):
        value = value.pieces[0][1]  # TensorFlow does not treat the whole as a slice
    if not isinstance(value, Partitioned):
        entries[key] = _write_array(file, name, value)
        return
    slices = []
    for starts, piece in value.pieces:
        entry = _write_array(file, name, piece)
        extents = tuple(zip(starts, entry.shape))
        entries[slice_key(key, extents)] = entry
        slices.append(extents)
    entries[key] = Entry(entry.dtype, tuple(value.shape), slices=tuple(slices))


def _write_array(file: BinaryIO, name: str, value) -> Entry:
    """Append an array to a file and return its index entry."""
    array = np.asarray(value)
    number = element_types.number_of(array.dtype)
    if number is None:
        raise _write_error(name, f"TensorFlow has no dtype {array.dtype}")
    if number == element_types.STRING:
        try:
            strings, checksum = string_bytes(array)
        except TypeError as fault:
            raise _write_error(name, str(fault)) from None
        data = np.frombuffer(strings, np.uint8)
    else:
        # Little-endian, as on every machine that JAX runs on.
        flat = np.ascontiguousarray(array.reshape(-1), array.dtype.newbyteorder("="))
        data = flat.view(np.uint8)
        checksum = crc32c(data)
    offset = file.tell()
    file.write(data.data)
    return Entry(number, array.shape, 0, offset, len(data), mask(checksum))


def _encode_key(name: str) -> bytes:
    if not name:
        raise _write_error(name, "a name must not be empty")
    return name.encode(errors="surrogateescape")


def _write_error(name: str, problem: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(
        errors.message("", f"{name!r} cannot be written to a checkpoint: {problem}.")
    )
