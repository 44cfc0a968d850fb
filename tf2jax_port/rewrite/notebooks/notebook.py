"""Rewrite a notebook: join its code cells into a program, rewrite it and write it back."""

from __future__ import annotations

import json
import re

from tf2jax_port.rewrite.findings.findings import Finding, Outcome, State
from tf2jax_port.rewrite.imports.companions import may_import
from tf2jax_port.rewrite.notebooks import cells
from tf2jax_port.rewrite.notebooks.text import Cell, old_version, read_cells, with_code
from tf2jax_port.rewrite.options import Options
from tf2jax_port.rewrite.plan import DEFAULTS, rewrite
from tf2jax_port.rewrite.reading.neighbors import ALONE, Neighbors
from tf2jax_port.rewrite.reading.source import UnreadableError

_MAY_BE_TENSORFLOW = re.compile(r"\b(?:tf\w{0,2}|tensorflow|keras|slim)\s*\.")
_NO_PYTHON = "TJ315"


def rewrite_notebook(
    raw: bytes, options: Options = DEFAULTS, *, verify: bool = True, neighbors: Neighbors = ALONE
) -> Outcome:
    """Rewrite the bytes of a notebook.

    Args:
      raw: the bytes of the file.
      options: the options of the run.
      verify: whether to parse the result as a check.
      neighbors: the other modules of the project.

    Returns:
      The new bytes, and findings by cell and line.

    Raises:
      UnreadableError: the bytes are not a notebook, or one for Python 2.
      LedgerError: findings and references do not match; a bug of the rewriter.
    """
    named = b"tensorflow" in raw or may_import(raw)
    if not named and b"# TJ" not in raw and not neighbors.concern(raw):
        return Outcome(raw, (), 0)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableError("TJ902", f"the text cannot be decoded: {error}") from error
    own = text.removeprefix("\ufeff")
    code = read_cells(own)
    program = cells.join([cell.text for cell in code])
    if program.broken and (version := old_version(own)):
        raise UnreadableError(
            "TJ904",
            f"the notebook's kernel is Python {version}: convert the notebook to Python 3 first",
        )
    outside = "\n".join([*program.aside, *(code[n].text for n in program.broken)])
    around = _NotebookNeighbors(neighbors, outside)
    outcome = rewrite(program.text.encode(), options, verify=verify, neighbors=around)
    findings = [_move_to_cell(finding, program, code) for finding in outcome.findings]
    findings += [
        _no_python(code[n], why)
        for n, why in program.broken.items()
        if _may_use_tensorflow(code[n])
    ]
    data = raw
    if outcome.data.decode() != program.text:
        new = _put_back(own, code, program, outcome.data.decode())
        if verify:
            _check_only_code_changes(own, new)
        data = (text[: len(text) - len(own)] + new).encode()
    findings.sort(key=lambda finding: (finding.cell, finding.line, finding.column))
    imports = (outcome.imports, outcome.imports_dropped)
    return Outcome(data, tuple(findings), len(findings), *imports, outcome.graph)


class _NotebookNeighbors:
    """The other modules of the project, and the notebook's non-Python lines (`%timeit f(x)`)."""

    def __init__(self, neighbors: Neighbors, text: str) -> None:
        self.export = neighbors.export
        self.takes = neighbors.takes
        self.import_whole = neighbors.import_whole
        self.concern = neighbors.concern
        self.passes_list = neighbors.passes_list
        self.text = text

    def mentions(self, name: str) -> bool:
        """Return whether a name occurs in one of the non-Python lines."""
        return re.search(rf"\b{re.escape(name)}\b", self.text) is not None


def _move_to_cell(finding: Finding, program: cells.Program, code: tuple[Cell, ...]) -> Finding:
    """Convert the position of a finding from the joined program to its cell."""
    number, line = program.cell_of(finding.line)
    return finding._replace(cell=code[number].number, line=line)


def _may_use_tensorflow(cell: Cell) -> bool:
    """Return whether a cell that is not valid Python may use TensorFlow."""
    return _MAY_BE_TENSORFLOW.search(cell.text) is not None


def _no_python(cell: Cell, why: str) -> Finding:
    """Return the finding for a cell that is not valid Python."""
    message = f"the cell is not valid Python: {why}"
    return Finding(1, 1, "cell", State.MANUAL, _NO_PYTHON, message, method=True, cell=cell.number)


def _put_back(text: str, code: tuple[Cell, ...], program: cells.Program, new: str) -> str:
    """Return the notebook's text with the cells of the rewritten program."""
    try:
        found = cells.split(program, new)
    except cells.LostCellError as error:
        raise UnreadableError("TJ905", f"the planned edits cannot be made: {error}") from error
    changed = {code[n]: source for n, source in found.items() if source != code[n].text}
    return with_code(text, changed)


def _check_only_code_changes(old: str, new: str) -> None:
    """Check that two versions of a notebook differ only in the code of cells.

    Raises:
      UnreadableError: something else differs; a bug of the rewriter.
    """
    if _without_code(old) != _without_code(new):
        raise UnreadableError("TJ905", "more than the code of cells would change")


def _without_code(text: str) -> str:
    emptied = with_code(text, dict.fromkeys(read_cells(text), ""))
    return json.dumps(json.loads(emptied))
