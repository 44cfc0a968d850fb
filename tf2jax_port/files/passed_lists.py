"""Find by text search which functions the files of a project call with a list of numbers in place of a tensor.

It may find too many (in strings, or by equal names), which costs a conversion that changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# The beginning of a list of numbers, truth values or further lists, as an argument or on the right of a name.
_LIST = re.compile(rb"\[\s*(?:[\[\d.(-]|True|False)")
_FURTHEST = 300  # bytes between an argument and the name of the function
_OPENING, _CLOSING, _SPACE = b"([{", b")]}", b" \t\r\n"
_NAME = re.compile(rb"(\w+)\s*$")
_KEYWORD = re.compile(rb"(\w+)\s*=$")
_ASSIGNED = re.compile(rb"^[ \t]*(\w+)[ \t]*=$", re.M)

Passed = tuple[str, int | str]  # the name of a function, and the position or keyword of an argument


def lists_passed_in(raw: bytes) -> Iterator[Passed]:
    """Yield the arguments of calls that are lists, or names that the file assigns lists to."""
    names = set()
    for found in _LIST.finditer(raw):
        before = _skip_space(raw, found.start())
        if raw[before : before + 1] == b"=":
            line = raw.rfind(b"\n", 0, before) + 1
            names.update(_ASSIGNED.findall(raw, line, before + 1))
        yield from _call_around(raw, before)
    for name in names:
        at = raw.find(name)
        while at >= 0:
            end = at + len(name)
            if raw[end : end + 1] in (b",", b")"):
                yield from _call_around(raw, _skip_space(raw, at))
            at = raw.find(name, end)


def _skip_space(raw: bytes, at: int) -> int:
    """Return the position of the last byte before a position that is not a space."""
    at -= 1
    while at >= 0 and raw[at] in _SPACE:
        at -= 1
    return at


def _call_around(raw: bytes, before: int) -> Iterator[Passed]:
    """Yield the call to which an argument belongs, given the position of the parenthesis, comma or `=` before it."""
    if before < 0 or raw[before] not in b"(,=":
        return
    keyword, start = None, before
    if raw[before] == b"="[0]:
        keyword = _KEYWORD.search(raw, max(0, before - _FURTHEST), before + 1)
        if keyword is None:
            return
        start = keyword.start() - 1
    place = depth = 0
    for at in range(start, max(-1, start - _FURTHEST), -1):
        byte = raw[at]
        if byte in _CLOSING:
            depth += 1
        elif byte in _OPENING and depth:
            depth -= 1
        elif byte in _OPENING:
            name = _NAME.search(raw, max(0, at - 80), at) if byte == b"("[0] else None
            if name is not None:
                yield name[1].decode(), place if keyword is None else keyword[1].decode()
            return
        elif byte == b","[0] and not depth:
            place += 1
