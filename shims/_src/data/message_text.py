"""Write messages as text, in the format of protobuf."""

from __future__ import annotations

from typing import Any

import numpy as np

_ESCAPES = {9: "\\t", 10: "\\n", 13: "\\r", 34: '\\"', 39: "\\'", 92: "\\\\"}


def text_of(message) -> str:
    """Return a message in the text format: a line for each value, indented by two spaces."""
    return "\n".join([*_lines(message), ""])


def _lines(message) -> list[str]:
    chosen = message.WhichOneof() if hasattr(message, "WhichOneof") else None
    names = [chosen] if chosen else [n for n in vars(message) if not n.startswith("_")]
    shown = {chosen, *getattr(message, "_given", ())}
    return [line for name in names for line in _field(name, getattr(message, name), name in shown)]


def _field(name: str, value: Any, is_shown: bool) -> list[str]:
    if isinstance(value, dict):
        entries = [[f'key: "{k}"', *_block("value", _lines(v))] for k, v in value.items()]
        return [line for entry in entries for line in _block(name, entry)]
    if isinstance(value, list):
        return [line for each in value for line in _value(name, each)]
    inner = _lines(value)
    return _block(name, inner) if inner or is_shown else []


def _value(name: str, value: Any) -> list[str]:
    if isinstance(value, bytes):
        return [f'{name}: "{_escaped(value)}"']
    if isinstance(value, float):
        return [f"{name}: {_number(value)}"]
    return [f"{name}: {value}"] if isinstance(value, int) else _block(name, _lines(value))


def _block(name: str, lines: list[str]) -> list[str]:
    return [f"{name} {{", *(f"  {line}" for line in lines), "}"]


def _number(value: float) -> str:
    text = str(np.float32(value))
    return text.removesuffix(".0")


def _escaped(value: bytes) -> str:
    return "".join(_ESCAPES.get(b) or (chr(b) if 32 <= b < 127 else f"\\{b:03o}") for b in value)
