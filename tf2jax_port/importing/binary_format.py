"""Decode protocol buffers in wire format (`.pb`) to dictionaries."""

from __future__ import annotations

import struct
from typing import Any

from shims._src.checkpoint.wire import (
    BYTES,
    FIXED32,
    FIXED64,
    VARINT,
    Malformed,
    raw_fields,
    varints,
)
from tf2jax_port.importing.schema import MESSAGES, Field, empty

# The wire types of the kinds of fields; all other kinds are stored as bytes.
_WIRE_TYPES = {"int": VARINT, "enum": VARINT, "bool": VARINT, "float": FIXED32, "double": FIXED64}
_FORMATS = {"float": "<f", "double": "<d"}


def decode(data: bytes | memoryview, message: str) -> dict[str, Any]:
    """Decode a protocol buffer message to a dict from field names to values.

    Args:
      data: the bytes of the message.
      message: the name of the message in `schema.MESSAGES`.

    Raises:
      Malformed: the bytes are truncated, or do not encode such a message.
    """
    found, fields = empty(message), MESSAGES[message]
    for number, wire_type, raw in raw_fields(memoryview(data)):
        field = fields.get(number)
        if field is not None:
            _store_field(found, field, raw, wire_type)
    return found


def _store_field(found: dict[str, Any], field: Field, raw: Any, wire_type: int) -> None:
    expected = _WIRE_TYPES.get(field.kind, BYTES)
    if field.repeated and wire_type == BYTES != expected:
        found[field.name].extend(_packed_values(raw, field.kind))
    elif wire_type != expected:
        raise Malformed(
            f"the field {field.name} is not of type {field.kind}: its wire type is {wire_type}"
        )
    elif field.repeated:
        found[field.name].append(_value(raw, field.kind))
    else:
        found[field.name] = _value(raw, field.kind)


def _packed_values(raw: memoryview, kind: str) -> list[Any]:
    if kind in _FORMATS:
        if len(raw) % struct.calcsize(_FORMATS[kind]):
            raise Malformed("a list of numbers ends in the middle of a number")
        return [value for (value,) in struct.iter_unpack(_FORMATS[kind], raw)]
    numbers: list[int] = varints(raw).tolist()
    return [bool(number) for number in numbers] if kind == "bool" else numbers


def _value(raw: Any, kind: str) -> Any:
    if kind in ("int", "enum"):
        return raw - (1 << 64) if raw >> 63 else raw
    if kind == "bool":
        return bool(raw)
    if kind in _FORMATS:
        return struct.unpack(_FORMATS[kind], raw)[0]
    if kind == "bytes":
        return bytes(raw)
    if kind != "text":
        return decode(raw, kind)
    try:
        return str(raw, "utf-8")
    except UnicodeDecodeError as error:
        raise Malformed(f"a field that should be text is not valid text: {error}") from None
