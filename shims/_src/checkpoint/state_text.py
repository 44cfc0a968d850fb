"""Format and parse the text of the file `checkpoint`."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import Any


@dataclasses.dataclass
class CheckpointState:
    """The list of checkpoints of a folder (`tf.train.CheckpointState`).

    Args:
      model_checkpoint_path: the path of the newest checkpoint.
      all_model_checkpoint_paths: the paths of all checkpoints, oldest first.
      all_model_checkpoint_timestamps: the write times, in Unix seconds.
      last_preserved_timestamp: when the last permanently kept checkpoint was written.

    Differs from TensorFlow:
      It is a plain class without the methods of a protocol buffer.
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
                text = _quote(item) if isinstance(item, str) else repr(float(item))
                lines.append(f"{field.name}: {text}\n")
        return "".join(lines)


CheckpointState.__module__ = "shims.compat.v1.train"


class ParseError(ValueError):
    """Text that is not a valid checkpoint state."""


def parse(text: str) -> CheckpointState:
    """Parse the text of a checkpoint state.

    Raises:
      ParseError: the text is not a valid checkpoint state.
    """
    state = CheckpointState()
    kinds: dict[str, Any] = {
        "model_checkpoint_path": str,
        "all_model_checkpoint_paths": str,
        "all_model_checkpoint_timestamps": float,
        "last_preserved_timestamp": float,
    }
    for name, value in _parse_fields(list(_tokenize(text))):
        if name not in kinds:
            raise ParseError(f"there is no field {name!r}")
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


def _tokenize(text: str) -> Iterator[str | float | tuple[str]]:
    """Split text into tokens; a string literal is yielded as a tuple of its text."""
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ParseError(f"there is unexpected text: {text[at : at + 20]!r}")
        at = match.end()
        if match["string"]:
            yield (_unquote(match["string"]),)
        elif match.lastgroup:
            yield match[0]


def _parse_fields(tokens: list) -> Iterator[tuple[str, str | float]]:
    """Yield the name and value of each field; a list yields its name once per element."""
    at = 0

    def look(offset: int = 0):
        return tokens[at + offset] if at + offset < len(tokens) else None

    while (name := look()) is not None:
        if not isinstance(name, str) or look(1) != ":":
            raise ParseError(f"there is {name!r} where a field is expected")
        at += 2
        is_list = look() == "["
        at += is_list
        while not (is_list and look() == "]"):
            if look() is None:
                raise ParseError(f"{name!r} has no value")
            value, at = _parse_value(tokens, at)
            yield name, value
            if not is_list:
                break
            at += look() == ","
        at += is_list
        at += look() in (",", ";")


def _parse_value(tokens: list, at: int) -> tuple[str | float, int]:
    if not isinstance(tokens[at], tuple):
        try:
            return float(tokens[at]), at + 1
        except ValueError:
            raise ParseError(f"there is {tokens[at]!r} where a value is expected") from None
    text = ""
    while at < len(tokens) and isinstance(tokens[at], tuple):  # adjacent strings are concatenated
        text += tokens[at][0]
        at += 1
    return text, at


def _quote(text: str) -> str:
    signs = {"\n": r"\n", "\r": r"\r", "\t": r"\t", '"': r"\"", "'": r"\'", "\\": r"\\"}
    out = (signs.get(c) or (f"\\{ord(c):03o}" if c < " " or c == "\x7f" else c) for c in text)
    return f'"{"".join(out)}"'


def _unquote(token: str) -> str:
    def sign(match: re.Match) -> bytes:
        octal, hexadecimal, letter = match.groups()
        if letter is not None:
            return _SIGNS.get(letter, letter)
        number = int(octal, 8) if octal else int(hexadecimal, 16)
        return bytes([number & 0xFF])

    raw = token[1:-1].encode(errors="surrogateescape")
    return _ESCAPE.sub(sign, raw).decode(errors="surrogateescape")
