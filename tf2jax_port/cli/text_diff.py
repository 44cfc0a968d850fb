"""Format the changes of a file as a unified diff for `patch`."""

from __future__ import annotations

import difflib
import io
import re
import tokenize
from collections.abc import Iterator

import click

from tf2jax_port.rewrite.findings.ledger import Entry

_COLORS = (("+++", "bold"), ("---", "bold"), ("@@", "cyan"), ("+", "green"), ("-", "red"))
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_NO_END = "\\ No newline at end of file\n"


def diff_lines(entry: Entry, *, color: bool) -> Iterator[str]:
    """Yield the lines of a file's unified diff, with their line ends."""
    old, new = (_LINES.findall(_text(raw)) for raw in (entry.before, entry.outcome.data))
    for line in difflib.unified_diff(old, new, entry.path, entry.path):
        style = next((style for start, style in _COLORS if line.startswith(start)), None)
        ended = line if line.endswith("\n") else f"{line}\n{_NO_END}"
        yield _styled(ended, style) if color and style else ended


def _styled(text: str, style: str) -> str:
    return click.style(text, bold=True) if style == "bold" else click.style(text, fg=style)


def _text(raw: bytes) -> str:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
    except SyntaxError:
        encoding = "utf-8"
    return raw.decode(encoding, errors="replace")
