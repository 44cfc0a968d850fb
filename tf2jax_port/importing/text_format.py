"""Parse protocol buffers in text format (`.pbtxt`) to the same dicts as `binary_format.decode`."""

from __future__ import annotations

import ast
import re
from typing import Any

from shims._src.checkpoint.wire import Malformed
from tf2jax_port.importing.schema import ENUMS, MESSAGES, Field, empty

_TOKEN = re.compile(
    r"""\s*(?:\#[^\n]*\n\s*)*   # comments
    ( "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*'   # strings
    | [\w.+-]+ | [{}<>\[\]:,;] )""",
    re.VERBOSE | re.DOTALL,
)
_END = {"{": "}", "<": ">"}


def parse(text: str, message: str) -> dict[str, Any]:
    """Parse a protocol buffer message to a dict from field names to values.

    Args:
      text: the content of the file.
      message: the name of the message in `schema.MESSAGES`.

    Raises:
      Malformed: the text is not such a message.
    """
    tokens = _Tokens(text)
    return _message(tokens, message, None)


class _Tokens:
    def __init__(self, text: str):
        self.text, self.position = text, 0
        self.next: str | None = None
        self.advance()

    def advance(self) -> str | None:
        """Return the next token and move past it."""
        token = self.next
        match = _TOKEN.match(self.text, self.position)
        if match is None and self.text[self.position :].strip() and not self._only_comments():
            raise Malformed(f"line {self.line()}: {self.text[self.position :].strip()[:20]!r}")
        self.next = match[1] if match else None
        self.position = match.end() if match else len(self.text)
        return token

    def _only_comments(self) -> bool:
        lines = self.text[self.position :].splitlines()
        return all(not line.strip() or line.strip().startswith("#") for line in lines)

    def line(self) -> int:
        """Return the current line number, from 1."""
        return self.text.count("\n", 0, self.position) + 1

    def wrong(self, wanted: str) -> Malformed:
        """Return an error that says what was expected instead of the next token."""
        return Malformed(f"line {self.line()}: expected {wanted}, found {self.next!r}")


def _message(tokens: _Tokens, message: str | None, end: str | None) -> dict[str, Any]:
    """Parse the fields of a message up to the token `end`; discard them if `message` is `None`."""
    found = empty(message) if message else {}
    by_name = {field.name: field for field in MESSAGES[message].values()} if message else {}
    while tokens.next != end:
        if tokens.next is None or not re.match(r"[A-Za-z_\[]", tokens.next):
            raise tokens.wrong("the name of a field" if end is None else f"a field or {end!r}")
        name = tokens.advance()
        field = by_name.get(name or "")
        for value in _parse_values(tokens, field):
            if field and field.repeated:
                found[field.name].append(value)
            elif field:
                found[field.name] = value
        if tokens.next in (",", ";"):
            tokens.advance()
    tokens.advance()
    return found


def _parse_values(tokens: _Tokens, field: Field | None) -> list[Any]:
    if tokens.next == ":":
        tokens.advance()
    if tokens.next != "[":
        return [_parse_value(tokens, field)]
    tokens.advance()
    values = []
    while tokens.next != "]":
        values.append(_parse_value(tokens, field))
        if tokens.next == ",":
            tokens.advance()
    tokens.advance()
    return values


def _parse_value(tokens: _Tokens, field: Field | None) -> Any:
    if tokens.next is None or tokens.next in "}>]:,;":
        raise tokens.wrong("a value")
    token = tokens.advance() or ""
    if token in _END:
        kind = field.kind if field and field.kind in MESSAGES else None
        return _message(tokens, kind, _END[token])
    if token[0] in "\"'":
        parts = [token]
        while tokens.next and tokens.next[0] in "\"'":
            parts.append(tokens.advance() or "")
        return _string(parts, field)
    return _scalar(tokens, token, field)


def _string(parts: list[str], field: Field | None) -> bytes | str:
    data = b"".join(ast.literal_eval("b" + _ascii(part)) for part in parts)
    return data.decode() if field and field.kind == "text" else data


def _ascii(part: str) -> str:
    """Convert a string literal of the text format to the source of a bytes literal in UTF-8."""
    escaped = "".join(
        c if ord(c) < 128 else "".join(f"\\x{byte:02x}" for byte in c.encode()) for c in part
    )
    return escaped.replace("\n", "\\n")


def _scalar(tokens: _Tokens, token: str, field: Field | None) -> Any:
    if field is None:
        return token
    try:
        if field.kind == "bool":
            return {"true": True, "True": True, "t": True, "1": True}.get(token, False)
        if field.kind in ("float", "double"):
            return float(token.rstrip("fF") if "inf" not in token.lower() else token)
        if field.kind == "enum" and not token.lstrip("-").isdigit():
            return ENUMS[token]
        return int(token, 0)
    except (ValueError, KeyError):
        raise Malformed(f"line {tokens.line()}: {token!r} is no {field.kind}") from None
