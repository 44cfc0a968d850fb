"""Notebooks: the code of all cells is one program, which is rewritten, and put back cell by cell."""

from __future__ import annotations

import json
import re

from tf2jax_port.rewrite.findings.findings import Finding, Outcome, State
from tf2jax_port.rewrite.notebooks import cells
from tf2jax_port.rewrite.notebooks.text import Cell, read_cells, with_code
from tf2jax_port.rewrite.options import Options
from tf2jax_port.rewrite.plan import DEFAULTS, rewrite
from tf2jax_port.rewrite.reading.neighbors import ALONE, Neighbors
from tf2jax_port.rewrite.reading.source import UnreadableError

_MAY_BE_TENSORFLOW = re.compile(r"\b(?:tf\w{0,2}|tensorflow|keras|slim)\s*\.")
_NO_PYTHON = "TJ315"


def rewrite_notebook(
    raw: bytes, options: Options = DEFAULTS, *, verify: bool = True, neighbors: Neighbors = ALONE
) -> Outcome:
    """Rewrites the bytes of a notebook.

    Args:
      raw: the file.
      options: what was asked for.
      verify: read the result again, to be sure.
      neighbors: the modules around it.

    Returns:
      The new bytes, and findings by cell and line.

    Raises:
      UnreadableError: the bytes are no notebook, or one of Python 2.
      LedgerError: the states do not add up; a fault of the rewriter.
    """
    if b"tensorflow" not in raw and b"# TJ" not in raw and not neighbors.concern(raw):
        return Outcome(raw, (), 0)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableError("TJ902", f"the text cannot be decoded: {error}") from error
    own = text.removeprefix("\ufeff")
    code = read_cells(own)
    program = cells.join([cell.text for cell in code])
    outside = "\n".join([*program.aside, *(code[n].text for n in program.broken)])
    around = _Around(neighbors, outside)
    outcome = rewrite(program.text.encode(), options, verify=verify, neighbors=around)
    findings = [_placed(finding, program, code) for finding in outcome.findings]
    findings += [_no_python(code[n], why) for n, why in program.broken.items() if _matters(code[n])]
    data = raw
    if outcome.data.decode() != program.text:
        new = _put_back(own, code, program, outcome.data.decode())
        if verify:
            _check(own, new)
        data = (text[: len(text) - len(own)] + new).encode()
    findings.sort(key=lambda finding: (finding.cell, finding.line, finding.column))
    return Outcome(data, tuple(findings), len(findings), outcome.imports, outcome.imports_dropped)


class _Around:
    """The neighbors of a notebook's program, and its lines that are no Python: `%timeit f(x)`."""

    def __init__(self, neighbors: Neighbors, text: str) -> None:
        self.export = neighbors.export
        self.takes = neighbors.takes
        self.concern = neighbors.concern
        self.text = text

    def mentions(self, name: str) -> bool:
        """Whether one of these lines has a name."""
        return re.search(rf"\b{re.escape(name)}\b", self.text) is not None


def _placed(finding: Finding, program: cells.Program, code: tuple[Cell, ...]) -> Finding:
    number, line = program.cell_of(finding.line)
    return finding._replace(cell=code[number].number, line=line)


def _matters(cell: Cell) -> bool:
    """Whether a cell that is no Python may use TensorFlow."""
    return _MAY_BE_TENSORFLOW.search(cell.text) is not None


def _no_python(cell: Cell, why: str) -> Finding:
    message = f"the cell is no Python: {why}"
    return Finding(1, 1, "cell", State.MANUAL, _NO_PYTHON, message, method=True, cell=cell.number)


def _put_back(text: str, code: tuple[Cell, ...], program: cells.Program, new: str) -> str:
    try:
        found = cells.split(program, new)
    except cells.LostCellError as error:
        raise UnreadableError("TJ905", f"the planned edits cannot be made: {error}") from error
    changed = {code[n]: source for n, source in found.items() if source != code[n].text}
    return with_code(text, changed)


def _check(old: str, new: str) -> None:
    """That nothing but code is another.

    Raises:
      UnreadableError: something else is; a fault of the rewriter.
    """
    if _without_code(old) != _without_code(new):
        raise UnreadableError("TJ905", "more than the code of cells would change")


def _without_code(text: str) -> str:
    emptied = with_code(text, dict.fromkeys(read_cells(text), ""))
    return json.dumps(json.loads(emptied))
