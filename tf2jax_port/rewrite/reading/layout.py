"""Locate the arguments of a call in the text, with parentheses, commas and comments."""

from __future__ import annotations

import ast
import operator
import re
from typing import NamedTuple

from tf2jax_port.rewrite.reading.source import Source


class Argument(NamedTuple):
    """One argument as written.

    Attributes:
      start: offset at which its keyword, star or opening parenthesis begins.
      value: offset at which its value begins, including parentheses; `start` for a positional argument.
      end: offset at which it ends, including parentheses.
      comma: offset of the comma after it, or -1.
      node: the value.
      keyword: its name, `**` for a mapping, `None` for a positional argument.
      parenthesized: whether the value has parentheses of its own.
    """

    start: int
    value: int
    end: int
    comma: int
    node: ast.expr
    keyword: str | None
    parenthesized: bool


# Start and end of an argument, its value, and its keyword.
_Written = tuple[tuple[int, int], ast.expr, "str | None"]


class CallLayout(NamedTuple):
    """A call as written: the offsets `opened` and `closed` of its parentheses, and its arguments."""

    opened: int
    closed: int
    arguments: tuple[Argument, ...]
    comments: bool  # between the arguments or behind a keyword, not inside a value


# Marks with their offsets: a parenthesis, a comma, or `#` for a comment.
_Marks = list[tuple[bytes, int]]
_MARK = re.compile(rb"#[^\r\n]*|[(),]")
_PLACE = operator.itemgetter(0)


def _find_marks(data: bytes, start: int, end: int) -> _Marks:
    """Return the parentheses, commas and comments in a range between arguments, with offsets."""
    text = data[start:end]
    if text in (b"(", b", ", b")"):  # the common case
        return [(text[:1], start)]
    return [(found.group()[:1], found.start()) for found in _MARK.finditer(data, start, end)]


def call_layout(source: Source, call: ast.Call) -> CallLayout:
    """Return the layout of a call.

    If the only argument is a generator expression, both share one pair of parentheses; then `opened` is -1.
    """
    data, span = source.data, source.span
    call_end = span(call)[1]
    usual = _simple_layout(source, call, call_end)
    if usual is not None:
        return usual
    written: list[_Written] = [(span(a), a, None) for a in call.args]
    if call.keywords:
        written += [(span(k), k.value, k.arg or "**") for k in call.keywords]
        written.sort(key=_PLACE)
    elif written and type(written[0][1]) is ast.GeneratorExp and written[0][0][1] == call_end:
        start, end = written[0][0]
        lone = Argument(start, start, end, -1, written[0][1], None, parenthesized=True)
        return CallLayout(-1, call_end - 1, (lone,), comments=False)
    gaps = []
    place = span(call.func)[1]
    for (start, end), _, _ in written:
        gaps.append(_find_marks(data, place, start))
        place = end
    gaps.append(_find_marks(data, place, call_end))
    opened = _opening_parenthesis(gaps[0])
    arguments = tuple(
        [
            _locate_argument(source, gaps[index], gaps[index + 1], item, opened)
            for index, item in enumerate(written)
        ]
    )
    comments = b"#" in data[opened:call_end] and (
        any(mark == b"#" for gap in gaps for mark, _ in gap)
        or any(b"#" in data[argument.start : argument.value] for argument in arguments)
    )
    return CallLayout(opened, call_end - 1, arguments, comments)


def _simple_layout(source: Source, call: ast.Call, call_end: int) -> CallLayout | None:
    """Return the layout of a call without comments or parenthesized parts, `None` for other calls."""
    data, starts = source.data, source.starts
    opened = source.span(call.func)[1]
    place = opened + 1
    if data[opened:place] != b"(":
        return None
    parts: list[tuple[int, int, int, ast.expr, str | None]] = []
    commas: list[int] = []
    nodes: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    for node in nodes:
        start = starts[node.lineno - 1] + node.col_offset
        gap = data[place:start]
        if gap.strip() != (b"," if parts else b""):
            return None
        commas.append(place + gap.find(b","))
        place = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        if type(node) is not ast.keyword:
            parts.append((start, start, place, node, None))  # type: ignore[arg-type]
            continue
        value = start
        if node.arg is not None:
            value = starts[node.value.lineno - 1] + node.value.col_offset
            if data[start:value] != f"{node.arg}=".encode():
                return None
        parts.append((start, value, place, node.value, node.arg or "**"))
    gap = data[place : call_end - 1]
    if gap.strip() not in (b"", b","):
        return None
    commas.append(place + gap.find(b",") if b"," in gap else -1)
    if parts and type(parts[0][3]) is ast.GeneratorExp:
        return None
    arguments = [
        Argument(start, value, end, comma, node, keyword, False)
        for (start, value, end, node, keyword), comma in zip(parts, commas[1:], strict=True)
    ]
    return CallLayout(opened, call_end - 1, tuple(arguments), comments=False)


def _opening_parenthesis(marks: _Marks) -> int:
    """Return the offset of a call's opening parenthesis.

    `marks` are those between the called function and the first argument; they may begin with
    parentheses that close around the function.
    """
    for mark, place in marks:
        if mark == b"(":
            return place
    raise AssertionError("a call without a parenthesis")


def _locate_argument(
    source: Source, before: _Marks, after: _Marks, item: _Written, opened: int
) -> Argument:
    """Return the layout of one argument, given the marks before and after it."""
    (start, end), node, keyword = item
    # Parentheses around a positional argument are in the gap, those of a keyword's value are not.
    own = [place for mark, place in before if mark == b"(" and place > opened]
    behind = [(mark, place) for mark, place in after if mark != b"#"]
    end_paren = behind[len(own) - 1][1] + 1 if own else end
    following = behind[len(own)] if len(own) < len(behind) else (b"", -1)
    comma = following[1] if following[0] == b"," else -1
    value, parenthesized = (own[0] if own else start), bool(own)
    if keyword is not None and keyword != "**":
        node_start = source.span(node)[0]
        value = _value_start(source, start, node_start)
        parenthesized = source.data[value : value + 1] == b"(" and value < node_start
    return Argument(own[0] if own else start, value, end_paren, comma, node, keyword, parenthesized)


def _value_start(source: Source, start: int, node_start: int) -> int:
    """Return the offset of the value in `name = value`, including its own parentheses."""
    place = source.data.index(b"=", start) + 1
    while place < node_start:
        byte = source.data[place : place + 1]
        if byte == b"(":
            return place
        if byte == b"#":
            return node_start
        place += 1
    return node_start
