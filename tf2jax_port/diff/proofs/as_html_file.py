"""Render the page of one file of a proof: its functions, their calls, and the lines that the calls reached."""

from __future__ import annotations

from html import escape
from pathlib import Path

from tf2jax_port.diff.code_bases.replay import ALL_LANES
from tf2jax_port.diff.proofs import look
from tf2jax_port.diff.proofs.proof import WRONG, Proof, Row, Status, share
from tf2jax_port.html.page import path as breakable
from tf2jax_port.html.syntax import Piece, colored, line_html
from tf2jax_port.messages.counts import counted

_AROUND = 60  # lines of a function that is not wrong are collapsed above this number


def file_page(proof: Proof, path: str, rows: list[Row], names: dict[str, str], index: str) -> str:
    """Return the page.

    Args:
      proof: the proof of the code base.
      path: the file, relative to the folder of the port.
      rows: its functions.
      names: the names of the pages by path.
      index: the name of the page of the code base.
    """
    try:
        text = Path(proof.root, path).read_text(errors="replace")
    except OSError:  # it was removed meanwhile
        text = ""
    source = colored(text.removesuffix("\n")) if text else []
    by_name = {row.function: row for row in proof.rows}
    parts = [
        f'<p><a href="{escape(index, quote=True)}">← the code base</a></p>',
        _hero(path, rows),
        "<h2>Functions</h2>",
        _table(rows),
        "<h2>Lines</h2>",
        '<ul class="key"><li><b class="good"></b>a replayed call reached the line</li><li><b '
        'class="warn"></b>no replayed call reached the line</li><li><b class="bad"></b>the line at which a '
        "fault appears</li></ul>",
        *(_function(row, source, by_name, names) for row in rows),
    ]
    return look.page(path, parts)


def _hero(path: str, rows: list[Row]) -> str:
    wrong = [row for row in rows if row.status in WRONG]
    asked = [row for row in rows if row.status is not Status.NO_TENSORS]
    proved = sum(row.status is Status.PROVED for row in rows)
    kind = "different" if wrong else "equal" if proved == len(asked) else "limited"
    lines, branches = share(rows, "lines"), share(rows, "branches")
    shares = [f"{lines.text} of lines"] if lines else []
    shares += [f"{branches.text} of branches"] if branches and branches.total else []
    reached = f", {' and '.join(shares)} reached" if shares else ""
    said = f"{counted(len(wrong), 'function')} wrong, " if wrong else ""
    return (
        f'<header class="hero {kind}"><h1><code>{breakable(path)}</code></h1>'
        f"<p>{said}{proved} of {counted(len(asked), 'function')} proved{reached}</p></header>"
    )


def _table(rows: list[Row]) -> str:
    body = "".join(
        f'<tr><td><a href="#{look.anchor(row)}"><code>{escape(row.function[1])}</code></a></td>'
        f"<td>{look.chip(row.status)}</td>"
        f'<td class="num hide">{row.replayed} of {row.calls}</td>{_lanes(row)}'
        f'<td class="num">{look.share(row.lines)}</td>'
        f'<td class="num hide">{look.share(row.branches)}</td></tr>'
        for row in rows
    )
    heads = "".join(f'<th class="hide">{escape(lane)}</th>' for lane in ALL_LANES)
    return (
        '<div class="wide"><table><thead><tr><th>function</th><th></th>'
        f'<th class="num hide">calls</th>{heads}<th class="num">lines</th>'
        f'<th class="num hide">branches</th></tr></thead><tbody>{body}</tbody></table></div>'
    )


def _lanes(row: Row) -> str:
    """Return a cell for each lane: the outcomes with their number, the worst first."""
    cells = []
    for lane in ALL_LANES:
        counts = row.lanes[lane]
        order = sorted(counts, key=lambda outcome: (outcome == "equal", outcome))
        said = ", ".join(f"{counts[outcome]} {outcome}" for outcome in order)
        cells.append(f'<td class="hide">{escape(said)}</td>')
    return "".join(cells)


def _function(
    row: Row, source: list[list[Piece]], by_name: dict[tuple[str, str], Row], names: dict[str, str]
) -> str:
    first, last = row.span
    below = ", ".join(
        look.link(by_name[origin], by_name[origin].name, names) for origin in row.origins
    )
    listing = "".join(
        _line(number, source[number - 1], row)
        for number in range(first, min(last, len(source)) + 1)
    )
    shown = f'<div class="source code">{listing}</div>'
    is_open = row.status in WRONG or (
        last - first < _AROUND and row.status is not Status.NO_TENSORS
    )
    return (
        f'<section class="function" id="{look.anchor(row)}">'
        f"<h3><code>{escape(row.function[1])}</code> {look.chip(row.status)}</h3>"
        f"<p>{escape(row.why)}</p>"
        + (
            f"<p>It calls {below}, which {'is' if len(row.origins) == 1 else 'are'} wrong, too.</p>"
            if below
            else ""
        )
        + f"<details{' open' if is_open else ''}><summary>lines {first} to {last}</summary>{shown}</details></section>"
    )


def _line(number: int, text: list[Piece], row: Row) -> str:
    kind = "ran" if number in row.reached else "missed" if number in row.possible else ""
    if row.status in WRONG and number == row.line:
        kind = "fault"
    return f'<code class="{kind}" data-n="{number}">{line_html(text)}</code>'
