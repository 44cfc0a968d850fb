"""Run Python's operators and builtins over sizes in every lane; write docs/python_on_sizes.md and .json.

python -m tools.python_on_sizes                every program (an hour on one core)
python -m tools.python_on_sizes --one-in 8     every eighth program
"""

from __future__ import annotations

import argparse
import collections
import json
import pathlib
import tempfile

from tests.sizes.python_sweep import cases, running

_DOCS = pathlib.Path(__file__).resolve().parents[1] / "docs"
_STATES = ("right", "refused", "unclear", "NaN", "wrong")
_LONGEST = 160


def outcomes(one_in: int) -> list[dict]:
    """Run the programs, and return one record per program and lane."""
    programs = cases.cases()[::one_in]
    records = []
    with tempfile.TemporaryDirectory() as folder:
        module = running.load(programs, pathlib.Path(folder))
        for number, case in enumerate(programs):
            program = getattr(module, f"program_{number}")
            for lane in running.lanes_of(case):
                states = running.outcomes(program, lane, case)
                named = {"size": case.size, "group": case.group, "program": case.shown}
                records.append({**named, "lane": lane, "states": states})
    return records


def _state(text: str) -> str:
    return next(state for state in _STATES if text.startswith(state))


def as_data(records: list[dict], one_in: int) -> dict:
    """Return the totals, and each program that is not right for every selection."""
    totals: dict[str, collections.Counter] = {}
    cells = []
    for record in records:
        key = f"{record['group']}, {record['lane']}"
        states = record["states"]
        totals.setdefault(key, collections.Counter()).update(map(_state, states.values()))
        if set(states.values()) != {"right"}:
            short = {k: " ".join(v.split())[:_LONGEST] for k, v in states.items() if v != "right"}
            cells.append({**record, "states": short})
    return {
        "generator": "tools/python_on_sizes.py",
        "programs": len(records),
        "one_in": one_in,
        "totals": {key: dict(sorted(count.items())) for key, count in sorted(totals.items())},
        "not_right": cells,
    }


def as_page(data: dict) -> str:
    """Return the page for the data."""
    lines = [
        "# Python's operators and builtins over sizes",
        "",
        "Written by `python -m tools.python_on_sizes`; do not edit. Each program uses a size (of an input, of",
        "a selection, or computed from them) as a number, for a selection of all, some, one and no elements, and is",
        "compared with the same program over Python's integers. *Refused* is an error that names the",
        "user's line and a remedy; *unclear* is any other error.",
        "",
        f"Programs times lanes: {data['programs']}; one program in {data['one_in']} was run.",
        "",
        f"| group, lane | {' | '.join(_STATES)} |",
        f"|---|{'---|' * len(_STATES)}",
    ]
    for key, count in data["totals"].items():
        lines.append(f"| {key} | {' | '.join(str(count.get(s, 0)) for s in _STATES)} |")
    findings = [c for c in data["not_right"] if not all(map(_is_refused, c["states"].values()))]
    lines += ["", "## Findings", "", "| size | program | lane | state |", "|---|---|---|---|"]
    for cell in findings:
        text = "; ".join(f"{k}: {v}" for k, v in cell["states"].items() if not _is_refused(v))
        shown = [cell["size"], f"`{cell['program']}`", cell["lane"], text]
        lines.append("| " + " | ".join(part.replace("|", "\\|") for part in shown) + " |")
    return "\n".join(lines if findings else [*lines[:-4], "", "No findings."]) + "\n"


def _is_refused(state: str) -> bool:
    return state.startswith("refused")


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.python_on_sizes", description=__doc__)
    parser.add_argument("--one-in", type=int, default=1, help="run every n-th program only")
    given = parser.parse_args()
    data = as_data(outcomes(given.one_in), given.one_in)
    (_DOCS / "python_on_sizes.json").write_text(json.dumps(data, indent=1) + "\n")
    (_DOCS / "python_on_sizes.md").write_text(as_page(data))


if __name__ == "__main__":
    main()
