"""Comments that keep the rewriter away: `# tf2jax: ignore`, `ignore[TJ301]` and `ignore-file`.

One behind code is about the line that it stands on; one on a line of its own about the next line of
code, or the whole file.
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
    """What the comments of a file say.

    Attributes:
      lines: for each line with such a comment the beginnings of diagnostics that it names; all of
        them where it names none.
      whole_file: whether the file is left alone.
    """

    lines: dict[int, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    whole_file: bool = False

    def covers(self, node: ast.expr | ast.stmt | ast.alias, code: str) -> bool:
        """Whether a node is left alone: by a comment at its first line or at its last."""
        if self.whole_file:
            return True
        if not self.lines:
            return False
        codes = (*self.lines.get(node.lineno, ()), *self.lines.get(node.end_lineno or 0, ()))
        return any(code.startswith(beginning) for beginning in codes)


def find_ignored(source: Source) -> Ignored:
    """The comments of a source; almost no file has any, and then nothing is done.

    Raises:
      UnreadableError: the comments cannot be told from the rest.
    """
    if _HINT not in source.data:
        return Ignored()
    try:
        return _read(source)
    except (tokenize.TokenError, SyntaxError) as error:
        raise UnreadableError("TJ905", f"its comments cannot be read: {error}") from error


def _read(source: Source) -> Ignored:
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
        codes = _codes(found["codes"])
        if code_on == token.start[0]:
            lines[code_on] = (*lines.get(code_on, ()), *codes)
        else:
            pending = (*pending, *codes)
    return Ignored(lines)


def _codes(text: str | None) -> tuple[str, ...]:
    """The beginnings that a comment names; all diagnostics where it names none that could be one.

    Whoever mistypes a number wants a place left alone, and finds it left alone.
    """
    codes = [code.strip().upper() for code in (text or "").split(",")]
    return tuple(code for code in codes if _CODE.fullmatch(code)) or ("TJ",)
