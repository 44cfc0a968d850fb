"""Render the scorecard as data and as a page."""

from __future__ import annotations

import importlib.metadata
import json
import platform

from tools.scorecard.cells import GREEN, STATES, Cell, Outcomes, of_symbol
from tools.scorecard.lacking import lacking
from tools.scorecard.lanes import LANES
from tools.scorecard.symbols import Symbol, symbols
from tools.scorecard.wording import MARKS, as_sentence

SCHEMA = 1
_EQUAL = ("eager", "function", "gradient")
_LIBRARIES = ("jax", "tensorflow", "numpy")
_HEAD = """\
# Scorecard

This page shows the results of the tests for each TensorFlow symbol in each lane. A *lane* is one way to
run a test. `make scorecard` runs the tests, and writes this page and [scorecard.json](scorecard.json).
The reasons in the notes come from the rows of the [table](architecture.md#one-table).

The section *Dynamic shapes* lists the operators that work with data-dependent sizes. The section
*Surroundings* lists all other operators of TensorFlow that compute on arrays. The section *Outside* lists
names of other libraries, graphs of TensorFlow 1, and functions that run only on the host (strings, lookup
tables, image files).

| lane | what is tested |
|---|---|
| eager | values, shapes, dtypes and errors of eager calls |
| function | values, shapes, dtypes and errors in a `shims.function` with unknown sizes, and under an enclosing `jax.jit` |
| gradient | gradients that `jax.vjp` and `GradientTape` compute |
| vmap | `jax.vmap` of the operator, compared with a loop over the batch |
| poison | values and derivatives of padded arrays, which must stay the same bit for bit if the padding changes |
| jit_compile | TensorFlow's own `jit_compile=True`, compared with eager TensorFlow; the row lists known differences |

"""


def as_data(outcomes: Outcomes) -> dict:
    """Return the scorecard as JSON-compatible data."""
    lines = [_line(symbol, of_symbol(symbol, outcomes)) for symbol in symbols()]
    return {
        "schema": SCHEMA,
        "versions": _versions(),
        "lanes": list(LANES),
        "states": STATES,
        "totals": _totals(lines),
        "lacking": lacking(),
        "symbols": lines,
    }


def with_new_symbols(data: dict) -> dict:
    """Return the totals and the symbols of the data, with the symbols that are new in the table as untested."""
    known = {line["name"]: line for line in data["symbols"]}
    lines = [known.get(s.name) or _line(s, of_symbol(s, {})) for s in symbols()]
    return {"totals": _totals(lines), "symbols": lines}


def _versions() -> dict[str, str]:
    found = {name: importlib.metadata.version(name) for name in _LIBRARIES}
    return {"python": platform.python_version(), **found}


def _line(symbol: Symbol, cells: dict[str, Cell]) -> dict:
    return {
        "name": symbol.name,
        "rank": symbol.rank,
        "family": symbol.family,
        "cells": {
            lane: {"state": cell.state, "tests": cell.tests, "why": cell.why}
            for lane, cell in cells.items()
        },
    }


def is_green(line: dict, lanes: tuple[str, ...] = LANES) -> bool:
    """Check whether a symbol is green in all of the lanes."""
    return all(line["cells"][lane]["state"] in GREEN for lane in lanes)


def _totals(data: list[dict]) -> dict[str, dict[str, int]]:
    groups = {
        "dynamic shapes": [d for d in data if d["family"] == "dynamic"],
        "surroundings, among the commonest 300": [
            d for d in data if d["family"] == "surroundings" and d["rank"]
        ],
        "surroundings, all": [d for d in data if d["family"] == "surroundings"],
        "outside": [d for d in data if d["family"] not in ("dynamic", "surroundings")],
    }
    return {
        name: {
            "symbols": len(group),
            "equal": sum(is_green(line, _EQUAL) for line in group),
            "green": sum(map(is_green, group)),
        }
        for name, group in groups.items()
    }


