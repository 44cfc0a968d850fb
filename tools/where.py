"""Locate an operator's row, code, tests and pages.

python -m tools.where tf.boolean_mask

Takes TensorFlow's names, aliases and names of version 1 (`tf.compat.v1.to_float`), with or without
`tf.` in front. All is looked up in the objects and the texts themselves: no path is written down.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import functools
import inspect
import pathlib
import re
import sys
import types
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import shims
import tf2jax_port
from tf2jax_port.rewrite.knowledge import keras_rows
from tf2jax_port.rewrite.knowledge import known as knowledge
from tf2jax_port.rewrite.reading.resolve import canonical, tensorflow_path
from tf2jax_port.table import Keep, Manual, Native, Row
from tools.scorecard import mentions

ROOT = pathlib.Path(tf2jax_port.__file__).parents[1]
TESTS = ROOT / "tests"
# By these calls a suite takes all rows of the table as its parameters.
_OVER_ROWS = re.compile(r"\b(?:cases\.points|rows\.parameters|rows\.names)\(|\bcases\.operators\(")
_MARKED = re.compile(r"pytest\.mark\.symbols\(|\bsymbols=")


class Place(NamedTuple):
    """A line of a file, and its subject."""

    path: pathlib.Path
    line: int
    text: str = ""

    def __str__(self) -> str:
        path = self.path.relative_to(ROOT) if self.path.is_relative_to(ROOT) else self.path
        return f"{path}:{self.line}" + (f"  {self.text}" if self.text else "")


class Name(NamedTuple):
    """A resolved name: TensorFlow's path without `compat.v1`, the version, and the row."""

    path: str
    version: int
    row: Row | None

    @property
    def spellings(self) -> tuple[str, ...]:
        """Return all names of the object, without `tf.`."""
        found = self.row.names if self.row else (self.path,)
        return tuple(dict.fromkeys(name.removeprefix("v1.") for name in found))

    @property
    def tensorflows(self) -> str:
        """Return TensorFlow's own name."""
        is_old = self.row is None and self.version == 1
        return _spell(self.row.name if self.row else f"v1.{self.path}" if is_old else self.path)

    @property
    def facade(self) -> str:
        """Return the name in `shims`, whether it exists or not."""
        known = self.row and knowledge.facade(self.row)
        path = self.row.name.removeprefix("v1.") if self.row else self.path
        is_old = self.version == 1 or (self.row is not None and self.row.name.startswith("v1."))
        return known or (f"shims.compat.v1.{path}" if is_old else f"shims.{path}")


def resolve(text: str) -> Name:
    """Resolve a name given on the command line.

    Raises:
      LookupError: neither the table nor `shims` knows the name; the message lists the nearest ones.
    """
    bare = re.sub(r"^(?:tf|tensorflow|shims)\.", "", text.strip())
    path, version = tensorflow_path(f"tensorflow.{bare}")
    if path.startswith("v1."):
        path, version = path.removeprefix("v1."), 1
    rows = knowledge.rows()
    tried = (
        (f"v1.{path}", canonical(path, version)) if version == 1 else (canonical(path, version),)
    )
    row = next((rows[name] for name in (*tried, path) if name in rows), None)
    name = Name(path, version, row or keras_rows.find_row(path, version))
    if (name.row is None and not path) or (name.row is None and find_object(name.facade) is None):
        raise LookupError(f"`{text}` is no name of the table.{_nearest(path)}")
    return name


def _spell(path: str) -> str:
    """Spell a name of the table as programs do: `tf.compat.v1.to_float` for `v1.to_float`."""
    return f"tf.compat.{path}" if path.startswith("v1.") else f"tf.{path}"


def _nearest(path: str) -> str:
    last = path.rpartition(".")[2]
    known = list(knowledge.rows())
    same = [name for name in known if name.rpartition(".")[2] == last]
    near = same or difflib.get_close_matches(path, known, n=3, cutoff=0.6)
    return f" Did you mean {', '.join(f'`{_spell(n)}`' for n in near)}?" if near else ""


def find_object(dotted: str) -> Any:
    """Return an object by its full name, `None` if there is none."""
    found: Any = shims
    for part in dotted.split(".")[1:]:
        found = getattr(found, part, None)
    return found


def place_of_row(row: Row) -> Place | None:
    """Find the line that defines a row, in its module."""
    for module in _modules(tf2jax_port):
        for value in list(vars(module).values()):
            if isinstance(value, tuple) and any(each is row for each in value):
                path = pathlib.Path(inspect.getfile(module))
                line = _line_of_name(path, row.name)
                if line:
                    return Place(path, line)
    return None


def _modules(package: types.ModuleType) -> tuple[types.ModuleType, ...]:
    """Return the loaded modules of a package, deeply nested ones first."""
    names = [name for name in sys.modules if name.startswith(f"{package.__name__}.")]
    return tuple(sys.modules[name] for name in sorted(names, key=lambda n: -n.count(".")))


def _line_of_name(path: pathlib.Path, name: str) -> int:
    """Find the line where a file spells a dotted name, or most of it; 0 if nowhere."""
    texts = _texts(path)
    parts = name.split(".")
    ends = [".".join(parts[i:]) for i in range(len(parts))]
    whole = [end for end in ends if end in texts]
    # A family of rows spells what sets one apart from the others.
    some = [text for text in texts if len(text) > 2 and text in parts[-1]]
    best = whole[0] if whole else max(some, key=len, default="")
    return texts.get(best, 0)


