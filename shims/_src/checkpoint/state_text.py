"""The file `checkpoint`: which checkpoints there are, as text."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import Any


@dataclasses.dataclass
class CheckpointState:
    """Which checkpoints there are (`tf.train.CheckpointState`).

    Args:
      model_checkpoint_path: the path of the newest one.
      all_model_checkpoint_paths: the paths of all of them, the oldest first.
      all_model_checkpoint_timestamps: when each of them was written, in seconds since 1970.
      last_preserved_timestamp: when the last one was written that is kept for ever.

    Differs from TensorFlow:
      A plain class: of the methods of a protocol buffer it has none.
    """

    model_checkpoint_path: str = ""
    all_model_checkpoint_paths: list[str] = dataclasses.field(default_factory=list)
    all_model_checkpoint_timestamps: list[float] = dataclasses.field(default_factory=list)
    last_preserved_timestamp: float = 0.0

    def __str__(self) -> str:
        lines = []
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            for item in value if isinstance(value, list) else [value] * bool(value):
                text = _quoted(item) if isinstance(item, str) else repr(float(item))
                lines.append(f"{field.name}: {text}\n")
        return "".join(lines)


CheckpointState.__module__ = "shims.compat.v1.train"


class ParseError(ValueError):
    """Text that is not such a file."""


def parse(text: str) -> CheckpointState:
    """The state that a text holds.

    Raises:
      ParseError: it holds something else.
    """
    state = CheckpointState()
    kinds: dict[str, Any] = {
        "model_checkpoint_path": str,
        "all_model_checkpoint_paths": str,
        "all_model_checkpoint_timestamps": float,
        "last_preserved_timestamp": float,
    }
    for name, value in _fields(list(_tokens(text))):
        if name not in kinds:
            raise ParseError(f"it has no field {name!r}")
        if not isinstance(value, kinds[name]):
            raise ParseError(f"{name!r} is {value!r}")
        present = getattr(state, name)
        if isinstance(present, list):
            present.append(value)
        else:
            setattr(state, name, value)
    return state


_TOKEN = re.compile(
    r"""\s+|\#[^\n]*
    |(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?P<word>[-+.\w]+)
    |(?P<sign>[:\[\],;])""",
    re.VERBOSE,
)
_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|[xX]([0-9a-fA-F]{1,2})|(.))", re.DOTALL)
_SIGNS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}


def _tokens(text: str) -> Iterator[str | float | tuple[str]]:
    """Words and signs as text, values as themselves; a string in a tuple."""
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ParseError(f"it has {text[at : at + 20]!r}")
        at = match.end()
        if match["string"]:
            yield (_unquoted(match["string"]),)
        elif match.lastgroup:
            yield match[0]


def _fields(tokens: list) -> Iterator[tuple[str, str | float]]:
    """Names and values; a list gives its name once per value."""
    at = 0

    def look(offset: int = 0):
        return tokens[at + offset] if at + offset < len(tokens) else None

    while (name := look()) is not None:
        if not isinstance(name, str) or look(1) != ":":
            raise ParseError(f"it has {name!r} where a field begins")
        at += 2
        is_list = look() == "["
        at += is_list
        while not (is_list and look() == "]"):
            if look() is None:
                raise ParseError(f"{name!r} has no value")
            value, at = _value(tokens, at)
            yield name, value
            if not is_list:
                break
            at += look() == ","
        at += is_list
        at += look() in (",", ";")


def _value(tokens: list, at: int) -> tuple[str | float, int]:
    if not isinstance(tokens[at], tuple):
        try:
            return float(tokens[at]), at + 1
        except ValueError:
            raise ParseError(f"it has {tokens[at]!r} where a value belongs") from None
    text = ""
    while at < len(tokens) and isinstance(tokens[at], tuple):  # strings side by side are one
        text += tokens[at][0]
        at += 1
    return text, at


def _quoted(text: str) -> str:
    signs = {"\n": r"\n", "\r": r"\r", "\t": r"\t", '"': r"\"", "'": r"\'", "\\": r"\\"}
    out = (signs.get(c) or (f"\\{ord(c):03o}" if c < " " or c == "\x7f" else c) for c in text)
    return f'"{"".join(out)}"'


def _unquoted(token: str) -> str:
    def sign(match: re.Match) -> bytes:
        octal, hexadecimal, letter = match.groups()
        if letter is not None:
            return _SIGNS.get(letter, letter)
        number = int(octal, 8) if octal else int(hexadecimal, 16)
        return bytes([number & 0xFF])

    raw = token[1:-1].encode(errors="surrogateescape")
    return _ESCAPE.sub(sign, raw).decode(errors="surrogateescape")
