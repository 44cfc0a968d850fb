"""Read and write the safetensors format: named arrays and text metadata in one file without code.

Eight bytes give the length of a JSON header, the rest is array data. It is implemented here, in a few
lines, so a golden can be read with JAX alone; the tests check it against the library
`safetensors` in both directions. Reading is strict: bytes that this module would not have written
are rejected.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import ml_dtypes
import numpy as np

# The format's names of types. It has none for complex numbers: `document` writes them as pairs.
_NAMES = {
    "bool": "BOOL",
    "uint8": "U8",
    "int8": "I8",
    "uint16": "U16",
    "int16": "I16",
    "uint32": "U32",
    "int32": "I32",
    "uint64": "U64",
    "int64": "I64",
    "float16": "F16",
    "bfloat16": "BF16",
    "float32": "F32",
    "float64": "F64",
    "float8_e4m3fn": "F8_E4M3",
    "float8_e5m2": "F8_E5M2",
}
_DTYPES = {
    code: np.dtype(getattr(ml_dtypes, name, None) or name).newbyteorder("<")
    for name, code in _NAMES.items()
}
_LENGTH, _ALIGNMENT = 8, 8
MOST_HEADER = 64 << 20


class DamagedError(Exception):
    """The error for bytes that are not a valid file of this format; the message says where."""


def holds(dtype: np.dtype) -> bool:
    """Return whether the format can store a dtype."""
    return dtype.name in _NAMES


def dumps(arrays: Mapping[str, np.ndarray], metadata: Mapping[str, str]) -> bytes:
    """Serialize arrays and metadata; equal contents give equal bytes.

    Args:
      arrays: a dict from names to arrays; `holds` must be true of their dtypes.
      metadata: a dict from keys to texts.
    """
    data: list[bytes] = []
    entries: dict[str, Any] = {"__metadata__": dict(sorted(metadata.items()))}
    begin = 0
    # The widest types first, as the format asks, so that every array is aligned.
    for name in sorted(arrays, key=lambda name: (-arrays[name].dtype.itemsize, name)):
        array = arrays[name]
        code = _NAMES[array.dtype.name]
        data.append(np.ascontiguousarray(array, _DTYPES[code]).tobytes())
        offsets = [begin, begin + len(data[-1])]
        entries[name] = {"dtype": code, "shape": list(array.shape), "data_offsets": offsets}
        begin = offsets[1]
    header = _make_header(entries)
    return b"".join([len(header).to_bytes(_LENGTH, "little"), header, *data])


def loads(data: bytes) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Parse the arrays and the metadata of a file that `dumps` wrote.

    Raises:
      DamagedError: `dumps` cannot have written these bytes.
    """
    if len(data) < _LENGTH:
        raise DamagedError(f"the file ends after {len(data)} bytes")
    length = int.from_bytes(data[:_LENGTH], "little")
    if length > MOST_HEADER:
        raise DamagedError(
            "the first bytes of the file are not the beginning of a safetensors file"
        )
    if len(data) < _LENGTH + length:
        raise DamagedError("the file ends in the middle of the header")
    entries = _parse_header(data[_LENGTH : _LENGTH + length])
    body = memoryview(data)[_LENGTH + length :]
    metadata = entries.pop("__metadata__")
    arrays, end = {}, 0
    for name, entry in entries.items():
        arrays[name], end = _read_array(name, entry, body, end)
    if end != len(body):
        raise DamagedError(f"{len(body) - end} bytes follow after the last array")
    return arrays, metadata


def _make_header(entries: Mapping[str, Any]) -> bytes:
    text = json.dumps(entries, separators=(",", ":"), ensure_ascii=False).encode()
    return text + b" " * (-len(text) % _ALIGNMENT)


def _parse_header(header: bytes) -> dict[str, Any]:
    try:
        entries = json.loads(header.decode())
    except (ValueError, RecursionError) as error:
        raise DamagedError(f"the header of the file cannot be read: {error}") from None
    known = isinstance(entries, dict) and isinstance(entries.get("__metadata__"), dict)
    if not known or _make_header(entries) != header:
        raise DamagedError("the header of the file was changed")
    if not all(isinstance(text, str) for text in entries["__metadata__"].values()):
        raise DamagedError("the header of the file was changed")
    return entries


def _read_array(name: str, entry: Any, body: memoryview, begin: int) -> tuple[np.ndarray, int]:
    """Read the array that begins at offset `begin`; return the array and its end offset.

    entry: the array's entry in the header, with dtype, shape and offsets.
    """
    try:
        dtype = _DTYPES[entry["dtype"]]
        shape = [int(size) for size in entry["shape"]]
        first, last = (int(offset) for offset in entry["data_offsets"])
    except (KeyError, TypeError, ValueError):
        raise DamagedError(f"the header of the file does not describe the array {name}") from None
    count = dtype.itemsize
    for size in shape:
        count *= size
    if first != begin or last - first != count or min([0, *shape]) < 0:
        raise DamagedError(f"the array {name} is not where the header says")
    if last > len(body):
        raise DamagedError(f"the file ends in the middle of the array {name}")
    array = np.frombuffer(body[first:last], dtype).reshape(shape)
    array.flags.writeable = False
    return array, last
