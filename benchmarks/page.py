"""Write the table of docs/performance.md between its two markers."""

import pathlib

from benchmarks.timing import Result

PAGE = pathlib.Path(__file__).resolve().parents[1] / "docs" / "performance.md"
BEGIN, END = "<!-- written by `make bench` -->", "<!-- end of what `make bench` writes -->"


def table(results: list[Result], machine: str) -> str:
    """Format the results as Markdown."""
    lines = [
        f"Measured on {machine}.",
        "",
        "| question | against | ours | theirs | ratio | goal |",
        "|---|---|---|---|---|---|",
    ]
    for row in results:
        goal = (
            "" if row.goal is None else f"at most {row.goal:.3g}" + ("" if row.met else ", missed")
        )
        cells = (row.question, row.against, row.ours, row.theirs, f"{row.ratio:.3g}", goal)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def replace_block(text: str, block: str) -> str:
    """Replace everything between the markers in `text` with `block`."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{PAGE.name} has lost its markers {BEGIN!r} and {END!r}")
    return f"{before}{BEGIN}\n{block}\n{END}{after}"


def write(results: list[Result], machine: str) -> None:
    """Rewrite the page in place."""
    PAGE.write_text(replace_block(PAGE.read_text(), table(results, machine)))
