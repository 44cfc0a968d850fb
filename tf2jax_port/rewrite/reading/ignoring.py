"""Read ignore comments: `# tf2jax: ignore`, `ignore[TJ301]` and `ignore-file`.

A comment after code applies to its own line. A comment on a line of its own applies to the next line of code, or to
the whole file.
"""

from __future__ import annotations

import ast
import dataclasses
import io
import re
import tokenize

from tf2jax_port.rewrite.reading.source import Source, UnreadableError

_COMMENT = re.compile(r"#\s*tf2jax:\s*ignore(?P<file>-file)?(?:\[(?P<codes>[^\]]*)\])?(?![\w-])")
_CODE = re.compile(r"TJ\d{0,3}")
_HINT = b"tf2jax:"
_NO_CODE = (
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
)


@dataclasses.dataclass(frozen=True, slots=True)
class Ignored:
    """The ignore comments of a file.

    Attributes:
      lines: a dict from lines with an ignore comment to the prefixes of the diagnostics to ignore; the prefix of all
        diagnostics if the comment names none.
      whole_file: whether the whole file is ignored.
    """

    lines: dict[int, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    whole_file: bool = False

    def covers(self, node: ast.expr | ast.stmt | ast.alias, code: str) -> bool:
        """Return whether a comment on the first or last line of a node ignores the diagnostic."""
        if self.whole_file:
            return True
        if not self.lines:
            return False
        codes = (*self.lines.get(node.lineno, ()), *self.lines.get(node.end_lineno or 0, ()))
        return any(code.startswith(beginning) for beginning in codes)


def find_ignored(source: Source) -> Ignored:
    """Return the ignore comments of a source.

    Raises:
      UnreadableError: the source cannot be tokenized.
    """
    if _HINT not in source.data:
        return Ignored()
    try:
        return _read_comments(source)
    except (tokenize.TokenError, SyntaxError) as error:
        raise UnreadableError(
            "TJ905", f"the comments of the file cannot be read: {error}"
        ) from error


def _read_comments(source: Source) -> Ignored:
    """Tokenize a source and collect its ignore comments."""
    lines: dict[int, tuple[str, ...]] = {}
    pending: tuple[str, ...] = ()
    code_on = 0
    for token in tokenize.generate_tokens(io.StringIO(source.text, newline="").readline):
        if token.type not in _NO_CODE:
            code_on = token.end[0]
            if pending:
                lines[token.start[0]] = pending
                pending = ()
            continue
        found = _COMMENT.search(token.string) if token.type == tokenize.COMMENT else None
        if found is None:
            continue
        if found["file"]:
            return Ignored(whole_file=True)
        codes = _parse_codes(found["codes"])
        if code_on == token.start[0]:
            lines[code_on] = (*lines.get(code_on, ()), *codes)
        else:
            pending = (*pending, *codes)
    return Ignored(lines)


def _parse_codes(text: str | None) -> tuple[str, ...]:
    """Return the prefixes of the diagnostics that a comment names, or the prefix of all diagnostics.

    If all codes are misspelled, the comment ignores every diagnostic, since its author wanted to ignore something.
    """
    codes = [code.strip().upper() for code in (text or "").split(",")]
    return tuple(code for code in codes if _CODE.fullmatch(code)) or ("TJ",)
