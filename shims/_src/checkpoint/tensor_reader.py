"""Define the reader interface common to both checkpoint formats."""

from __future__ import annotations

import abc

import numpy as np

from shims._src.checkpoint import element_types
from shims._src.checkpoint.entry import Entry, Place
from shims._src.checkpoint.slice_keys import slice_key
from shims._src.checkpoint.wire import Malformed
from shims._src.errors import errors


class TensorReader(abc.ABC):
    """A checkpoint reader. The index is read at once; tensors are read on request.

    Args:
      prefix: the path of the checkpoint, without `.index`.
      entries: the index entries, by key.

    Attributes:
      prefix: the path of the checkpoint.
      entries: the index entries, by key; slices of partitioned variables have their own keys.
    """

    def __init__(self, prefix: str, entries: dict[bytes, Entry]):
        self.prefix, self.entries = prefix, entries
        parts = {slice_key(k, s) for k, e in entries.items() for s in e.slices}
        self._names = {_decode_key(key): key for key in entries if key not in parts}

    @abc.abstractmethod
    def _stored(self, key: bytes, dtype: np.dtype) -> np.ndarray:
        """Read the array stored under a key, and verify its checksum.

        Raises:
          Malformed: the data is damaged.
        """

    @abc.abstractmethod
    def _file_of(self, entry: Entry) -> str:
        """Return the path of the data file of an entry."""

    @property
    def names(self) -> list[str]:
        """The names of all tensors, sorted; a partitioned variable counts as one."""
        return list(self._names)

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def entry(self, name: str) -> Entry:
        """Return the index entry of a tensor.

        Raises:
          NotFoundError: the tensor does not exist.
        """
        key = self._names.get(name)
        if key is None:
            raise errors.NotFoundError(f"Key {name} not found in checkpoint {self.prefix}")
        return self.entries[key]

    def read(self, name: str, place: Place | None = None) -> np.ndarray:
        """Read the value of a tensor into a new array.

        Args:
          name: the name of the tensor.
          place: start and length per axis of a slice to read; the whole tensor when `None`.

        Raises:
          NotFoundError: the tensor or its data file does not exist.
          DataLossError: the data is damaged or incomplete.
          UnimplementedError: NumPy does not support its dtype.
        """
        entry = self.entry(name)
        key, dtype = self._names[name], dtype_of(name, entry)
        try:
            if place in entry.slices:
                return self._stored(slice_key(key, place), dtype)
            if entry.slices:
                whole = self._read_partitioned(key, entry, dtype)
            else:
                whole = self._stored(key, dtype)
        except Malformed as fault:
            raise damaged(self._file_of(entry), f"in tensor {name!r}, {fault}") from None
        return whole if place is None else whole[_as_slices(place, entry.shape)]

    def _read_partitioned(self, key: bytes, entry: Entry, dtype: np.dtype) -> np.ndarray:
        array = np.empty(entry.shape, dtype)
        covered = np.zeros(entry.shape, bool)
        for extents in entry.slices:
            piece_key = slice_key(key, extents)
            piece = self.entries.get(piece_key)
            if piece is None:
                raise Malformed("a slice of the tensor is not in the index")
            place = _as_slices(extents, entry.shape)
            if piece.dtype != entry.dtype or covered[place].shape != piece.shape:
                raise Malformed("a slice of the tensor has a different dtype or shape")
            array[place] = self._stored(piece_key, dtype)
            covered[place] = True
        if not covered.all():
            raise Malformed("the slices do not cover the whole tensor")
        return array


def dtype_of(name: str, entry: Entry) -> np.dtype:
    """Return the NumPy dtype of a tensor.

    Raises:
      UnimplementedError: NumPy does not support the dtype.
    """
    dtype = element_types.numpy_dtype(entry.dtype)
    if dtype is None:
        raise errors.UnimplementedError(
            f"Data type not supported: tensor {name!r} is of"
            f" {element_types.name_of(entry.dtype)}, and NumPy has no arrays of it"
        )
    return dtype


def no_checkpoint(prefix: str) -> errors.NotFoundError:
    """Return the error for a path without a checkpoint."""
    return errors.NotFoundError(f"Failed to find any matching files for {prefix}")


def damaged(path: str, problem: str) -> errors.DataLossError:
    """Return the error for a damaged file."""
    return errors.DataLossError(
        errors.message(
            "",
            f"{path} is damaged: {problem}.",
            do="use another copy of the file, or an older checkpoint",
        )
    )


def _as_slices(extents: Place, shape: tuple[int, ...]) -> tuple[slice, ...]:
    if len(extents) != len(shape):
        raise Malformed("a slice of the tensor has a different rank")
    return tuple(slice(None) if e is None else slice(e[0], e[0] + e[1]) for e in extents)


def _decode_key(key: bytes) -> str:
    """Decode a key as text; invalid UTF-8 survives a round trip."""
    return key.decode(errors="surrogateescape")
