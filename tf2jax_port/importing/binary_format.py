"""Decode protocol buffers in wire format to dictionaries."""

from __future__ import annotations

import struct
from typing import Any

from tf2jax_port.importing.schema import MESSAGES, Field, empty

_VARINT, _EIGHT, _LENGTH, _FOUR = 0, 1, 2, 5


class BrokenFileError(ValueError):
    """The error for a file that is damaged or has an unexpected format."""


def decode(data: bytes | memoryview, message: str) -> dict[str, Any]:
    """Decode a message to a dict from field names to values.

    Args:
      data: its bytes.
      message: its name in `schema.MESSAGES`.

    Raises:
      BrokenFileError: the bytes are truncated, or are not such a message.
    """
    found, fields, position, data = empty(message), MESSAGES[message], 0, memoryview(data)
    while position < len(data):
        key, position = _varint(data, position)
        wire = key & 7
        raw, position = _raw(data, position, wire)
        field = fields.get(key >> 3)
        if field is not None:
            _store_field(found, field, raw, wire)
    return found


def _varint(data: memoryview, position: int) -> tuple[int, int]:
    value = shift = 0
    while position < len(data) and shift < 70:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7
    raise BrokenFileError("the file ends in the middle of a number, or is no protocol buffer")


def _raw(data: memoryview, position: int, wire: int) -> tuple[Any, int]:
    if wire == _VARINT:
        return _varint(data, position)
    if wire == _LENGTH:
        size, position = _varint(data, position)
    elif wire in (_EIGHT, _FOUR):
        size = 8 if wire == _EIGHT else 4
    else:
        raise BrokenFileError(f"wire type {wire} is none of a protocol buffer")
    if position + size > len(data):
        raise BrokenFileError("the file ends in the middle of a field")
    return data[position : position + size], position + size


def _store_field(found: dict[str, Any], field: Field, raw: Any, wire: int) -> None:
    if field.repeated and wire == _LENGTH and field.kind in _PACKED:
        found[field.name].extend(_unpacked(raw, field.kind))
    elif field.repeated:
        found[field.name].append(_value(raw, field.kind))
    else:
        found[field.name] = _value(raw, field.kind)


_PACKED = {"int", "enum", "bool", "float", "double"}
_FIXED = {"float": ("<f", 4), "double": ("<d", 8)}


def _unpacked(raw: memoryview, kind: str) -> list[Any]:
    if kind in _FIXED:
        form, size = _FIXED[kind]
        if len(raw) % size:
            raise BrokenFileError("a list of numbers ends in the middle of one")
        return [value for (value,) in struct.iter_unpack(form, raw)]
    values, position = [], 0
    while position < len(raw):
        value, position = _varint(raw, position)
        values.append(_value(value, kind))
    return values


def _value(raw: Any, kind: str) -> Any:
    try:
        if kind in ("int", "enum"):
            return raw - (1 << 64) if raw >> 63 else raw
        if kind == "bool":
            return bool(raw)
        if kind in _FIXED:
            return struct.unpack(_FIXED[kind][0], raw)[0]
        if kind == "bytes":
            return bytes(raw)
        if kind == "text":
            return bytes(raw).decode()
    except (TypeError, struct.error, UnicodeDecodeError) as error:
        raise BrokenFileError(f"a field that should be {kind} is not: {error}") from None
    if not isinstance(raw, memoryview):
        raise BrokenFileError(f"a field that should be a {kind} is a number")
    return decode(raw, kind)
