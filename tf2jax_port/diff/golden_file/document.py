"""Read and write goldens: a JSON document and the arrays that it refers to.

An array is stored under the fingerprint of its type, shape and bytes: equal arrays are stored once,
and a reader can check that an array is unchanged. The document itself is protected by a checksum.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tf2jax_port.diff.functions.loading import DiffError
from tf2jax_port.diff.golden_file import safetensors_file
from tf2jax_port.diff.golden_file.safetensors_file import DamagedError
from tf2jax_port.diff.values.arguments import Slot
from tf2jax_port.paths.whole_files import write_whole

FORMAT = 1
MOST_BYTES = 64 << 20

_DOCUMENT, _CHECKSUM = "tf2jax-port", "sha256"
_KIND = {"format": "tf2jax-port golden"}
_DIGITS = 32
_PLAIN = (str, int, bool, type(None))


class Store:
    """A dict from fingerprints to arrays."""

    def __init__(self, arrays: Mapping[str, np.ndarray] | None = None) -> None:
        self.arrays = dict(arrays or {})

    def put(self, array: np.ndarray | None) -> Any:
        """Store an array; return the text by which the golden's document refers to it.

        The text is the key of the array, followed by the dtype if that is complex; `None` for `None`.

        Raises:
          DiffError: the file format does not support the dtype.
        """
        if array is None:
            return None
        words = ""
        if array.dtype.kind == "c":
            words = array.dtype.name
            half = np.float32 if array.dtype.itemsize == 8 else np.float64
            array = np.stack([array.real, array.imag], axis=-1).astype(half)
        if not safetensors_file.holds(array.dtype):
            raise DiffError(
                f"goldens: an array of {array.dtype.name} cannot be stored.\n"
                "  Required: booleans, integers, floats or complex numbers"
            )
        key = _array_key(array)
        self.arrays[key] = array
        return f"{key}:{words}" if words else key

    def get(self, entry: Any) -> np.ndarray | None:
        """Return the array that an entry of the document refers to.

        Raises:
          DamagedError: no such array is stored.
        """
        if entry is None:
            return None
        key, _, words = str(entry).partition(":")
        array = self.arrays.get(key)
        if array is None:
            raise DamagedError("an array is missing")
        if not words:
            return array
        joined = np.empty(array.shape[:-1], words)
        joined.real, joined.imag = array[..., 0], array[..., 1]
        joined.flags.writeable = False
        return joined


def write(path: Path, document: Mapping[str, Any], store: Store, most: int = MOST_BYTES) -> None:
    """Write a golden's document and arrays to a file atomically.

    Raises:
      DiffError: the file would be too large, or cannot be written.
    """
    data = to_bytes(document, store)
    if len(data) > most:
        raise DiffError(
            f"{path}: the golden would be too large, {_format_size(len(data))}.\n  Required: at most "
            f"{_format_size(most)}\n  Do:       record fewer or smaller cases (--case N), or allow more (--most-mb N)"
        )
    try:
        write_whole(path, data)
    except OSError as error:
        raise DiffError(f"{path}: the golden cannot be written.\n  Received: {error}") from error


def to_bytes(document: Mapping[str, Any], store: Store) -> bytes:
    """Serialize a golden's document and its arrays."""
    text = json.dumps(document, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    metadata = {**_KIND, _DOCUMENT: text, _CHECKSUM: _checksum(text)}
    return safetensors_file.dumps(store.arrays, metadata)


def read(path: Path, most: int = MOST_BYTES) -> tuple[dict[str, Any], Store]:
    """Read a golden's document and its arrays.

    Raises:
      DiffError: there is no such file, or its contents were changed.
    """
    try:
        if path.stat().st_size > most:
            raise DiffError(
                f"{path}: the golden is too large, {_format_size(path.stat().st_size)}.\n  Required: at most "
                f"{_format_size(most)}\n  Do:       allow more (--most-mb N)"
            )
        data = path.read_bytes()
    except OSError as error:
        raise DiffError(
            f"{path}: the golden cannot be read.\n  Received: {error.strerror}"
        ) from error
    try:
        return from_bytes(data)
    except DamagedError as error:
        raise DiffError(
            f"{path}: this golden is damaged and cannot be used.\n"
            f"  Received: {error}\n"
            "  Do:       copy it again from its source, or record it again"
        ) from error


def from_bytes(data: bytes) -> tuple[dict[str, Any], Store]:
    """Parse a golden's document and its arrays, and check that they are unchanged.

    Raises:
      DamagedError: something was changed.
    """
    arrays, metadata = safetensors_file.loads(data)
    text = metadata.get(_DOCUMENT)
    if text is None:
        raise DamagedError("the file was not written by tf2jax-port")
    if metadata != {**_KIND, _DOCUMENT: text, _CHECKSUM: _checksum(text)}:
        raise DamagedError("the metadata of the file was changed")
    for key, array in arrays.items():
        if _array_key(array) != key:
            raise DamagedError(f"the numbers of the array {key} were changed")
    document: dict[str, Any] = json.loads(text)
    if document.get("format") != FORMAT:
        raise DamagedError(
            f"the file has format {document.get('format')}, but this version of tf2jax-port reads format {FORMAT}"
        )
    return document, Store(arrays)


def pack(value: Any) -> Any:
    """Convert an argument, with a `Slot` in place of each array, to JSON.

    Raises:
      DiffError: the argument has a type that JSON cannot represent.
    """
    if isinstance(value, Slot):
        return {"slot": value.index}
    if type(value) in _PLAIN:
        return value
    if type(value) is float:
        return value if math.isfinite(value) else {"float": repr(value)}
    if type(value) is complex:
        return {"complex": [pack(value.real), pack(value.imag)]}
    if type(value) in (list, tuple):
        return {type(value).__name__: [pack(part) for part in value]}
    if type(value) is dict:
        return {"dict": [[pack(key), pack(part)] for key, part in value.items()]}
    raise DiffError(
        f"goldens: an argument is a {type(value).__name__}, which cannot be stored without code.\n"
        "  Required: arrays, numbers, text and None, in lists, tuples and dictionaries"
    )


def unpack(value: Any) -> Any:
    """Restore a value that `pack` converted to JSON."""
    if not isinstance(value, dict):
        return value
    ((kind, inside),) = value.items()
    if kind == "slot":
        return Slot(inside)
    if kind == "float":
        return float(inside)
    if kind == "complex":
        return complex(*(unpack(part) for part in inside))
    if kind == "dict":
        return {unpack(key): unpack(part) for key, part in inside}
    return {"list": list, "tuple": tuple}[kind](unpack(part) for part in inside)


def _array_key(array: np.ndarray) -> str:
    state = hashlib.sha256(f"{array.dtype.name}{list(array.shape)}".encode())
    state.update(np.ascontiguousarray(array).tobytes())
    return state.hexdigest()[:_DIGITS]


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _format_size(count: int) -> str:
    return f"{count / (1 << 20):.1f} MiB" if count >= 1 << 20 else f"{count} bytes"
