"""Join the cells of a notebook into one Python program, and split it again.

Each cell keeps its lines. A special comment begins each cell, so that the rewritten program can be
split. A magic or a shell line, such as `!pip install x`, is temporarily replaced by `pass` with a
comment.
"""

from __future__ import annotations

import ast
import dataclasses
import re
import warnings
from collections.abc import Sequence

# Cell magics whose cells hold Python.
_PYTHON_MAGICS = ("capture", "prun", "time", "timeit")
_MAGIC_LINE = re.compile(r"[ \t]*[%!?]|.*\?[ \t]*$")
_ASSIGNED_MAGIC = re.compile(r"([ \t]*[\w., \t]+=[ \t]*)[%!]\S")
_CELL_MAGIC = re.compile(r"\s*%%(\w+)")
_CELL = "# tf2jax-port notebook cell {}"
_LINE = "# tf2jax-port notebook line {}"
_CELL_FOUND = re.compile(r"^# tf2jax-port notebook cell (\d+)\n", re.MULTILINE)
_LINE_FOUND = re.compile(r"^.*# tf2jax-port notebook line (\d+)$", re.MULTILINE)


class LostCellError(Exception):
    """Raised if the rewritten program cannot be split into the original cells."""


@dataclasses.dataclass(frozen=True, slots=True)
class Program:
    """The cells of a notebook, joined into one program.

    Attributes:
      text: the program.
      starts: the first line of each cell in the program, 0 for a cell that is left out.
      aside: the original text of the replaced lines.
      broken: a dict from the numbers of cells that are not valid Python, from 0, to the error.
    """

    text: str
    starts: tuple[int, ...]
    aside: tuple[str, ...]
    broken: dict[int, str]

    def cell_of(self, line: int) -> tuple[int, int]:
        """Return the cell that contains a line of the program, from 0, and the line within it, from 1."""
        number = max(n for n, start in enumerate(self.starts) if 0 < start <= line)
        return number, line - self.starts[number] + 1


def join(cells: Sequence[str]) -> Program:
    """Join the cells of a notebook into one program."""
    parts: list[str] = []
    starts: list[int] = []
    aside: list[str] = []
    broken: dict[int, str] = {}
    line = 1
    for number, cell in enumerate(cells):
        found = _as_python(cell, aside)
        if found is None or isinstance(found, SyntaxError):
            starts.append(0)
            if found is not None:
                broken[number] = f"line {found.lineno}: {found.msg}"
            continue
        python, more = found
        aside += more
        text = f"{_CELL.format(number)}\n{python}\n"
        starts.append(line + 1)
        line += text.count("\n")
        parts.append(text)
    return Program("".join(parts), tuple(starts), tuple(aside), broken)


def split(program: Program, text: str) -> dict[int, str]:
    """Split a rewritten program into cells; return a dict from their numbers, from 0, to their text.

    Raises:
      LostCellError: a cell or a replaced line is missing.
    """
    found = _CELL_FOUND.split(text)
    numbers = [int(number) for number in found[1::2]]
    restored: list[int] = []

    def original(match: re.Match[str]) -> str:
        restored.append(int(match.group(1)))
        return program.aside[restored[-1]]

    cells = {
        number: _LINE_FOUND.sub(original, cell)
        for number, cell in zip(numbers, found[2::2], strict=True)
    }
    wanted = [number for number, start in enumerate(program.starts) if start]
    complete = numbers == wanted and restored == list(range(len(program.aside)))
    whole = all(cell.endswith("\n") for cell in cells.values())
    if not complete or not whole:
        raise LostCellError("a cell got lost")
    # New imports stand before the first cell's comment: they belong to that cell.
    if found[0]:
        cells[numbers[0]] = found[0] + cells[numbers[0]]
    return {number: cell[:-1] for number, cell in cells.items()}


def _as_python(cell: str, aside: Sequence[str]) -> tuple[str, list[str]] | SyntaxError | None:
    """Replace the magics of a cell (`%time`, `!ls`) by Python.

    Returns:
      The Python text and the replaced lines; the error if the cell is not valid Python; `None` if it is in another
      language.
    """
    magic = _CELL_MAGIC.match(cell)
    if magic is not None and magic.group(1) not in _PYTHON_MAGICS:
        return None
    error = _error_in(cell)
    if error is None:
        return cell, []
    if "\r" in cell.replace("\r\n", ""):
        return error
    lines = cell.split("\n")
    found: list[str] = []
    indent = ""  # of a magic line that goes on in the next one
    continued = False
    for index, line in enumerate(lines):
        if continued:
            lines[index] = _stand_in(f"{indent}{line.lstrip()}", len(aside) + len(found))
        elif not _MAGIC_LINE.match(line) and not _ASSIGNED_MAGIC.match(line):
            continue
        elif _is_complete("\n".join(lines[:index])):
            indent = line[: len(line) - len(line.lstrip())]
            lines[index] = _stand_in(line, len(aside) + len(found))
        else:
            continue
        found.append(line)
        continued = line.rstrip("\r").endswith("\\")
    python = "\n".join(lines)
    error = _error_in(python)
    return (python, found) if error is None else error


def _stand_in(line: str, number: int) -> str:
    """Return the Python line that temporarily replaces a line with a magic."""
    assigned = _ASSIGNED_MAGIC.match(line)
    comment = _LINE.format(number)
    if assigned is not None:
        return f"{assigned.group(1)}None  {comment}"
    indent = line[: len(line) - len(line.lstrip())]
    return f"{indent}pass  {comment}"


def _is_complete(text: str) -> bool:
    """Return whether a Python text ends where a new statement may follow, not within a statement."""
    if _error_in(text) is None:
        return True
    last = next((line for line in reversed(text.split("\n")) if line.strip()), "")
    indent = last[: len(last) - len(last.lstrip())]
    return _error_in(f"{text}\n{indent} pass") is None


def _error_in(text: str) -> SyntaxError | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the user's escapes and comparisons
            ast.parse(text)
    except SyntaxError as error:
        return error
    except (ValueError, RecursionError, MemoryError) as error:
        return SyntaxError(str(error))
    return None
