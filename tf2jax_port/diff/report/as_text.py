"""Render the report for a terminal."""

from __future__ import annotations

from rich import box
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from tf2jax_port.diff.locate.result import showing as locating
from tf2jax_port.diff.report import wording
from tf2jax_port.diff.report.report import Pair, Report
from tf2jax_port.diff.strength import strength
from tf2jax_port.diff.vocabulary.lanes import present, title
from tf2jax_port.diff.vocabulary.reasons import Reason
from tf2jax_port.diff.vocabulary.verdicts import DIFFERENT, EQUAL, ERROR, INCONCLUSIVE, LIMITED

_COLORS = {
    EQUAL: "green",
    LIMITED: "yellow",
    INCONCLUSIVE: "magenta",
    DIFFERENT: "red",
    ERROR: "red",
    "knife-edge": "yellow",
    "unsteady": "magenta",
    "not covered": "bright_black",
}
_BAR = 12
_SHOWN = 8


def render(report: Report) -> RenderableType:
    """Render the parts of the report that fit on a screen; the HTML page has everything."""
    parts: list[RenderableType] = [_head(report)]
    if report.pairs and report.cases:
        parts += [Text(), _matrix(report)]
    if report.leaves:
        parts += [Text(), _leaves(report)]
    if report.culprit is not None:
        lines = wording.worst_element(report.culprit)
        problem = f"case {report.culprit.case}, {report.culprit.comparison.problem}"
        heading = "The worst element" if lines else "What is wrong"
        parts += _section(heading, lines or [problem])
    if report.located is not None:
        parts += _section("First divergence", locating.lines(report.located))
    if report.strength is not None:
        parts += _section("What the cases could have caught", strength.lines(report.strength))
    listed = report.reasons if report.verdict not in (EQUAL, DIFFERENT) else ()
    parts += _reasons("Why", listed)
    parts += _reasons("Not covered", _not_covered(report))
    parts += _reasons("Knife edges: the original disagrees with itself", report.knife_edges)
    parts += _reasons("Good to know", report.notes)
    parts += _section("Again", [report.reproduce])
    return Group(*parts)


def _head(report: Report) -> Panel:
    color = _COLORS[report.verdict]
    body = Text.assemble(
        (report.headline, "bold"),
        "\n",
        (f"{report.old}  →  {report.new}", ""),
        "\n",
        (wording.summary(report), "bright_black"),
    )
    heading = f"[bold {color}]{report.verdict.upper()}[/]"
    return Panel(body, title=heading, title_align="left", border_style=color, padding=(0, 1))


def _matrix(report: Report) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("Lanes", style="bold")
    lanes = present([lane.lane for lane in report.lanes])
    for lane in lanes[1:]:
        table.add_column(lane.title, justify="center")
    pairs = {pair.lanes: pair for pair in report.pairs}
    for number, lane in enumerate(lanes[:-1]):
        cells = [
            _cell(report, pairs[lane.id, other.id]) if other in lanes[number + 1 :] else Text()
            for other in lanes[1:]
        ]
        table.add_row(lane.title, *cells)
    return table


def _cell(report: Report, pair: Pair) -> Text:
    few = wording.fewer_cases(report, pair)
    if few and pair.state != "different":
        return Text(few, "red")
    if pair.state == "equal":
        return Text("same", "green")
    if pair.state == "different":
        return Text(pair.stage or "differ", "red")
    return Text("-", "bright_black")


def _leaves(report: Report) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("Output or gradient", style="bold", overflow="fold")
    table.add_column("Type", overflow="fold")
    table.add_column("Own error and more", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("", ratio=1)
    shown, rest = wording.ranked(report.leaves)
    for leaf in shown:
        table.add_row(
            escape(leaf.title),
            escape(wording.kind(leaf.worst)),
            _bar(leaf.worst.comparison.closeness.ratio, wording.measured(leaf.worst)),
            Text(leaf.state, _COLORS[leaf.state]),
            Text(wording.remark(leaf), "bright_black"),
        )
    if rest:
        table.add_row(Text(f"and {wording.rest(rest)}", "bright_black"))
    return table


def _bar(ratio: float, words: str) -> Text:
    """Draw R, the port's error divided by the original's, as a logarithmic bar with the limit marked."""
    if not words.startswith("R "):
        return Text(words, "bright_black")
    full = round(wording.fraction(ratio) * _BAR)
    mark = round(wording.LIMIT_FRACTION * _BAR)
    bar = Text()
    for place in range(_BAR):
        if place == mark:
            bar.append("│", "bright_black")
        bar.append("█" if place < full else " ", "green" if place < mark else "red")
    return bar.append(f" {words}")


def _not_covered(report: Report) -> list[Reason]:
    """Return the lanes of the original program that did not run, with reasons.

    Lanes of the port that did not run are among the verdict's reasons.
    """
    return [
        Reason(title(lane.lane), f"{reason.what}, {reason.why}", reason.cases)
        for lane in report.lanes
        for reason in lane.reasons
        if reason.what != "run with" or lane.lane == "tf-graph"
    ]


def _reasons(heading: str, reasons: tuple[Reason, ...] | list[Reason]) -> list[RenderableType]:
    lines = [reason.text for reason in reasons[:_SHOWN]]
    if len(reasons) > _SHOWN:
        lines.append(f"and {len(reasons) - _SHOWN} more")
    return _section(heading, lines)


def _section(heading: str, lines: list[str]) -> list[RenderableType]:
    if not lines:
        return []
    body = Text("\n".join(lines), overflow="fold")
    return [Text(), Text(heading, "bold"), Padding(body, (0, 0, 0, 2))]
