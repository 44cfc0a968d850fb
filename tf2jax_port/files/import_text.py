"""Import statements read from the text alone: much faster than parsing, and never too few."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import NamedTuple

_SPACE = rb"(?:[ \t\f]|\\\r?\n)"
_STATEMENT = re.compile(
    rb"\bfrom(?![\w])%s*(?P<module>[.\w \t]*?[.\w])%s*\bimport\b%s*"
    rb"(?P<names>\((?:[^()#]|#[^\n]*)*\)?|(?:\\\r?\n|[^\n;#\\])*)"
    rb"|\bimport%s+(?P<modules>(?:\\\r?\n|[^\n;#\\])+)" % ((_SPACE,) * 4)
)
_BEGUN = re.compile(rb"\b(?:from|import)")
_NAME = re.compile(rb"[\w.]+|\*")
_COMMENT = re.compile(rb"#[^\n]*")
_SHORT = 200  # bytes of a line that a person wrote


class Imported(NamedTuple):
    """One name that an import statement asks for, read from the text alone.

    `path` is the module, with leading dots; `name` is `""` where the module itself is imported and
    `*` for all of it; `bound` is what the file calls it.
    """

    path: str
    name: str
    bound: str


def imports_in(raw: bytes) -> Iterator[Imported]:
    """The imports in a text; one in a string counts too, and nothing that is an import is missing."""
    end = 0
    place = raw.find(b"import")
    while place >= 0:
        start = max(end, _line_start(raw, place))
        line_end = raw.find(b"\n", place) + 1 or len(raw)
        line = raw[start:line_end]
        if len(line) < _SHORT and b"(" not in line and b"\\" not in line:
            yield from _in_line(line)
            end = line_end
            place = raw.find(b"import", end)
            continue
        for begun in _BEGUN.finditer(raw, start, place + len(b"import")):
            found = _STATEMENT.match(raw, begun.start()) if begun.start() >= end else None
            if found is not None:
                end = found.end()
                yield from _imported(found)
        place = raw.find(b"import", max(end, place + 1))


@functools.lru_cache(maxsize=4096)
def _in_line(line: bytes) -> tuple[Imported, ...]:
    """The imports of a line that stands by itself; the files of a project share many."""
    return tuple(each for found in _STATEMENT.finditer(line) for each in _imported(found))


def _line_start(raw: bytes, place: int) -> int:
    """Where the logical line of a place begins, as far as backslashes tell."""
    start = raw.rfind(b"\n", 0, place) + 1
    while raw.endswith((b"\\\n", b"\\\r\n"), 0, start):
        start = raw.rfind(b"\n", 0, start - 1) + 1
    return start


def _imported(found: re.Match[bytes]) -> Iterator[Imported]:
    module = found["module"]
    if module is None:
        for words in _aliases(found["modules"]):
            bound = words[2] if len(words) > 2 else words[0].partition(".")[0]
            yield Imported(words[0], "", bound)
        return
    path = b"".join(module.replace(b"\\", b"").split()).decode(errors="replace")
    for words in _aliases(_COMMENT.sub(b"", found["names"])):
        yield Imported(path, words[0], words[-1])


def _aliases(names: bytes) -> Iterator[list[str]]:
    """`["a"]` and `["a", "as", "b"]` for each of the names between commas."""
    for part in names.split(b","):
        words = _NAME.findall(part)
        if words:
            yield [word.decode(errors="replace") for word in words]
