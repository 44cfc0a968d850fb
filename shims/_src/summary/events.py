"""Encode the events of TensorBoard's files: protocol buffers `Event`, `Summary` and their parts."""

from __future__ import annotations

import struct
import time

import numpy as np

from shims._src.checkpoint import wire
from shims._src.data.tensor_bytes import serialize_tensor

_VERSION, _WRITER = b"brain.Event:2", b"tensorflow.core.util.events_writer"
_UINT64 = (1 << 64) - 1


def first_event() -> bytes:
    """Return the event at the start of a file, which gives the version of the format."""
    source = wire.bytes_field(10, wire.bytes_field(1, _WRITER))
    return _time() + wire.bytes_field(3, _VERSION) + source


def summary_event(step: int, summary: bytes) -> bytes:
    """Return the event of a `Summary` at a step."""
    return _time() + wire.number_field(2, step & _UINT64) + wire.bytes_field(5, summary)


def summary_of(tag: str, tensor: np.ndarray, metadata: bytes) -> bytes:
    """Return a `Summary` of a tensor.

    Args:
      tag: the name that TensorBoard shows.
      tensor: numbers, or strings as `bytes` in an object array.
      metadata: an encoded `SummaryMetadata`.
    """
    value = wire.bytes_field(1, tag.encode())
    value += wire.bytes_field(8, serialize_tensor(tensor).numpy())
    return wire.bytes_field(1, value + (wire.bytes_field(9, metadata) if metadata else b""))


def metadata_of(plugin: str, description: str | None = None, content: bytes = b"") -> bytes:
    """Return the `SummaryMetadata` that says which part of TensorBoard shows a value."""
    data = wire.bytes_field(1, plugin.encode())
    data += wire.bytes_field(2, content) if content else b""
    text = wire.bytes_field(3, description.encode()) if description is not None else b""
    return wire.bytes_field(1, data) + text


def _time() -> bytes:
    return bytes([1 << 3 | wire.FIXED64]) + struct.pack("<d", time.time())
