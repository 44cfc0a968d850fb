"""Define the messages of records, `tf.train.Example` and its parts, without the library of protobuf."""

from __future__ import annotations

import operator
from collections.abc import Iterator
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


KINDS = {1: "bytes_list", 2: "float_list", 3: "int64_list"}


class Feature(Message):
    """One of a `BytesList`, a `FloatList` and an `Int64List`.

    https://www.tensorflow.org/api_docs/python/tf/train/Feature
    """

    _fields: ClassVar[dict[str, Any]] = {
        "bytes_list": BytesList,
        "float_list": FloatList,
        "int64_list": Int64List,
    }
    _chosen: str | None = None

    def _set(self, name: str, value) -> None:
        super()._set(name, value)
        self._chosen = name

    def Clear(self) -> None:
        """Remove the list."""
        super().Clear()
        self._chosen = None

    def WhichOneof(self, oneof_group="kind") -> str | None:
        """Return the name of the list that is set, or `None`."""
        del oneof_group
        filled = [name for name in self._fields if getattr(self, name).value]
        return filled[-1] if filled else self._chosen

    def HasField(self, field_name) -> bool:
        """Return whether a list is set."""
        return self.WhichOneof() == field_name

    def SerializeToString(self, deterministic=None) -> bytes:
        """Return the message as bytes."""
        for number, name in KINDS.items():
            if name == self.WhichOneof():
                return wire.bytes_field(number, getattr(self, name).SerializeToString())
        return b""

    def _merge(self, data: bytes) -> None:
        for number, value in wire.fields(data):
            if number in KINDS:
                self._chosen = KINDS[number]
                for name in self._fields:
                    if name != self._chosen:
                        getattr(self, name).Clear()
                getattr(self, self._chosen)._merge(wire.bytes_of(value))


class FeatureList(Message):
    """A list of `Feature`.

    https://www.tensorflow.org/api_docs/python/tf/train/FeatureList
    """

    def __init__(self, feature=()):
        self.feature = [*feature]

    def Clear(self) -> None:
        """Remove all features."""
        self.feature = []

    def SerializeToString(self, deterministic=None) -> bytes:
        """Return the message as bytes."""
        return b"".join(wire.bytes_field(1, f.SerializeToString()) for f in self.feature)

    def _merge(self, data: bytes) -> None:
        for number, value in wire.fields(data):
            if number == 1:
                self.feature.append(Feature.FromString(value))


class _Map(dict):
    """A dictionary of messages, which makes the message of a new key."""

    def __init__(self, kind: type[Message]):
        super().__init__()
        self.kind = kind

    def __missing__(self, key: str) -> Message:
        self[key] = self.kind()
        return self[key]

    def get_or_create(self, key: str) -> Message:
        """Return the message of a key, made if need be."""
        return self[key]


class _MapMessage(Message):
    _name: ClassVar[str]
    _kind: ClassVar[type[Message]]

    def __init__(self, **fields):
        self.Clear()
        for name, value in fields.items():
            if name != self._name:
                raise ValueError(f'Protocol message {type(self).__name__} has no "{name}" field.')
            for key, each in (value or {}).items():
                self._entries()[key].CopyFrom(each)

    def _entries(self) -> _Map:
        return getattr(self, self._name)

    def Clear(self) -> None:
        """Remove all entries."""
        setattr(self, self._name, _Map(self._kind))

    def SerializeToString(self, deterministic=None) -> bytes:
        """Return the message as bytes."""
        items = self._entries().items()
        return b"".join(
            wire.bytes_field(
                1, wire.bytes_field(1, k.encode()) + wire.bytes_field(2, v.SerializeToString())
            )
            for k, v in (sorted(items) if deterministic else items)
        )

    def _merge(self, data: bytes) -> None:
        for key, value in entries_in(data):
            self._entries()[key] = self._kind.FromString(value)


def entries_in(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the key and the encoded message of each entry of an encoded map."""
    for number, entry in wire.fields(data):
        if number == 1:
            found = dict(wire.fields(wire.bytes_of(entry)))
            yield wire.bytes_of(found.get(1, b"")).decode(), wire.bytes_of(found.get(2, b""))


class Features(_MapMessage):
    """A dictionary `feature` of `Feature`.

    https://www.tensorflow.org/api_docs/python/tf/train/Features
    """

    _name, _kind = "feature", Feature


class FeatureLists(_MapMessage):
    """A dictionary `feature_list` of `FeatureList`.

    https://www.tensorflow.org/api_docs/python/tf/train/FeatureLists
    """

    _name, _kind = "feature_list", FeatureList


class _Parts(Message):
    def SerializeToString(self, deterministic=None) -> bytes:
        """Return the message as bytes."""
        encoded = {n: getattr(self, n).SerializeToString(deterministic) for n in self._fields}
        return b"".join(
            wire.bytes_field(i + 1, data)
            for i, (name, data) in enumerate(encoded.items())
            if data or name in self._given
        )

    def _merge(self, data: bytes) -> None:
        for number, value in wire.fields(data):
            if 0 < number <= len(self._fields):
                name = [*self._fields][number - 1]
                self._given.add(name)
                getattr(self, name)._merge(wire.bytes_of(value))


class Example(_Parts):
    """A record: features by name.

    https://www.tensorflow.org/api_docs/python/tf/train/Example
    """

    _fields: ClassVar[dict[str, Any]] = {"features": Features}


class SequenceExample(_Parts):
    """A record of features of a sequence, `context`, and of its steps, `feature_lists`.

    https://www.tensorflow.org/api_docs/python/tf/train/SequenceExample
    """

    _fields: ClassVar[dict[str, Any]] = {"context": Features, "feature_lists": FeatureLists}
