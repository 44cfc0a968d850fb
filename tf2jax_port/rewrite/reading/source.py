"""Decode the bytes of a file to a text with line offsets, and encode it again.

Syntax trees give positions as line and column in UTF-8 bytes. Therefore the text is kept as UTF-8, whatever the
encoding of the file, and each position becomes one offset into it.
"""

from __future__ import annotations

import ast
import codecs
import dataclasses
import io
import itertools
import re
import tokenize
import warnings

_LINE_END = re.compile(rb"\r\n|\r|\n")


class UnreadableError(Exception):
    """Raised if a file cannot be read as Python; `code` is the diagnostic that gives the reason."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


@dataclasses.dataclass(frozen=True, slots=True)
class Source:
    """A text as UTF-8 bytes, with the encoding and byte order mark of its file."""

    data: bytes
    encoding: str = "utf-8"
    bom: bool = False
    starts: tuple[int, ...] = (0,)

    @property
    def newline(self) -> str:
        """The line ending of the file's first line."""
        found = _LINE_END.search(self.data)
        return found.group().decode() if found else "\n"

    @property
    def text(self) -> str:
        """The text without a byte order mark."""
        return self.data.decode()

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a syntax-tree position: a line, from 1, and a column in bytes."""
        return self.starts[line - 1] + column

    def span(self, node: ast.expr | ast.stmt | ast.excepthandler | ast.keyword) -> tuple[int, int]:
        """Return the start and end offset of a node."""
        start = self.starts[node.lineno - 1] + node.col_offset
        return start, self.starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)

    def line_end(self, line: int) -> int:
        """Return the offset at which a line ends, before its line ending."""
        end = self.starts[line] if line < len(self.starts) else len(self.data)
        return len(self.data[:end].rstrip(b"\r\n")) if line < len(self.starts) else end

    def encode(self, data: bytes) -> bytes:
        """Encode new UTF-8 text with the encoding of this file."""
        if self.encoding == "utf-8":
            return codecs.BOM_UTF8 + data if self.bom else data
        return data.decode().encode(self.encoding)


def from_text(text: str) -> Source:
    """Build a `Source` from a string, as if it was read from a UTF-8 file."""
    return _with_lines(text.encode(), "utf-8", bom=False)


def with_data(source: Source, data: bytes) -> Source:
    """Return a `Source` with new text and the same encoding."""
    return _with_lines(data, source.encoding, bom=source.bom)


def decode(raw: bytes) -> Source:
    """Decode the bytes of a file by its byte order mark or coding comment.

    Raises:
      UnreadableError: the bytes are not Python text, or could not be written back unchanged.
    """
    if b"\0" in raw:
        raise UnreadableError("TJ902", "the file contains null bytes, so it is not a text file")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
        text = raw.decode(encoding)
        bom = encoding == "utf-8-sig"
        encoding = "utf-8" if bom else encoding
        source = _with_lines(text.encode(), encoding, bom=bom)
        restored = source.encode(source.data)
    except (SyntaxError, UnicodeError, LookupError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        raise UnreadableError("TJ902", f"the text cannot be decoded: {reason}") from error
    if restored != raw:
        reason = f"the text cannot be encoded as {encoding} without changes"
        raise UnreadableError("TJ902", reason)
    return source


def _with_lines(data: bytes, encoding: str, *, bom: bool) -> Source:
    lines = data.splitlines(keepends=True)
    ends = tuple(itertools.accumulate(map(len, lines)))
    # The text after the last line end counts as a line, even if it is empty.
    open_ended = bool(lines) and not lines[-1].endswith((b"\n", b"\r"))
    return Source(data, encoding, bom, (0, *(ends[:-1] if open_ended else ends)))


def parse(source: Source) -> ast.Module:
    """Parse a source into a syntax tree.

    Raises:
      UnreadableError: the text is not valid for this Python version, or is nested too deeply.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the user's escapes and comparisons
            return ast.parse(source.text)
    except SyntaxError as error:
        code = "TJ904" if _is_python_2(source, error) else "TJ901"
        raise UnreadableError(code, f"line {error.lineno}: {error.msg}") from error
    except (RecursionError, MemoryError) as error:
        raise UnreadableError("TJ903", "expressions are nested too deeply") from error
    except ValueError as error:
        raise UnreadableError("TJ902", str(error)) from error


_PYTHON_2 = re.compile(r"Missing parentheses in call to|multiple exception types|leading zeros in")
_PYTHON_2_LINE = re.compile(
    r"^\s*(print\s+[\"'\w]|except\s+[\w.]+\s*,\s*\w+\s*:|exec\s+\w|raise\s+\w+\s*,)"
)


def _is_python_2(source: Source, error: SyntaxError) -> bool:
    lines = source.text.splitlines()
    line = lines[error.lineno - 1] if error.lineno and error.lineno <= len(lines) else ""
    return bool(_PYTHON_2.search(error.msg or "") or _PYTHON_2_LINE.match(line))
