"""Read and write the table of docs/performance.md between its two markers."""

import pathlib

from benchmarks.timing import Result

PAGE = pathlib.Path(__file__).resolve().parents[1] / "docs" / "performance.md"
BEGIN, END = "<!-- written by `make bench` -->", "<!-- end of what `make bench` writes -->"
_COLUMNS = ("question", "against", "ours", "theirs", "ratio", "spread", "goal")
# How far from the ratio the spread of a row reaches that was written without one.
_UNKNOWN_SPREAD = 0.1


def said_spread(row: Result) -> str:
    """Format the spread of a ratio."""
    return "" if row.spread is None else f"{row.spread[0]:.3g} to {row.spread[1]:.3g}"


def said_goal(row: Result) -> str:
    """Format a goal, and what became of it if it is not met."""
    if row.goal is None:
        return ""
    return f"at most {row.goal:.3g}" + ("" if row.verdict == "met" else f", {row.verdict}")


def table(results: list[Result], machine: str) -> str:
    """Format the results as Markdown."""
    lines = [
        f"Measured on {machine}.",
        "",
        "| " + " | ".join(_COLUMNS) + " |",
        "|---" * len(_COLUMNS) + "|",
    ]
    for row in results:
        cells = (row.question, row.against, row.ours, row.theirs, f"{row.ratio:.3g}")
        lines.append("| " + " | ".join((*cells, said_spread(row), said_goal(row))) + " |")
    return "\n".join(lines)


def _parts(text: str) -> tuple[str, str, str]:
    before, begin, rest = text.partition(BEGIN)
    block, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{PAGE.name} has lost its markers {BEGIN!r} and {END!r}")
    return before, block, after


def replace_block(text: str, block: str) -> str:
    """Replace everything between the markers in `text` with `block`."""
    before, _, after = _parts(text)
    return f"{before}{BEGIN}\n{block}\n{END}{after}"


def last_table(text: str) -> tuple[str, list[Result]]:
    """Return the machine and the rows of the table in `text`."""
    lines = _parts(text)[1].strip().splitlines()
    machine = lines[0].removeprefix("Measured on ").removesuffix(".")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[2:]]
    names = rows[0]
    return machine, [_row(dict(zip(names, cells, strict=True))) for cells in rows[2:]]


def _row(cells: dict[str, str]) -> Result:
    ratio, goal = float(cells["ratio"]), None
    if cells["goal"]:
        goal = float(cells["goal"].removeprefix("at most ").partition(",")[0])
    if cells.get("spread"):
        low, high = map(float, cells["spread"].split(" to "))
        spread = low, high
    elif "spread" in cells or cells["against"] == "(a count)":
        spread = None
    else:
        spread = ratio * (1 - _UNKNOWN_SPREAD), ratio * (1 + _UNKNOWN_SPREAD)
    others = 1.0 if cells["goal"].endswith("noisy") else 0.0
    said = (cells[name] for name in ("question", "against", "ours", "theirs"))
    return Result(*said, ratio, goal, spread, others)


def regressions(results: list[Result], last: list[Result]) -> list[tuple[Result, Result]]:
    """Return the rows that are worse than in the last table by more than both spreads, with the old row."""
    known = {(row.question, row.against): row for row in last}
    pairs = [(row, known.get((row.question, row.against))) for row in results]
    return [
        (row, old)
        for row, old in pairs
        if old is not None and not row.is_noisy and row.range[0] > old.range[1]
    ]


def write(results: list[Result], machine: str) -> None:
    """Rewrite the page in place."""
    PAGE.write_text(replace_block(PAGE.read_text(), table(results, machine)))
