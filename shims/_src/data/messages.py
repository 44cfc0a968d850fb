"""Define the messages of records, `tf.train.Example` and its parts, without the library of protobuf."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from shims._src.checkpoint import wire
from shims._src.data.list_messages import BytesList, FloatList, Int64List, Message

KINDS = {1: "bytes_list", 2: "float_list", 3: "int64_list"}


class Feature(Message):
    """A `BytesList`, a `FloatList` or an `Int64List`.

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