def as_page(data: dict) -> str:
    """Return the page."""
    versions = ", ".join(f"{name} {version}" for name, version in data["versions"].items())
    parts = [_HEAD, f"Made with {versions}.\n\n", _total_table(data), _legend()]
    groups = (
        ("Dynamic shapes", lambda d: d["family"] == "dynamic"),
        ("Surroundings", lambda d: d["family"] == "surroundings"),
        ("Outside", lambda d: d["family"] not in ("dynamic", "surroundings")),
    )
    for title, holds in groups:
        lines = [d for d in data["symbols"] if holds(d)]
        parts += [f"\n## {title}\n\n", _table(lines), _notes(title, lines)]
    return "".join([*parts, _lacking(data["lacking"])])


def _lacking(words: dict[str, list[str]]) -> str:
    """List the TensorFlow 2 names that shims lacks, by suggested replacement."""
    number = sum(map(len, words.values()))
    lines = [f"| {', '.join(f'`{n}`' for n in names)} | {do} |" for do, names in words.items()]
    head = (
        f"\n## Not offered\n\n{number} names and modules of TensorFlow have no counterpart in `shims`. "
        "Reading such a name raises an `AttributeError`, which says what to write instead:\n\n"
        "| names | what to write |\n|---|---|\n"
    )
    return head + "\n".join(lines) + "\n"


def _total_table(data: dict) -> str:
    lines = [
        "| group of symbols | number of symbols | symbols that are green in the lanes eager, function and gradient | symbols that are green in every lane |",
        "|---|---|---|---|",
    ]
    for name, total in data["totals"].items():
        shares = [
            f"{total[kind]} ({100 * total[kind] / max(total['symbols'], 1):.1f} %)"
            for kind in ("equal", "green")
        ]
        lines.append(f"| {name} | {total['symbols']} | {' | '.join(shares)} |")
    return (
        "\n".join(lines)
        + "\n\nA cell is *green* unless it is empty or has the mark `?` or `✗`. The marks are: "
    )


def as_json(data: dict) -> str:
    """Return the data as text, one line per symbol."""
    lines = [json.dumps(line, ensure_ascii=False) for line in data["symbols"]]
    rest = {key: value for key, value in data.items() if key != "symbols"}
    head = json.dumps(rest, indent=1, ensure_ascii=False).removesuffix("\n}")
    return f'{head},\n "symbols": [\n  ' + ",\n  ".join(lines) + "\n ]\n}\n"


def _legend() -> str:
    marks = [f"{MARKS[s].strip() or 'empty'}: {text}" for s, text in STATES.items()]
    return (
        "; ".join(marks)
        + ".\n*Rank* is the position of a symbol among the 300 most common symbols.\n"
    )


def _table(lines: list[dict]) -> str:
    head = f"| symbol | rank | {' | '.join(LANES)} |\n|---|---|{'---|' * len(LANES)}\n"
    body = [
        f"| `{d['name']}` | {d['rank'] or ''} | "
        + " | ".join(MARKS[d["cells"][lane]["state"]] for lane in LANES)
        + " |\n"
        for d in lines
    ]
    return head + "".join(body)


def _notes(title: str, lines: list[dict]) -> str:
    """List the reason of every cell that is not plainly green, grouping a symbol's equal reasons."""
    notes = []
    for d in lines:
        reasons: dict[tuple[str, str], list[str]] = {}
        for lane, cell in d["cells"].items():
            if cell["state"] not in ("pass", "n/a"):
                reasons.setdefault((cell["state"], cell["why"]), []).append(lane)
        for (state, why), where in reasons.items():
            place = "everywhere" if len(where) == len(LANES) else ", ".join(where)
            text = as_sentence(why or STATES[state])
            notes.append(f"- `{d['name']}`, {place}: {_safe(text)}\n")
    return f"\n### Notes on {title.lower()}\n\n{''.join(notes)}" if notes else ""


def _safe(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("[", "\\[")
