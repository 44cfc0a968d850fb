"""Render the report for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from tf2jax_port.diff.locate.result import showing as locating
from tf2jax_port.diff.locate.result.located import Located, NotLocated, Spot
from tf2jax_port.diff.report import wording
from tf2jax_port.diff.report.report import Pair, Report
from tf2jax_port.diff.strength import strength
from tf2jax_port.diff.vocabulary.lanes import TF_GRAPH, present, title
from tf2jax_port.diff.vocabulary.reasons import Reason
from tf2jax_port.diff.vocabulary.verdicts import (
    DIFFERENT,
    EQUAL,
    ERROR,
    INCONCLUSIVE,
    LIMITED,
    shown,
)

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
    if report.located is not None:
        parts += _located(report.located)
    if rows := wording.three(report):
        parts += [Text(), _three(rows)]
    if report.pairs and report.cases:
        parts += [Text(), _matrix(report)]
    if report.leaves:
        parts += [Text(), _leaves(report), *_remarks(report)]
    if report.culprit is not None:
        lines = wording.worst_element(report.culprit)
        problem = f"case {report.culprit.case}, {report.culprit.comparison.problem}"
        heading = "The worst element" if lines else "What is wrong"
        parts += _section(heading, lines or [problem])
    if report.strength is not None:
        parts += _section("Faults that the cases can detect", strength.lines(report.strength))
    listed = report.reasons if report.verdict not in (EQUAL, DIFFERENT) else ()
    parts += _reasons("Why", listed)
    parts += _reasons("Not covered", _not_covered(report, listed))
    parts += _reasons("Unstable elements: the original's own runs disagree", report.knife_edges)
    parts += _reasons("Good to know", report.notes)
    parts += _section("Again", [report.reproduce])
    return Group(*parts)


def _head(report: Report) -> Panel:
    color = _COLORS[report.verdict]
    word = shown(report.verdict).upper()
    is_different = report.verdict == DIFFERENT
    body = Text.assemble(
        (f"{word}: " if is_different else "", f"bold {color}"),
        (report.headline, "bold"),
        "\n",
        (f"{report.old}  →  {report.new}", ""),
        "\n",
        f"{wording.against(report.culprit)}\n" if report.culprit is not None else "",
        (wording.summary(report), "bright_black"),
    )
    heading = None if is_different else f"[bold {color}]{word}[/]"
    return Panel(body, title=heading, title_align="left", border_style=color, padding=(0, 1))


def _located(found: Located | NotLocated) -> list[RenderableType]:
    """Show both lines side by side, with the guess below them."""
    if isinstance(found, NotLocated):
        return _section("The first divergence", locating.lines(found))
    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column(ratio=1, overflow="fold")
    table.add_column(ratio=1, overflow="fold")
    sides = (("original", found.old), ("port", found.new))
    table.add_row(*(_place(name, one) for name, one in sides))
    below = Text("\n".join([*locating.guess(found), *locating.evidence(found)]), overflow="fold")
    indented = [Padding(part, (0, 0, 0, 2)) for part in (table, below)]
    return [Text(), Text("The first divergence", "bold"), *indented]


def _place(name: str, one: Spot | None) -> Text:
    if one is None:
        return Text.assemble((name, "bold"), "\nno line of your program")
    place = f"{one.place.shown}:{one.place.line}"
    return Text.assemble(
        (name, "bold"), f"  {place}\n", (one.place.text, "cyan"), f"\n{one.operation}"
    )


def _three(rows: list[tuple[str, str, str, str]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name, justify in (
        ("What differs", "left"),
        ("is", "right"),
        ("should be", "right"),
        ("", "left"),
    ):
        table.add_column(name, justify=justify, overflow="fold")  # type: ignore[arg-type]
    for row in rows:
        table.add_row(*map(escape, row))
    return table


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
        word = wording.same(report, pair)
        return Text(word, "green" if word == wording.SAME else "yellow")
    if pair.state == "different":
        return Text(pair.stage or "differ", "red")
    return Text("-", "bright_black")


def _leaves(report: Report) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("Output or gradient", style="bold", overflow="fold")
    table.add_column("Type", overflow="fold")
    table.add_column("R", no_wrap=True)
    table.add_column("", no_wrap=True)
    listed, rest = wording.ranked(report.leaves)
    for leaf in listed:
        table.add_row(
            escape(leaf.title),
            escape(wording.kind(leaf.worst)),
            _bar(leaf.worst.comparison.closeness.ratio, wording.measured(leaf.worst)),
            Text(leaf.state, _COLORS[leaf.state]),
        )
    if rest:
        table.add_row(Text(f"and {wording.rest(rest)}", "bright_black"))
    return table


def _remarks(report: Report) -> list[RenderableType]:
    """List the remarks on outputs and gradients below their table, equal ones together, and explain R."""
    found: dict[str, list[str]] = {}
    leaves, _ = wording.ranked(report.leaves)
    for leaf in leaves:
        # A difference of elements is in the table of what differs.
        told = leaf.state == DIFFERENT and leaf.worst.comparison.worst is not None
        if not told and (remark := wording.remark(leaf)):
            found.setdefault(remark, []).append(leaf.title)
    lines = [f"{', '.join(titles)}: {remark}" for remark, titles in found.items()]
    if any(wording.measured(leaf.worst).startswith("R ") for leaf in leaves):
        lines.insert(0, wording.R_IN_WORDS)
    if len(lines) > _SHOWN:
        lines = [*lines[:_SHOWN], f"and {len(lines) - _SHOWN} more"]
    return [Padding(Text(line, "bright_black", overflow="fold"), (0, 0, 0, 2)) for line in lines]


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


def _not_covered(report: Report, told: Sequence[Reason]) -> list[Reason]:
    """Return the lanes that did not run, with reasons, except those that are among the verdict's reasons."""
    return [
        Reason(title(lane), _joined(reason), reason.cases)
        for lane, reason in wording.uncovered(report, told)
        if reason.what != "run with" or lane == TF_GRAPH.id
    ]


def _joined(reason: Reason) -> str:
    """Return what a lane did not compute, or how it was run, with the reason."""
    if reason.what == "run with":
        return f"run with {reason.why}"
    return f"no {reason.what}: {reason.why}"


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
