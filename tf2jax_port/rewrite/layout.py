"""Where the arguments of a call stand in the text: parentheses, commas and comments between them."""

from __future__ import annotations

import ast
import dataclasses
import re

from tf2jax_port.rewrite.source import Source


@dataclasses.dataclass(frozen=True, slots=True)
class Argument:
    """One argument as written.

    Attributes:
      start: where its keyword, star or parenthesis begins.
      value: where its value begins, parentheses included; `start` for a positional one.
      end: where it ends, parentheses included.
      comma: offset of the comma behind it, or -1.
      node: the value.
      keyword: its name, `**` for a mapping, `None` for a positional one.
      parenthesised: the value stands in parentheses of its own.
    """

    start: int
    value: int
    end: int
    comma: int
    node: ast.expr
    keyword: str | None
    parenthesised: bool


@dataclasses.dataclass(frozen=True, slots=True)
class CallLayout:
    """A call as written; `opened` and `closed` are the offsets of its parentheses."""

    opened: int
    closed: int
    arguments: tuple[Argument, ...]
    comments: bool  # between the arguments or behind a keyword, not inside a value


@dataclasses.dataclass(slots=True)
class _Gap:
    """The marks of a text that holds nothing but white space, comments and punctuation."""

    marks: list[tuple[str, int]]
    comments: bool = False


_MARK = re.compile(rb"#[^\r\n]*|[(),]")


def _scan(data: bytes, start: int, end: int) -> _Gap:
    gap = _Gap([])
    for found in _MARK.finditer(data, start, end):
        if found.group().startswith(b"#"):
            gap.comments = True
        else:
            gap.marks.append((found.group().decode(), found.start()))
    return gap


def call_layout(source: Source, call: ast.Call) -> CallLayout:
    """How a call is written.

    The parentheses of a lone generator argument are the call's own; there `opened` is -1.
    """
    data = source.data
    function_end = source.span(call.func)[1]
    call_end = source.span(call)[1]
    written = sorted(
        [(source.span(a), a, None) for a in call.args]
        + [(source.span(k), k.value, k.arg or "**") for k in call.keywords],
        key=lambda item: item[0],
    )
    if written and isinstance(written[0][1], ast.GeneratorExp) and written[0][0][1] == call_end:
        start, end = written[0][0]
        lone = Argument(start, start, end, -1, written[0][1], None, parenthesised=True)
        return CallLayout(-1, call_end - 1, (lone,), comments=False)
    gaps = []
    place = function_end
    for (start, end), _, _ in written:
        gaps.append(_scan(data, place, start))
        place = end
    gaps.append(_scan(data, place, call_end))
    opened = _opening(gaps[0])
    arguments = []
    for index, ((start, end), node, keyword) in enumerate(written):
        argument = _argument(
            source, gaps[index], gaps[index + 1], (start, end, node, keyword), opened
        )
        arguments.append(argument)
    inside = any(b"#" in data[argument.start : argument.value] for argument in arguments)
    comments = inside or any(gap.comments for gap in gaps)
    return CallLayout(opened, call_end - 1, tuple(arguments), comments)


def _opening(gap: _Gap) -> int:
    """The parenthesis of the call: the first one that does not close the function's own."""
    for mark, place in gap.marks:
        if mark == "(":
            return place
    raise AssertionError("a call without a parenthesis")


def _argument(
    source: Source,
    before: _Gap,
    after: _Gap,
    item: tuple[int, int, ast.expr, str | None],
    opened: int,
) -> Argument:
    start, end, node, keyword = item
    # Parentheses around a positional argument are in the gap, those of a keyword's value are not.
    own = [place for mark, place in before.marks if mark == "(" and place > opened]
    end_paren = after.marks[len(own) - 1][1] + 1 if own else end
    following = after.marks[len(own) : len(own) + 1]
    comma = following[0][1] if following and following[0][0] == "," else -1
    value, parenthesised = (own[0] if own else start), bool(own)
    if keyword not in (None, "**"):
        value = _value_start(source, start, source.span(node)[0])
        parenthesised = source.data[value : value + 1] == b"(" and value < source.span(node)[0]
    return Argument(own[0] if own else start, value, end_paren, comma, node, keyword, parenthesised)


def _value_start(source: Source, start: int, node_start: int) -> int:
    """Where the value of `name = value` begins, its own parentheses included."""
    place = source.data.index(b"=", start) + 1
    while place < node_start:
        byte = source.data[place : place + 1]
        if byte == b"(":
            return place
        if byte == b"#":
            return node_start
        place += 1
    return node_start
