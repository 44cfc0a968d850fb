"""Scan and rewrite copies of code bases and print the results: `python -m tools.ledger DIR...`.

Each folder is one code base. It is copied, rewritten twice, and checked against the promises of
docs/rewriter.md: what parsed still parses, the second run changes nothing, ruff finds no new undefined name,
and every token that names TensorFlow has its own finding or is part of an import or an alias.
"""

from __future__ import annotations

import ast
import collections
import io
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tokenize
import warnings
from typing import Any

from tf2jax_port.rewrite.findings.outside import is_computing

_TESTS = re.compile(r"(^|/)(tests?|testing)/|(^|/)test_[^/]*$|_test\.py$")
_BOUND = re.compile(r"^\s*import tensorflow(?:\.compat\.v[12])? as (\w+)", re.MULTILINE)
_COLUMNS = (
    *("code base", "files", "lines", "references", "rewritten", "review", "shim", "kept", "manual"),
    *("computing done", "files finished", "parse", "changed again", "new F821", "tokens missed"),
)


def main(folders: list[str]) -> None:
    """Print one line for each code base, one for all, and the commonest reasons for *manual*."""
    print(f"| {' | '.join(_COLUMNS)} |\n|{'---|' * len(_COLUMNS)}")
    whole: collections.Counter[str] = collections.Counter()
    reasons: collections.Counter[str] = collections.Counter()
    for folder in folders:
        counts, why = _check_code_base(pathlib.Path(folder))
        whole += counts
        reasons += why
        print(_line(pathlib.Path(folder).name, counts), flush=True)
    print(_line("all", whole))
    for reason, count in reasons.most_common(30):
        print(f"{count:6} {reason}")


def _line(name: str, counts: collections.Counter[str]) -> str:
    computing, files = counts["computing"], counts["computing files"]
    done = 100 * counts["computing done"] / computing if computing else 100
    finished = 100 * counts["finished files"] / files if files else 100
    cells = [name, *(f"{counts[column]:,}" for column in _COLUMNS[1:9])]
    cells += [f"{done:.1f} %", f"{finished:.1f} % of {files:,}"]
    cells += [f"{counts['parse after']:,} of {counts['parse before']:,}"]
    cells += [str(counts[column]) for column in _COLUMNS[12:]]
    return f"| {' | '.join(cells)} |"


def _check_code_base(
    folder: pathlib.Path,
) -> tuple[collections.Counter[str], collections.Counter[str]]:
    """Rewrite one code base, and return the counts and the reasons for *manual*."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = pathlib.Path(scratch) / "code"
        shutil.copytree(folder, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        sources = {p: p.read_bytes() for p in copy.rglob("*.py") if p.is_file()}
        names = _undefined(copy)
        report = _rewrite(copy, pathlib.Path(scratch) / "first.json", "--write")
        again = _rewrite(copy, pathlib.Path(scratch) / "second.json", "--write")
        counts, reasons = _counted(report)
        counts["changed again"] = sum(file["changed"] for file in again["files"])
        counts["new F821"] = max(0, _undefined(copy) - names)
        counts["parse before"] = sum(map(_parses, sources.values()))
        counts["parse after"] = sum(
            _parses(path.read_bytes()) for path, old in sources.items() if _parses(old)
        )
        findings = {file["path"]: file["findings"] for file in report["files"]}
        counts["tokens missed"] = sum(
            len(missed(data, findings.get(str(path), []))) for path, data in sources.items()
        )
    return counts, reasons


def _rewrite(copy: pathlib.Path, report: pathlib.Path, *options: str) -> dict[str, Any]:
    command = "from tf2jax_port.cli import main; main()"
    arguments = ["rewrite", str(copy), "--isolated", "--no-gitignore", "--report", str(report)]
    result = subprocess.run(
        [sys.executable, "-c", command, *arguments, *options], capture_output=True, text=True
    )
    if not report.exists():
        raise RuntimeError(f"no report:\n{result.stderr}")
    return dict(json.loads(report.read_text()))


def _counted(
    report: dict[str, Any],
) -> tuple[collections.Counter[str], collections.Counter[str]]:
    """Return the counts of a ledger, and the reasons for *manual*."""
    totals = report["totals"]
    counts = collections.Counter(totals["states"])
    counts["references"] = totals["references"]
    reasons: collections.Counter[str] = collections.Counter()
    for file in report["files"]:
        findings = file["findings"]
        counts["files"] += bool(findings)
        left = [f for f in findings if f["state"] == "manual"]
        reasons.update(f"{f['code']} {f['message']}" for f in left)
        computing = [f for f in findings if is_computing(f["symbol"])]
        counts["computing"] += len(computing)
        counts["computing done"] += sum(f["state"] != "manual" for f in computing)
        if computing and not _TESTS.search(file["path"].rpartition("/code/")[2]):
            counts["computing files"] += 1
            counts["finished files"] += all(f["state"] != "manual" for f in computing)
    counts["lines"] = sum(
        pathlib.Path(file["path"]).read_bytes().count(b"\n")
        for file in report["files"]
        if file["findings"] and file["path"].endswith(".py")
    )
    return counts, reasons


def _parses(data: bytes) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # old strings with `\d`
            ast.parse(data)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True


def _undefined(folder: pathlib.Path) -> int:
    """Count the undefined names that ruff finds."""
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache"]
    options = ["--select", "F821", "--output-format", "json", "--exit-zero", str(folder)]
    result = subprocess.run([*command, *options], capture_output=True, text=True)
    return sum(found["code"] == "F821" for found in json.loads(result.stdout or "[]"))


def missed(data: bytes, findings: list[dict[str, Any]]) -> list[tuple[int, int]]:
    """Find tokens that an import binds to TensorFlow and that have no finding.

    The search ignores scopes: names in imports, names after a dot, keywords of calls, and assignments such as
    `tf = tf.compat.v1` or `layers = tf.keras.layers` are skipped.
    """
    names = set(_BOUND.findall(data.decode("utf-8", "replace")))
    if not names or not _parses(data):
        return []
    known = {(f["line"], f["column"]) for f in findings}
    found: list[tuple[int, int]] = []
    line: list[str] = []
    importing = False
    tokens = list(tokenize.tokenize(io.BytesIO(data).readline))
    for index, token in enumerate(tokens):
        if token.type in (tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT):
            importing = importing and token.type == tokenize.NL
            line = [] if token.type == tokenize.NEWLINE else line
            continue
        if token.type in (tokenize.COMMENT, tokenize.ENCODING):
            continue
        begins = not line or line[-1] in (":", ";")
        importing = importing or (token.string in ("import", "from") and begins)
        line.append(token.string)
        place = (token.start[0], token.start[1] + 1)
        if token.type != tokenize.NAME or token.string not in names or importing:
            continue
        alias = len(line) == 3 and line[1] == "="
        if line[-2:-1] != ["."] and tokens[index + 1].string != "=" and not alias:
            found += [place] if place not in known else []
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
