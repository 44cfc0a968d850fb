"""Find references that must still be reviewed, because no case shows whether their corner case matters."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tf2jax_port.diff.functions.loading import split
from tf2jax_port.diff.report.report import Report
from tf2jax_port.diff.values.attempt import Failure, attempt
from tf2jax_port.diff.vocabulary.reasons import Reason
from tf2jax_port.diff.vocabulary.verdicts import EQUAL, LIMITED
from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.plan import rewrite


def with_open_reviews(report: Report) -> Report:
    """Return a report that names the open reviews, if no case shows a difference."""
    if report.verdict not in (EQUAL, LIMITED):
        return report
    found = attempt(lambda: [*open_reviews(report.old, report.new)])
    if isinstance(found, Failure) or not found:  # a file that is no program, or has no text
        return report
    counts = {**report.counts, "reviews": len(found)}
    return replace(report, counts=counts, notes=(*report.notes, *found))


def open_reviews(old: str, new: str) -> Iterator[Reason]:
    """Yield the references of an original whose rewriting needs a review, and whose replacement the port contains.

    Args:
      old: the specification of the original, `FILE.py:FUNCTION`.
      new: that of the port.
    """
    files = [Path(split(spec)[0]) for spec in (old, new)]
    if not all(file.suffix == ".py" and file.is_file() for file in files):
        return
    raw, port = (file.read_bytes() for file in files)
    lines = _lines_of(ast.parse(raw), split(old)[1])
    tree = ast.parse(port)
    kept = _lines_of(tree, split(new)[1])
    calls = {
        ast.unparse(node.func)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and node.lineno in kept
    }
    for finding in rewrite(raw, verify=False).findings:
        is_there = finding.after.partition("(")[0].strip() in calls
        if finding.state is State.REVIEW and finding.line in lines and is_there:
            yield Reason(
                f"{files[0].name}:{finding.line}",
                f"check the finding {finding.code} of {finding.symbol}, because no case shows whether it applies: "
                f"{finding.message}",
            )


def _lines_of(tree: ast.Module, name: str) -> set[int]:
    """Return the lines of a function and of what it uses in its file; all lines if it is not a definition."""
    definitions = {
        node.name: node
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }
    pending, found = [name.partition(".")[0]], set[str]()
    if pending[0] not in definitions:
        return {*range(1, 1 + max((node.end_lineno or 0 for node in tree.body), default=0))}
    while pending:
        one = pending.pop()
        if one in found or one not in definitions:
            continue
        found.add(one)
        pending += [n.id for n in ast.walk(definitions[one]) if isinstance(n, ast.Name)]
    return {
        line
        for one in found
        for line in range(definitions[one].lineno, (definitions[one].end_lineno or 0) + 1)
    }
