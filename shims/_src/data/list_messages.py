"""Define the base of messages, and the messages that hold a list of values."""

from __future__ import annotations

import operator
from typing import Any, ClassVar

import numpy as np

from shims._src.checkpoint import wire
from shims._src.data.message_text import text_of


class Message:
    """The base of messages: fields with default values, compared by value."""

    __module__ = "shims.train"
    _fields: ClassVar[dict[str, Any]] = {}

    def __init__(self, **fields):
        self._given: set[str] = set()
        for name in self._fields:
            setattr(self, name, self._fields[name]())
        for name, value in fields.items():
            if name not in self._fields:
                raise ValueError(f'Protocol message {type(self).__name__} has no "{name}" field.')
            if value is not None:
                self._set(name, value)

    def _set(self, name: str, value) -> None:
        getattr(self, name).CopyFrom(value)
        self._given.add(name)

    def SerializeToString(self, deterministic=None) -> bytes:
        """Return the message as bytes."""
        raise NotImplementedError

    def _merge(self, data: bytes) -> None:
        raise NotImplementedError

    def ParseFromString(self, serialized) -> int:
        """Replace the fields by those of a message in bytes; return the number of bytes.

        Raises:
          ValueError: the bytes are not a message.
        """
        self.Clear()
        self.MergeFromString(bytes(serialized))
        return len(serialized)

    def MergeFromString(self, serialized) -> int:
        """Add the fields of a message in bytes; return the number of bytes."""
        try:
            self._merge(bytes(serialized))
        except (wire.Malformed, ValueError) as error:
            raise ValueError(f"Error parsing message: {error}") from None
        return len(serialized)

    @classmethod
    def FromString(cls, serialized) -> Any:
        """Return the message in bytes."""
        out = cls()
        out.ParseFromString(serialized)
        return out

    def CopyFrom(self, other) -> None:
        """Replace the fields by those of another message."""
        if not isinstance(other, type(self)):
            raise TypeError(f"Expected {type(self).__name__}, got {type(other).__name__}.")
        self.ParseFromString(other.SerializeToString())

    def MergeFrom(self, other) -> None:
        """Add the fields of another message."""
        self.MergeFromString(other.SerializeToString())

    def Clear(self) -> None:
        """Remove all fields."""
        Message.__init__(self)

    def ByteSize(self) -> int:
        """Return the number of bytes of the message."""
        return len(self.SerializeToString())

    def __eq__(self, other) -> bool:
        return type(self) is type(other) and self.SerializeToString(
            True
        ) == other.SerializeToString(True)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return text_of(self)

    def __reduce__(self):
        return type(self).FromString, (self.SerializeToString(),)


class _Values(list):
    """The values of a list message, each checked when it is added."""

    def __init__(self, check, values=()):
        super().__init__()
        self.check = check
        self.extend(values)

    def append(self, value) -> None:
        super().append(self.check(value))

    def extend(self, values) -> None:
        if not hasattr(values, "__iter__"):
            raise TypeError("Value must be iterable")
        super().extend([self.check(v) for v in values])

    def __reduce__(self):
        return list, (list(self),)


class _List(Message):
    value: _Values

    @staticmethod
    def _check(value) -> Any:
        raise NotImplementedError

    def __init__(self, value=()):
        self.value = _Values(self._check, value)

    def Clear(self) -> None:
        """Remove all values."""
        self.value = _Values(self._check)

    def __len__(self) -> int:
        raise TypeError(f"object of type {type(self).__name__!r} has no len()")

    def __bool__(self) -> bool:
        return True


def _integer(value) -> int:
    if isinstance(value, (bool, np.bool_)):
        raise TypeError("Field tensorflow.Int64List.value: Expected an int, got a boolean.")
    found = operator.index(value)
    if not -(1 << 63) <= found < 1 << 63:
        raise ValueError(f"Value out of range: {found}")
    return found


def _real(value) -> float:
    if isinstance(value, (str, bytes)):
        raise TypeError(f"must be real number, not {type(value).__name__}")
    return float(np.float32(value))


def _bytes(value) -> bytes:
    if not isinstance(value, (bytes, bytearray)):
        raise TypeError(f"{value!r} has type {type(value).__name__}, but expected one of: bytes")
    return bytes(value)


class BytesList(_List):
    """A list of `bytes`.

    https://www.tensorflow.org/api_docs/python/tf/train/BytesList
    """

    _check = staticmethod(_bytes)

    def SerializeToString(self, deterministic=None) -> bytes:
        """Return the message as bytes."""
        return b"".join(wire.bytes_field(1, v) for v in self.value)

    def _merge(self, data: bytes) -> None:
        self.value.extend(wire.bytes_of(v) for number, v in wire.fields(data) if number == 1)


class FloatList(_List):
    """A list of 32-bit floats.

    https://www.tensorflow.org/api_docs/python/tf/train/FloatList
    """

    _check = staticmethod(_real)

    def SerializeToString(self, deterministic=None) -> bytes:
        """Return the message as bytes."""
        packed = np.asarray(self.value, "<f4").tobytes()
        return wire.bytes_field(1, packed) if packed else b""

    def _merge(self, data: bytes) -> None:
        self.value.extend(floats_in(data).tolist())


class Int64List(_List):
    """A list of 64-bit integers.

    https://www.tensorflow.org/api_docs/python/tf/train/Int64List
    """

    _check = staticmethod(_integer)

    def SerializeToString(self, deterministic=None) -> bytes:
        """Return the message as bytes."""
        packed = b"".join(wire.varint(v & 0xFFFFFFFFFFFFFFFF) for v in self.value)
        return wire.bytes_field(1, packed) if packed else b""

    def _merge(self, data: bytes) -> None:
        self.value.extend(integers_in(data).tolist())


def floats_in(data: bytes) -> np.ndarray:
    """Return the values of an encoded `FloatList`, packed or not."""
    parts = [np.frombuffer(raw, "<f4") for number, _, raw in wire.raw_fields(data) if number == 1]
    return parts[0] if len(parts) == 1 else np.concatenate([np.zeros(0, np.float32), *parts])


def integers_in(data: bytes) -> np.ndarray:
    """Return the values of an encoded `Int64List`, packed or not."""
    parts = []
    for number, kind, raw in wire.raw_fields(data):
        if number == 1 and kind == wire.VARINT:
            parts.append(np.array([raw], np.uint64).astype(np.int64))
        elif number == 1:
            parts.append(wire.varints(raw))
    return parts[0] if len(parts) == 1 else np.concatenate([np.zeros(0, np.int64), *parts])


def texts_in(data: bytes) -> np.ndarray:
    """Return the values of an encoded `BytesList`."""
    found = [wire.bytes_of(v) for number, v in wire.fields(data) if number == 1]
    out = np.empty(len(found), object)
    out[:] = found
    return out
