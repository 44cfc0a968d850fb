"""Write the page of the code bases, and its data."""

from __future__ import annotations

import json
import pathlib
import re
import tomllib
from collections import Counter
from typing import Any

from tf2jax_port.diff.code_bases.outcomes import Outcome
from tf2jax_port.diff.code_bases.replay import ALL_LANES, LANES
from tf2jax_port.diff.code_bases.slopes import GRADIENTS
from tools.code_bases.listing import CodeBase

PAGE = pathlib.Path("docs/code_bases.md")
DATA = PAGE.with_suffix(".json")
_KNOWN = pathlib.Path(__file__).with_name("differences.toml")
_MARK = "<!-- What follows is written by python -m tools.code_bases. -->\n"
_REFERENCES = ("code base", "references", "rewritten", "review", "shim", "kept", "manual")
_DONE = ("computing done", "files finished", "computing finished")
_CALLS = ("code base", "calls", "functions", "replayable")
_MOST = 20  # reasons of a list

Result = tuple[dict[str, Any], dict[str, Counter[str]]]  # the counts, and the reasons by kind


def write(results: dict[CodeBase, Result]) -> None:
    """Write the tables and the reasons below the mark of the page, and the counts as JSON."""
    above = PAGE.read_text().partition(_MARK)[0]
    tried = {base: counts for base, (counts, _) in results.items()}
    replayed = {base: counts["calls"] for base, counts in tried.items() if counts["calls"]}
    parts = [
        "\n".join(_references(tried)),
        "## Calls\n",
        "\n".join(_calls(replayed)),
        "## Calls whose results differ",
        _differences(replayed),
        "## The most common reasons",
        "Number of files (without tests) in which each of these references needs manual work:",
        "\n".join(_listed(_together(results, "files"))),
        "Number of calls that raise each error in the port, eagerly / under `jit` / in `shims.function` / for gradients:",
        "\n".join(_errors(results)),
        "Number of captured calls that cannot be replayed for each reason:",
        "\n".join(_listed(_together(results, "not replayable"))),
    ]
    PAGE.write_text(f"{above}{_MARK}\n" + "\n\n".join(parts) + "\n")
    data = {base.name: counts for base, counts in tried.items()}
    DATA.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n")


def _references(tried: dict[CodeBase, dict[str, Any]]) -> list[str]:
    columns = (*_REFERENCES, *_DONE)
    lines = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    whole: Counter[str] = Counter()
    for base, counts in tried.items():
        whole += Counter(counts["rewriting"])
        lines.append(_reference_row(f"[{base.name}]({base.address})", counts["rewriting"]))
    return [*lines, _reference_row("all", whole)]


def _reference_row(name: str, counts: dict[str, int]) -> str:
    cells = [name, *(f"{counts.get(column, 0):,}" for column in _REFERENCES[1:])]
    cells.append(_share(counts["computing done"], counts["computing"]))
    cells.append(f"{_share(counts['finished'], counts['files'])} of {counts['files']}")
    cells.append(_share(counts["finished computing"], counts["files"]))
    return f"| {' | '.join(cells)} |"


def _calls(replayed: dict[CodeBase, dict[str, Any]]) -> list[str]:
    columns = (*_CALLS, *(f"equal, {lane}" for lane in ALL_LANES), "different", "random", "error")
    lines = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    whole: dict[str, Any] = dict.fromkeys(("captured", "functions", "replayable"), 0)
    whole.update({lane: Counter() for lane in ALL_LANES})
    for base, counts in replayed.items():
        for column in whole:
            whole[column] += counts[column]
        lines.append(_call_row(base.name, counts))
    return [*lines, _call_row("all", whole)]


def _call_row(name: str, counts: dict[str, Any]) -> str:
    cells = [name, *(f"{counts[column]:,}" for column in ("captured", "functions", "replayable"))]
    for lane in LANES:
        compared = counts["replayable"] - counts[lane][Outcome.RANDOM]
        cells.append(_share(counts[lane][Outcome.EQUAL], compared))
    slopes = counts[GRADIENTS]
    cells.append(_share(slopes[Outcome.EQUAL], slopes.total() - slopes[Outcome.RANDOM]))
    for outcome in (Outcome.DIFFERENT, Outcome.RANDOM, Outcome.ERROR):
        cells.append(" / ".join(str(counts[lane][outcome]) for lane in ALL_LANES))
    return f"| {' | '.join(cells)} |"


def _differences(replayed: dict[CodeBase, dict[str, Any]]) -> str:
    """Return one line for each function whose result differs in some lane, with the reason where it is known."""
    known = {
        function: entry["why"]
        for entry in tomllib.loads(_KNOWN.read_text())["difference"]
        for function in entry["functions"]
    }
    lanes: dict[str, list[str]] = {}
    for base, counts in replayed.items():
        for entry in counts["differences"]:
            function = f"{entry['module']}.{entry['function']}"
            why = known.get(function, "not yet known")
            name = f"In {base.name}, `{function}`: {_in_words(entry['detail'])}. Cause: {why}"
            lanes.setdefault(name.replace("|", "/"), []).append(entry["lane"])
    return (
        "\n".join(
            f"- {name}. Lanes with this difference: {', '.join(sorted(set(found)))}."
            for name, found in lanes.items()
        )
        or "None."
    )


def _in_words(detail: str) -> str:
    """Return the description of a difference as a clause."""
    detail = re.sub(r"^value (\d+): ", r"value \1 of the result: ", detail)
    detail = re.sub(
        r"^([^:]+): (\S+) became (\S+), at (\d+) of (\d+)",
        r"\1 is \3 instead of \2, at index \4 of \5 elements",
        detail,
    )
    return re.sub(
        r"(`\S+`) is the first (?:value )?that differs, line (\d+)",
        r"the first variable that differs is \1, on line \2",
        detail,
    )


def _together(results: dict[CodeBase, Result], name: str) -> Counter[str]:
    """Return the reasons of one kind in all code bases."""
    return sum((reasons.get(name, Counter()) for _, reasons in results.values()), Counter())


def _errors(results: dict[CodeBase, Result]) -> list[str]:
    by_lane = [_together(results, lane) for lane in ALL_LANES]
    whole = sum(by_lane, Counter())
    return [
        f"- {' / '.join(str(counts[reason]) for counts in by_lane)}: {reason}"
        for reason, _ in whole.most_common(_MOST)
    ]


def _listed(counts: Counter[str]) -> list[str]:
    return [f"- {count}: {reason}" for reason, count in counts.most_common(_MOST)]


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"
