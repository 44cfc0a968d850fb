"""Read checkpoints of TensorFlow's V1 format: a single table whose keys are tensor slices.

TensorFlow wrote this format until 2017, and the weights of well-known models are still published in it.
"""

from __future__ import annotations

import math

import numpy as np

from shims._src.checkpoint import element_types
from shims._src.checkpoint.entry import HEADER_KEY, Entry, Place, extents_of, shape_of
from shims._src.checkpoint.slice_keys import slice_key
from shims._src.checkpoint.table import table_items
from shims._src.checkpoint.tensor_reader import TensorReader, damaged
from shims._src.checkpoint.wire import Malformed, bytes_of, fields, number_of, varints

# Fields of `SavedTensorSlices`, of its metadata, and of one slice.
_META, _DATA = 1, 2
_TENSOR = 1
_NAME, _SHAPE, _DTYPE, _SLICE = 1, 2, 3, 4
_VALUE = 3
# Fields of `TensorProto`: strings, fixed-size numbers and varints.
_STRINGS = 8
_FIXED = {"float32": 5, "float64": 6, "complex64": 9, "complex128": 12}
_SMALL = {"int64": 10, "bool": 11, "float16": 13, "bfloat16": 13}
_INTEGERS = 7


class FirstFormatReader(TensorReader):
    """A reader of a V1 checkpoint, whose file is kept in memory.

    Args:
      path: the path of the file.

    Raises:
      DataLossError: the file is damaged.
    """

    def __init__(self, path: str):
        with open(path, "rb") as file:
            data = file.read()
        entries: dict[bytes, Entry] = {}
        self._places: dict[bytes, Place] = {}
        try:
            self._items = dict(table_items(data))
            for tensor in _field_bytes(
                _first_field_bytes(self._items.get(HEADER_KEY, b""), _META), _TENSOR
            ):
                entries.update(self._entries_of(tensor))
        except Malformed as fault:
            raise damaged(path, str(fault)) from None
        super().__init__(path, dict(sorted(entries.items())))

    def _entries_of(self, tensor: bytes) -> dict[bytes, Entry]:
        """Decode the metadata message of a tensor to index entries: its own, and one per slice."""
        name, shape = (
            _first_field_bytes(tensor, _NAME),
            shape_of(_first_field_bytes(tensor, _SHAPE)),
        )
        dtype = next((number_of(v) for n, v in fields(tensor) if n == _DTYPE), 0)
        places = tuple(extents_of(data) for data in _field_bytes(tensor, _SLICE))
        if places == ((None,) * len(shape),):
            self._places[name] = places[0]
            return {name: Entry(dtype, shape)}
        entries = {name: Entry(dtype, shape, slices=places)}
        for place in places:
            if len(place) != len(shape):
                raise Malformed("a slice and the whole tensor have different ranks")
            sizes = (n if e is None else e[1] for e, n in zip(place, shape))
            entries[slice_key(name, place)] = Entry(dtype, tuple(sizes))
        return entries

    def _file_of(self, entry: Entry) -> str:
        return self.prefix

    def _stored(self, key: bytes, dtype: np.dtype) -> np.ndarray:
        entry = self.entries[key]
        place = self._places.get(key)
        item = self._items.get(key if place is None else slice_key(key, place))
        if item is None:
            raise Malformed("the data of the tensor is missing")
        tensor = _first_field_bytes(_first_field_bytes(item, _DATA), _VALUE)
        values = _decode_values(tensor, entry.dtype, dtype)
        if len(values) != math.prod(entry.shape):
            raise Malformed(
                f"{len(values)} elements are stored, but shape {list(entry.shape)} is declared"
            )
        return values.reshape(entry.shape)


def _decode_values(tensor: bytes, number: int, dtype: np.dtype) -> np.ndarray:
    """Decode the elements of a `TensorProto` as a vector."""
    name = element_types.name_of(number)
    if number == element_types.STRING:
        strings = _field_bytes(tensor, _STRINGS)
        values = np.empty(len(strings), object)
        values[:] = strings
        return values
    if name in _FIXED:
        data = b"".join(_field_bytes(tensor, _FIXED[name]))
        if len(data) % dtype.itemsize:
            raise Malformed("an element is cut off")
        return np.frombuffer(data, dtype).copy()
    small = varints(b"".join(_field_bytes(tensor, _SMALL.get(name, _INTEGERS))))
    if name in ("float16", "bfloat16"):
        return small.astype(np.uint16).view(dtype)
    return small.astype(dtype)


def _field_bytes(data: bytes, number: int) -> list[bytes]:
    """Return a list of the contents of all fields with the field number `number`."""
    return [bytes_of(value) for n, value in fields(data) if n == number]


def _first_field_bytes(data: bytes, number: int) -> bytes:
    return next(iter(_field_bytes(data, number)), b"")
