"""Map variable names to the object-based checkpoint keys that TensorFlow 2 writes."""

from __future__ import annotations

from collections.abc import Iterator

from shims._src.checkpoint.tensor_reader import TensorReader
from shims._src.checkpoint.wire import Malformed, bytes_of, fields
from shims._src.errors import errors

_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"
_NODES, _ATTRIBUTES = 1, 2
_FULL_NAME, _CHECKPOINT_KEY = 2, 3


def keys_by_name(bundle: TensorReader) -> dict[str, str] | None:
    """Return the checkpoint key of each variable name; `None` for a TensorFlow 1 checkpoint.

    Args:
      bundle: the reader of the checkpoint.

    Raises:
      DataLossError: the object graph is damaged.
    """
    if _KEY not in bundle:
        return None
    found = {}
    try:
        for node in _messages(bundle.read(_KEY).item(), _NODES):
            for attribute in _messages(node, _ATTRIBUTES):
                texts = dict(fields(attribute))
                found[_decode_text(texts, _FULL_NAME)] = _decode_text(texts, _CHECKPOINT_KEY)
    except Malformed as fault:
        raise errors.DataLossError(
            errors.message("", f"{bundle.prefix}: the tensor {_KEY} is damaged: {fault}.")
        ) from None
    return found


def _messages(data: bytes, number: int) -> Iterator[bytes]:
    """Yield the contents of all fields with the field number `number`."""
    return (bytes_of(value) for n, value in fields(data) if n == number)


def _decode_text(texts: dict[int, int | bytes], number: int) -> str:
    return bytes_of(texts.get(number, b"")).decode(errors="surrogateescape")
