"""Find import statements by text search, which is much faster than parsing.

It may find too many (in strings), but never misses one.
"""

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
_SHORT = 200  # the longest line, in bytes, that takes the fast path


class Imported(NamedTuple):
    """One imported name, found by text search.

    `path` is the module, with leading dots; `name` is `""` if the module itself is imported, and `*` for a
    star import; `bound` is the local name.
    """

    path: str
    name: str
    bound: str


def imports_in(raw: bytes) -> Iterator[Imported]:
    """Yield all imports in a text; those inside strings are included."""
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
    """Return the imports of a one-line statement; cached, since the files of a project share many."""
    return tuple(each for found in _STATEMENT.finditer(line) for each in _imported(found))


def _line_start(raw: bytes, place: int) -> int:
    """Return the start of the statement's first line, going back over backslash continuations."""
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
    """Split comma-separated imported names; yield `["a"]`, or `["a", "as", "b"]` with an alias."""
    for part in names.split(b","):
        words = _NAME.findall(part)
        if words:
            yield [word.decode(errors="replace") for word in words]