@functools.cache
def _texts(path: pathlib.Path) -> dict[str, int]:
    """Map each string in a file's code, and each of its words, to its first line."""
    tree = ast.parse(path.read_text())
    # Neither docstrings nor parts of f-strings.
    parts = (n for n in ast.walk(tree) if isinstance(n, (ast.Expr, ast.JoinedStr)))
    left = {id(part) for n in parts for part in ast.iter_child_nodes(n)}
    constants = [n for n in ast.walk(tree) if isinstance(n, ast.Constant) and id(n) not in left]
    texts = sorted((n.lineno, n.value) for n in constants if isinstance(n.value, str))
    found: dict[str, int] = {}
    for line, text in texts:
        found.setdefault(text, line)
    for line, text in texts:
        for word in text.split():
            found.setdefault(word, line)
    return found


def place_of_code(name: Name) -> Place | None:
    """Find the definition behind a facade's name, `None` if it is not a function or class."""
    found: Any = inspect.unwrap(find_object(name.facade))
    code = getattr(found, "__code__", None)
    if code is not None:
        return _definition(pathlib.Path(code.co_filename), code.co_name, code.co_firstlineno)
    if isinstance(found, type):
        # The module that a public class names is the facade's.
        homes = (m for m in _modules(shims) if vars(m).get(found.__name__) is found)
        places = (_definition(pathlib.Path(inspect.getfile(m)), found.__name__) for m in homes)
        return next(filter(None, places), None)
    return None


def _definition(path: pathlib.Path, name: str, after: int = 0) -> Place | None:
    """Find the first function or class of a name after a line."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if number >= after and re.match(rf"\s*(?:def|class) {name}\b", line):
            return Place(path, number, line.strip())
    return None


def generated_suites(row: Row | None) -> Iterator[Place]:
    """Yield the suites that run the row's own cases."""
    for path in _files(TESTS, "*.py"):
        match = _OVER_ROWS.search(path.read_text())
        if match and path.name.startswith("test_") and row is not None and row.inputs:
            yield Place(path, path.read_text()[: match.start()].count("\n") + 1)


def written_tests(name: Name) -> list[Place]:
    """Return the test files that use the operator or are marked with its name, by frequency."""
    found = []
    for path in _files(TESTS, "*.py"):
        text = path.read_text()
        lines = [
            number
            for number, line in enumerate(text.splitlines(), 1)
            if not mentions.names_in(line).isdisjoint(name.spellings)
        ]
        quoted = [_texts(path)[n] for n in name.spellings if n in _texts(path)]
        lines += quoted if _MARKED.search(text) else []
        if lines:
            found.append((len(lines), Place(path, min(lines))))
    ranked = sorted(found, key=lambda each: -each[0])
    return [place._replace(text=f"{count} lines" if count > 1 else "") for count, place in ranked]


def pages(name: Name) -> Iterator[Place]:
    """Yield the pages that mention the operator in code."""
    spelled = "|".join(map(re.escape, name.spellings))
    pattern = re.compile(
        rf"(?<![\w.])(?:(?:tf|shims)\.)(?:compat\.v1\.)?(?:{spelled})(?![\w.])|`(?:{spelled})`"
    )
    for path in (*_files(ROOT / "docs", "*.md"), *sorted(ROOT.glob("*.md"))):
        text = path.read_text()
        found = pattern.search(text)
        if found:
            yield Place(path, text[: found.start()].count("\n") + 1)


def _files(folder: pathlib.Path, pattern: str) -> list[pathlib.Path]:
    return sorted(folder.rglob(pattern))


def target_of(row: Row) -> str:
    """Describe the target of a row's name."""
    target = row.target
    if isinstance(target, Native):
        return f"native: {target.expression}"
    if isinstance(target, (Keep, Manual)):
        return f"{type(target).__name__.lower()}: {target.reason}"
    return f"shim: {target.function}"


def report(name: Name) -> list[str]:
    """Return all results, one per line."""
    row = name.row
    code = place_of_code(name)
    shown = f"{name.facade}" if find_object(name.facade) is not None else "none"
    lines = [f"name:       {name.tensorflows}"]
    if row:
        lines += [f"aliases:    {', '.join(map(_spell, row.aliases))}"] if row.aliases else []
        lines += [f"row:        {place_of_row(row) or 'made from other rows'}"]
        lines += [f"rewritten:  {target_of(row)}"]
    else:
        lines += ["row:        none"]
    lines += [f"facade:     {shown}", f"code:       {code or 'none: no function or class'}"]
    if row and row.inputs:
        ids = ", ".join(f"{row.name}-{case.id}" for case in row.inputs)
        lines += [f"cases:      {ids}"]
    lines += _listed("suites:", generated_suites(row), f"run with: -k '{row.name}'" if row else "")
    lines += _listed("tests:", written_tests(name)) + _listed("pages:", pages(name))
    return lines


def _listed(title: str, places: Iterable[Place], note: str = "") -> list[str]:
    texts = [str(place) for place in places]
    texts += [note] if texts and note else []
    return [f"{title if i == 0 else '':11} {text}" for i, text in enumerate(texts or ["none"])]


def main(arguments: list[str] | None = None) -> int:
    """Report on the names of the command line; return 1 if one is unknown."""
    parser = argparse.ArgumentParser(prog="python -m tools.where", description=__doc__)
    parser.add_argument("names", nargs="+", metavar="NAME", help="tf.boolean_mask")
    failed = 0
    for text in parser.parse_args(arguments).names:
        try:
            print("\n".join(report(resolve(text))))
        except LookupError as error:
            print(error.args[0], file=sys.stderr)
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
