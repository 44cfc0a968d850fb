"""Find names of TensorFlow without a finding, independently of the scan.

python -m tools.token_search FOLDER...

It uses neither scopes nor syntax trees: it searches the tokens of a file for names that an import statement
binds to TensorFlow. Each must begin a finding, be part of an import, give a module another name
(`layers = tf.keras.layers`), or be bound to something else in the file.
"""

from __future__ import annotations

import dataclasses
import io
import pathlib
import re
import sys
import tokenize
from collections.abc import Iterable, Iterator

from tf2jax_port.files import code_base, runs
from tf2jax_port.rewrite.findings.ledger import Entry
from tf2jax_port.rewrite.options import Options

_ALIAS = re.compile(r"\s*(?:self\.|cls\.)?\w+(?:\s*:[^=]+)?\s*=\s*[\w.]+\s*(?:#.*)?$")
_NO_CODE = (*(tokenize.ENCODING, tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT),)
Token = tokenize.TokenInfo


@dataclasses.dataclass(frozen=True, slots=True)
class Unexplained:
    """A name without a finding."""

    path: str
    line: int
    column: int
    text: str


def statements(tokens: Iterable[Token]) -> Iterator[list[Token]]:
    """Yield the tokens of each logical line."""
    line: list[Token] = []
    for token in tokens:
        if token.type in (tokenize.NEWLINE, tokenize.ENDMARKER) or token.string == ";":
            yield line
            line = []
        elif token.type not in _NO_CODE:
            line.append(token)


def is_import(line: list[Token]) -> bool:
    words = [token.string for token in line]
    while words and ":" in words and words[0] in ("try", "if", "else", "with", "except"):
        words = words[words.index(":") + 1 :]
    return words[:1] == ["import"] or (words[:1] == ["from"] and "import" in words)


def imported(line: list[Token]) -> set[str]:
    """Return the names that an import binds to TensorFlow."""
    words = [token.string for token in line if token.string not in "()"]
    if words[0] == "import":
        parts = " ".join(words[1:]).split(" , ")
        own = [part.split() for part in parts if part.split(" ")[0] == "tensorflow"]
        return {part[-1] if "as" in part else part[0] for part in own}
    if words[1] != "tensorflow":
        return set()
    parts = " ".join(words[words.index("import") + 1 :]).split(",")
    return {part.split()[-1] for part in parts if part.split()} - {"*"}


def bound_otherwise(lines: Iterable[list[Token]], names: set[str]) -> set[str]:
    """Return names that the file may bind otherwise: parameters, targets, classes, imports."""
    found: set[str] = set()
    for line in lines:
        for before, token, after in zip([None, *line], line, [*line[1:], None]):
            if token.string not in names or (before and before.string == "."):
                continue
            following = after.string if after else ""
            defined = before is not None and before.string in ("def", "class", "for", "as", "del")
            parameter = following in (",", ")", ":") and any(
                each.string in ("def", "lambda") for each in line
            )
            if defined or following in ("=", ":=", "in") or parameter or is_import(line):
                found.add(token.string)
    return found


@dataclasses.dataclass(slots=True)
class Search:
    """The result of a search.

    Attributes:
      seen: the number of names compared with the findings.
      passed_over: the number of names in files that may bind them otherwise.
      left: the names without a finding.
    """

    seen: int = 0
    passed_over: int = 0
    left: list[Unexplained] = dataclasses.field(default_factory=list)


def compare(entry: Entry, search: Search) -> None:
    """Compare the names of one file with its findings."""
    tokens = list(tokenize.tokenize(io.BytesIO(entry.before).readline))
    lines = list(statements(tokens))
    imports = [line for line in lines if line and is_import(line)]
    names = set().union(*(imported(line) for line in imports))
    others = [line for line in lines if line not in imports]
    foreign = [line for line in imports if not imported(line)]
    elsewhere = bound_otherwise([*others, *foreign], names)
    found = {(finding.line, finding.column) for finding in entry.outcome.findings}
    for line in others:
        text = "".join(dict.fromkeys(token.line for token in line)).strip("\n")
        for before, token in zip([None, *line], line):
            if token.type != tokenize.NAME or token.string not in names:
                continue
            if before is not None and before.string == ".":
                continue
            if token.string in elsewhere:
                search.passed_over += 1
                continue
            search.seen += 1
            place = (token.start[0], token.start[1] + 1)
            if place not in found and not _ALIAS.match(text):
                search.left.append(Unexplained(entry.path, *place, text.strip()))


def search(folders: Iterable[str]) -> Search:
    """Search all Python files of some folders."""
    found = Search()
    for result in runs.run_over(code_base.find_files(folders), Options()):
        if isinstance(result, Entry) and pathlib.Path(result.path).suffix == ".py":
            compare(result, found)
    return found


if __name__ == "__main__":
    result = search(sys.argv[1:] or ["."])
    for each in result.left:
        print(f"{each.path}:{each.line}:{each.column}: {each.text}")
    print(
        f"{result.seen} names compared, {result.passed_over} in files that bind them otherwise too"
    )
    print(f"{len(result.left)} of them without a finding")
    sys.exit(1 if result.left else 0)
