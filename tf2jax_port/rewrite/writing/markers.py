"""Read and write marker comments, `# TJ301: tf.foo: why`, above code that needs manual work.

A run first removes all markers and then inserts those that still apply. So a second run changes nothing, and a
marker disappears together with its cause.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tf2jax_port.rewrite.reading.scopes import Names
from tf2jax_port.rewrite.reading.source import Source
from tf2jax_port.rewrite.writing.edits import Edit

_MARKER = re.compile(rb"[ \t\f]*# TJ\d{3}: ")
_INDENT = re.compile(rb"[ \t\f]*")


def has_markers(data: bytes) -> bool:
    """Return whether a text may contain a marker."""
    return b"# TJ" in data and _MARKER.search(data) is not None


def marker_lines(source: Source, tree: ast.Module) -> list[int]:
    """Return the numbers, from 1, of the lines that are markers and not part of a string."""
    found = [
        line
        for line, start in enumerate(source.starts, 1)
        if source.data[start : start + 1] in (b"#", b" ", b"\t", b"\f")
        and _MARKER.match(source.data, start)
    ]
    inside = {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno != node.lineno
        for line in range(node.lineno + 1, (node.end_lineno or 0) + 1)
    }
    return [line for line in found if line not in inside]


def without_lines(source: Source, lines: list[int]) -> bytes:
    """Return the text without the given lines."""
    kept = bytearray()
    ends = [*source.starts[1:], len(source.data)]
    dropped = set(lines)
    for line, (start, end) in enumerate(zip(source.starts, ends, strict=True), 1):
        if line not in dropped:
            kept += source.data[start:end]
    return bytes(kept)


def any_says(source: Source, lines: list[int], text: str) -> bool:
    """Return whether one of the markers on the given lines ends with `text`."""
    ends = (source.data[source.starts[n - 1] : source.line_end(n)] for n in lines)
    return any(end.endswith(text.encode()) for end in ends)


def marker_line(source: Source, names: Names, node: ast.AST) -> int:
    """Return the line above which the marker of a node is inserted: the start of its logical line."""
    for candidate in (node, *names.ancestors(node)):
        anchor: ast.AST | None = candidate
        while anchor is not None and _is_anchor(names, anchor):
            line = _first_line(anchor)
            if _begins_logical_line(source, line, _column(anchor)):
                return line
            anchor = _sibling_before(names, anchor)
    return 1


def _is_anchor(names: Names, node: ast.AST) -> bool:
    """Return whether a marker can be placed above a node: a statement, an `except` or a decorator."""
    if isinstance(node, ast.stmt | ast.ExceptHandler):
        return True
    return node in getattr(names.parents.get(node), "decorator_list", ())


def _sibling_before(names: Names, node: ast.AST) -> ast.AST | None:
    """Return the previous statement of the same block, which may share the line."""
    parent = names.parents.get(node)
    for field in ("body", "orelse", "finalbody"):
        block = getattr(parent, field, [])
        if isinstance(block, list) and node in block:
            index = block.index(node)
            return block[index - 1] if index else None
    return None


def _first_line(node: ast.AST) -> int:
    return int(getattr(node, "lineno", 1))


def _column(node: ast.AST) -> int:
    return int(getattr(node, "col_offset", 0))


def _begins_logical_line(source: Source, line: int, column: int) -> bool:
    start = source.starts[line - 1]
    before = source.data[start : start + column]
    if before.strip(b" \t\f") not in (b"", b"@"):
        return False
    previous = source.data[:start].rstrip(b"\r\n")
    return not (previous.endswith(b"\\") and start > 0)


def insertions(source: Source, wanted: dict[int, list[str]]) -> Iterator[Edit]:
    """Yield the edits that insert marker comments above lines, with the same indentation."""
    for line, texts in sorted(wanted.items()):
        start = source.starts[line - 1]
        found = _INDENT.match(source.data, start)
        indent = found.group().decode() if found else ""
        text = "".join(f"{indent}# {text}{source.newline}" for text in dict.fromkeys(texts))
        yield Edit(start, start, (text,))
