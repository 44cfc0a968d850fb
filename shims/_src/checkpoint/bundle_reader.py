"""The tensors of a checkpoint, read from its files."""

from __future__ import annotations

import math
import os

import numpy as np

from shims._src import errors
from shims._src.checkpoint import element_types
from shims._src.checkpoint.crc32c import crc32c, mask
from shims._src.checkpoint.entry import HEADER_KEY, Entry, Header, Place
from shims._src.checkpoint.file_names import data_path, index_path
from shims._src.checkpoint.slice_keys import slice_key
from shims._src.checkpoint.string_tensors import strings_of
from shims._src.checkpoint.table import is_table, table_items
from shims._src.checkpoint.wire import Malformed

_COPY = "take the file from another copy, or an older checkpoint"


class BundleReader:
    """What a checkpoint holds. The index is read at once, tensors when they are asked for.

    Args:
      prefix: the path of the checkpoint, without `.index`.

    Attributes:
      entries: what the index says, by key; pieces of partitioned variables have keys of their own.

    Raises:
      NotFoundError: there is no such checkpoint.
      DataLossError: the index is damaged.
      UnimplementedError: it is of a kind that is not read here.
    """

    def __init__(self, prefix: str):
        self.prefix = prefix
        data = _index_bytes(prefix)
        try:
            items = dict(table_items(data))
            if HEADER_KEY not in items:
                raise Malformed("it has no header")
            self._header = Header.from_bytes(items.pop(HEADER_KEY))
            self.entries = {key: Entry.from_bytes(value) for key, value in items.items()}
        except Malformed as fault:
            raise _damaged(index_path(prefix), str(fault)) from None
        _check_header(self._header, prefix)
        parts = {slice_key(k, s) for k, e in self.entries.items() for s in e.slices}
        self._names = {_text(key): key for key in self.entries if key not in parts}

    @property
    def names(self) -> list[str]:
        """The names of all tensors, sorted; a partitioned variable is one."""
        return list(self._names)

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def entry(self, name: str) -> Entry:
        """What the index says of a tensor.

        Raises:
          NotFoundError: there is no tensor of this name.
        """
        key = self._names.get(name)
        if key is None:
            raise errors.NotFoundError(f"Key {name} not found in checkpoint {self.prefix}")
        return self.entries[key]

    def read(self, name: str, place: Place | None = None) -> np.ndarray:
        """The value of a tensor, in memory of its own.

        Args:
          name: of the tensor.
          place: start and length on each axis of a piece that lies in it; all of it if `None`.

        Raises:
          NotFoundError: there is no tensor of this name, or no file with its data.
          DataLossError: its data is damaged, or not all of it was written.
          UnimplementedError: NumPy has no arrays of its dtype.
        """
        entry = self.entry(name)
        dtype = dtype_of(name, entry)
        try:
            if place in entry.slices:
                return self._whole(self._piece(name, place), dtype)
            if entry.slices:
                whole = self._partitioned(name, entry, dtype)
            else:
                whole = self._whole(entry, dtype)
        except Malformed as fault:
            path = data_path(self.prefix, entry.shard, self._header.shards)
            raise _damaged(path, f"in tensor {name!r}, {fault}") from None
        return whole if place is None else whole[_slices(place, entry.shape)]

    def _piece(self, name: str, extents: Place) -> Entry:
        piece = self.entries.get(slice_key(self._names[name], extents))
        if piece is None:
            raise Malformed("a piece of it is not in the index")
        return piece

    def _partitioned(self, name: str, entry: Entry, dtype: np.dtype) -> np.ndarray:
        array = np.empty(entry.shape, dtype)
        covered = np.zeros(entry.shape, bool)
        for extents in entry.slices:
            piece = self._piece(name, extents)
            place = _slices(extents, entry.shape)
            if piece.dtype != entry.dtype or covered[place].shape != piece.shape:
                raise Malformed("a piece of it has another dtype or shape")
            array[place] = self._whole(piece, dtype)
            covered[place] = True
        if not covered.all():
            raise Malformed("the pieces do not cover it")
        return array

    def _whole(self, entry: Entry, dtype: np.dtype) -> np.ndarray:
        count = math.prod(entry.shape)
        if entry.dtype == element_types.STRING:
            array, checksum = strings_of(self._bytes(entry).tobytes(), count)
        else:
            if entry.size != count * dtype.itemsize:
                raise Malformed(f"{entry.size} bytes are no {count} elements of {dtype.name}")
            data = self._bytes(entry)
            array, checksum = data.view(dtype), crc32c(data)
        if mask(checksum) != entry.checksum:
            raise Malformed(f"the checksum of the {entry.size} bytes at {entry.offset} is wrong")
        return array.reshape(entry.shape)

    def _bytes(self, entry: Entry) -> np.ndarray:
        """The bytes of a tensor, unchecked."""
        if entry.shard >= self._header.shards:
            raise Malformed(f"the index names file {entry.shard} of {self._header.shards}")
        path = data_path(self.prefix, entry.shard, self._header.shards)
        try:
            with open(path, "rb") as file:
                left = os.fstat(file.fileno()).st_size - entry.offset
                if left < entry.size:
                    raise Malformed(f"{entry.size} bytes at {entry.offset} are cut off")
                file.seek(entry.offset)
                data = np.empty(entry.size, np.uint8)
                if file.readinto(memoryview(data)) != entry.size:
                    raise Malformed(f"{entry.size} bytes at {entry.offset} are cut off")
                return data
        except FileNotFoundError:
            raise errors.NotFoundError(
                errors.message(
                    "",
                    f"{path}; No such file or directory",
                    required=f"{self.prefix}.index, and beside it as many files of data as it "
                    f"names: {self._header.shards}",
                    do="copy the files of a checkpoint together",
                )
            ) from None


