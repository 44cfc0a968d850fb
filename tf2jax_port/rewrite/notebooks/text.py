"""Locate the code of the cells in a notebook file, and replace it.

A notebook is JSON. Everything except code keeps its exact bytes: outputs, metadata, indentation, the order of keys,
the end of the file.
"""

from __future__ import annotations

import dataclasses
import difflib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from tf2jax_port.rewrite.reading.source import UnreadableError

# The repetitions are possessive: backtracking positions would cost a hundred bytes for each character of
# an embedded picture.
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\],:]|[^\s{}\[\],:"]++', re.DOTALL)


@dataclasses.dataclass(frozen=True, slots=True)
class Cell:
    """One code cell.

    Attributes:
      number: its position among all cells, from 1.
      text: its code.
      start: offset at which the JSON of its code begins.
      end: offset at which the JSON of its code ends.
      strings: the spans of the JSON strings: one for each line, or a single one.
      is_list: whether the strings form a list.
    """

    number: int
    text: str
    start: int
    end: int
    strings: tuple[tuple[int, int], ...]
    is_list: bool


def read_cells(text: str) -> tuple[Cell, ...]:
    """Return the code cells of a notebook, none if its language is not Python.

    Raises:
      UnreadableError: the text is not a notebook.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableError("TJ901", f"the file is not a notebook: {error}") from error
    if not isinstance(document, dict):
        raise UnreadableError("TJ901", "the file is not a notebook: there are no cells")
    language, _ = _language(document)
    return tuple(_read_code_cells(text)) if language in ("", "python", "ipython") else ()


def old_version(text: str) -> str:
    """Return the version in a notebook's metadata if it is Python 2, which may be out of date, else `""`."""
    version = _language(json.loads(text))[1]
    return version if version.startswith("2") else ""


def with_code(text: str, cells: Mapping[Cell, str]) -> str:
    """Return the text of a notebook in which some cells have new code."""
    out = []
    place = 0
    for cell, code in sorted(cells.items(), key=lambda item: item[0].start):
        out += [text[place : cell.start], _encode_cell(text, cell, code)]
        place = cell.end
    return "".join([*out, text[place:]])


def _language(document: dict[str, Any]) -> tuple[str, str]:
    """Return the programming language of a notebook and its version, empty if not given."""
    metadata = document.get("metadata")
    if not isinstance(metadata, dict):
        return "", ""
    info, kernel = metadata.get("language_info"), metadata.get("kernelspec")
    info = info if isinstance(info, dict) else {}
    kernel = kernel if isinstance(kernel, dict) else {}
    name = str(info.get("name") or kernel.get("language") or "")
    version = str(info.get("version") or "")
    if not version and kernel.get("name") == "python2":
        version = "2"
    return name.lower(), version


# Places.


def _read_code_cells(text: str) -> Iterator[Cell]:
    """Yield all code cells: of the `cells` list in version 4, of all worksheets in version 3."""
    number = 0
    for name, start, _ in _members(text, _next_token(text, 0).start()):
        if name == "cells":
            sheets = [start]
        elif name == "worksheets":
            objects = [{n: s for n, s, _ in _members(text, s)} for s, _ in _elements(text, start)]
            sheets = [members["cells"] for members in objects if "cells" in members]
        else:
            continue
        for sheet in sheets:
            for place, _ in _elements(text, sheet):
                number += 1
                cell = _read_cell(text, place, number)
                if cell is not None:
                    yield cell


def _read_cell(text: str, place: int, number: int) -> Cell | None:
    """Read the cell at an offset, `None` if it is not a code cell."""
    members = {name: (start, end) for name, start, end in _members(text, place)}
    kind = members.get("cell_type")
    source = members.get("source") or members.get("input")
    if kind is None or source is None or text[slice(*kind)] != '"code"':
        return None
    start, end = source
    is_list = text[start] == "["
    strings = tuple(_elements(text, start)) if is_list else ((start, end),)
    if not all(text[place] == '"' for place, _ in strings):
        return None
    code = "".join(json.loads(text[slice(*string)], strict=False) for string in strings)
    return Cell(number, code, start, end, strings, is_list)


def _next_token(text: str, place: int) -> re.Match[str]:
    """Return the next JSON token at or after an offset."""
    found = _TOKEN.search(text, place)
    assert found is not None  # `json` has read it
    return found


def _value_end(text: str, start: int) -> int:
    """Return the end offset of the JSON value that begins at `start`."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        first = text[token.start()]
        depth += (first in "{[") - (first in "}]")
        if depth == 0:
            return token.end()
    raise AssertionError("`json` has read a value that has no end")


def _members(text: str, place: int) -> Iterator[tuple[str, int, int]]:
    """Yield `(name, start, end)` of each member of a JSON object; nothing for other values."""
    if text[place] != "{":
        return
    token = _next_token(text, place + 1)
    while token.group() != "}":
        if token.group() == ",":
            token = _next_token(text, token.end())
        start = _next_token(text, _next_token(text, token.end()).end()).start()
        end = _value_end(text, start)
        yield json.loads(token.group(), strict=False), start, end
        token = _next_token(text, end)


def _elements(text: str, place: int) -> Iterator[tuple[int, int]]:
    """Yield `(start, end)` of each element of a JSON list; nothing for other values."""
    if text[place] != "[":
        return
    token = _next_token(text, place + 1)
    while token.group() != "]":
        if token.group() == ",":
            token = _next_token(text, token.end())
        end = _value_end(text, token.start())
        yield token.start(), end
        token = _next_token(text, end)


# Writing.


def _encode_cell(text: str, cell: Cell, code: str) -> str:
    """Return a cell's new code as JSON, in which unchanged lines keep their exact text."""
    ascii_only = text.isascii() and "\\u" in text
    if not cell.is_list:
        return json.dumps(code, ensure_ascii=ascii_only)
    old = [text[slice(*string)] for string in cell.strings]
    before = [json.loads(string, strict=False) for string in old]
    after = code.split("\n")
    after = [f"{line}\n" for line in after[:-1]] + ([after[-1]] if after[-1] else [])
    strings: list[str] = []
    for kind, first, last, start, end in difflib.SequenceMatcher(
        None, before, after, autojunk=False
    ).get_opcodes():
        if kind == "equal":
            strings += old[first:last]
        else:
            strings += [json.dumps(line, ensure_ascii=ascii_only) for line in after[start:end]]
    if not strings or not cell.strings:
        return f"[{', '.join(strings)}]"
    opening = text[cell.start : cell.strings[0][0]]
    closing = text[cell.strings[-1][1] : cell.end]
    comma = "," + opening[1:]
    if len(cell.strings) > 1:
        comma = text[cell.strings[0][1] : cell.strings[1][0]]
    return opening + comma.join(strings) + closing
