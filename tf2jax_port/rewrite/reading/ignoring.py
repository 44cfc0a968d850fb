"""Read ignore comments: `# tf2jax: ignore`, `ignore[TJ301]`, `ignore-file` and `ignore-file[TJ2]`.

A comment after code applies to its own line. A comment on a line of its own applies to the next line of code, or to
the whole file. Any text may follow, such as a reason.
"""

from __future__ import annotations

import ast
import dataclasses
import io
import re
import tokenize

from tf2jax_port.rewrite.reading.source import Source, UnreadableError

_COMMENT = re.compile(r"#\s*tf2jax:\s*ignore(?P<file>-file)?(?:\[(?P<codes>[^\]]*)\])?(?![\w-])")
_EVERY = "TJ"
_CODE = re.compile(r"TJ(?:[1-59]\d{0,2})?")
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
      file: the prefixes of the diagnostics to ignore in the whole file.
      mistaken: a dict from lines with an ignore comment to the names in it that are no diagnostics.
    """

    lines: dict[int, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    file: tuple[str, ...] = ()
    mistaken: dict[int, tuple[str, ...]] = dataclasses.field(default_factory=dict)

    @property
    def whole_file(self) -> bool:
        """Whether every diagnostic of the file is ignored."""
        return _EVERY in self.file

    def covers(self, node: ast.expr | ast.stmt | ast.alias, code: str) -> bool:
        """Return whether a comment on the first or last line of a node ignores the diagnostic."""
        if not (self.lines or self.file):
            return False
        codes = (*self.file, *_at(self.lines, node))
        return any(code.startswith(beginning) for beginning in codes)

    def mistakes(self, node: ast.expr | ast.stmt | ast.alias) -> str:
        """Return a clause about names in the comments of a node that are no diagnostics; empty if there are none."""
        names = _at(self.mistaken, node) if self.mistaken else ()
        if not names:
            return ""
        # A list of the distinct names, since a node may begin and end on the same line.
        shown = ", ".join(f"`{name}`" for name in dict.fromkeys(names))
        return f"; the comment `tf2jax: ignore` names {shown}: no diagnostic begins like this, so this excludes nothing"


def _at(
    lines: dict[int, tuple[str, ...]], node: ast.expr | ast.stmt | ast.alias
) -> tuple[str, ...]:
    """Return what the comments on the first and the last line of a node name."""
    return (*lines.get(node.lineno, ()), *lines.get(node.end_lineno or 0, ()))


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
    named: dict[int, tuple[str, ...]] = {}
    in_file: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    code_on = 0
    for token in tokenize.generate_tokens(io.StringIO(source.text, newline="").readline):
        if token.type not in _NO_CODE:
            code_on = token.end[0]
            if pending:
                named[token.start[0]] = pending
                pending = ()
            continue
        found = _COMMENT.search(token.string) if token.type == tokenize.COMMENT else None
        if found is None:
            continue
        names = _parse_names(found["codes"])
        if found["file"]:
            in_file = (*in_file, *names)
        elif code_on == token.start[0]:
            named[code_on] = (*named.get(code_on, ()), *names)
        else:
            pending = (*pending, *names)
    return Ignored(
        {line: _codes_in(names) for line, names in named.items()},
        _codes_in(in_file),
        {line: wrong for line, names in named.items() if (wrong := _mistakes_in(names))},
    )


def _parse_names(text: str | None) -> tuple[str, ...]:
    """Return the names in the brackets of a comment, or the prefix of all diagnostics if there are none."""
    names = (name.strip() for name in (text or "").split(","))
    return tuple(name for name in names if name) or (_EVERY,)


def _codes_in(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name.upper() for name in names if _CODE.fullmatch(name.upper()))


def _mistakes_in(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in names if not _CODE.fullmatch(name.upper()))