def _index_bytes(prefix: str) -> bytes:
    try:
        with open(index_path(prefix), "rb") as file:
            return file.read()
    except FileNotFoundError:
        pass
    if not os.path.isfile(prefix):
        raise errors.NotFoundError(f"Failed to find any matching files for {prefix}")
    with open(prefix, "rb") as file:
        file.seek(max(0, os.path.getsize(prefix) - 48))
        tail = file.read()
    if is_table(tail) and not prefix.endswith(".index"):
        raise errors.UnimplementedError(
            errors.message(
                "",
                f"{prefix} is a checkpoint of TensorFlow's first format.",
                required="files PREFIX.index and PREFIX.data-00000-of-00001",
                do="restore it with TensorFlow and save it with `SaverDef.V2`",
            )
        )
    raise errors.DataLossError(
        errors.message(
            "",
            f"Unable to open table file {prefix}: it is not a checkpoint.",
            required="the path without `.index`, `.meta` and `.data-00000-of-00001`",
            received=prefix,
        )
    )


def _check_header(header: Header, prefix: str) -> None:
    if header.big_endian:
        problem = "its numbers begin with their highest byte (it was written on such a machine)"
    elif header.is_newer:
        problem = f"it demands version {header.min_consumer} of the format, and 1 is read here"
    else:
        return
    raise errors.UnimplementedError(
        errors.message(
            "",
            f"{prefix} cannot be read: {problem}.",
            do="restore it with TensorFlow where it was written, and save the arrays",
        )
    )


def dtype_of(name: str, entry: Entry) -> np.dtype:
    """NumPy's dtype of a tensor.

    Raises:
      UnimplementedError: it has none of it.
    """
    dtype = element_types.numpy_dtype(entry.dtype)
    if dtype is None:
        raise errors.UnimplementedError(
            f"Data type not supported: tensor {name!r} is of"
            f" {element_types.name_of(entry.dtype)}, and NumPy has no arrays of it"
        )
    return dtype


def _slices(extents: Place, shape: tuple[int, ...]) -> tuple[slice, ...]:
    if len(extents) != len(shape):
        raise Malformed("a piece of it has another rank")
    return tuple(slice(None) if e is None else slice(e[0], e[0] + e[1]) for e in extents)


def _text(key: bytes) -> str:
    """A key as text; bytes that are none survive there and back."""
    return key.decode(errors="surrogateescape")


def _damaged(path: str, problem: str) -> errors.DataLossError:
    return errors.DataLossError(errors.message("", f"{path} is damaged: {problem}.", do=_COPY))
