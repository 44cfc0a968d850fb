"""Define the common parts of the pages of a proof: frame, style, chips and bars."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from html import escape

from tf2jax_port.diff.proofs.proof import Row, Share, Status
from tf2jax_port.html.page import page as frame

_KINDS = {
    Status.PROVED: "good",
    Status.LIMITED: "warn",
    Status.NOT_REPLAYED: "warn",
    Status.DIFFERENT: "bad",
    Status.RAISES: "bad",
    Status.FAILS_UNDER_JIT: "bad",
}
_CSS = """
td .mono, .name { overflow-wrap: anywhere; } td.num, th.num { text-align: right; white-space: nowrap; }
td .bar { margin-top: 0.5rem; }
.source { border: 1px solid var(--line); border-radius: 10px; padding: 0.5rem 0; margin: 0.4rem 0; }
.source code::after { content: ""; position: absolute; left: 3.9rem; top: 0; bottom: 0; width: 3px; }
.source .ran::after { background: var(--good); } .source .missed::after { background: var(--warn); }
.source .fault { background: var(--bad-bg); } .source .fault::after { background: var(--bad); }
.source .fault[data-n]::before { color: var(--bad); font-weight: 700; }
.key { display: flex; flex-wrap: wrap; gap: 0.2rem 1.2rem; margin: 0.4rem 0; padding: 0; list-style: none;
  font-size: 0.88rem; color: var(--soft); }
.key b { display: inline-block; width: 3px; height: 1em; vertical-align: -0.15em; margin-right: 0.5em; }
.key .good { background: var(--good); } .key .warn { background: var(--warn); }
.key .bad { background: var(--bad); }
.function { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 0.6rem 0.9rem; margin: 0.6rem 0; overflow-wrap: anywhere; }
.function h3 { font-size: 0.95rem; margin: 0 0 0.2rem; } .function:target { border-color: var(--accent); }
@media (max-width: 640px) { .hide { display: none; } td .chip { white-space: normal; border-radius: 10px; }
  td:first-child:not(:only-child) { min-width: 7.5rem; } .source code::after { left: 2.6rem; } }
"""


def page(title: str, parts: Iterable[str]) -> str:
    """Return a page that loads nothing from elsewhere."""
    return frame(title, parts, css=_CSS)


def chip(status: Status) -> str:
    """Return a label in the color of a status."""
    return f'<span class="chip {_KINDS.get(status, "")}">{escape(status.value)}</span>'


def bar(rows: Iterable[Row]) -> str:
    """Draw the shares of the statuses of functions."""
    counts = Counter(
        _KINDS.get(row.status, "mute") for row in rows if row.status is not Status.NO_TENSORS
    )
    spans = "".join(
        f'<span class="{kind}" style="flex:{counts[kind]}"></span>'
        for kind in ("good", "warn", "bad", "mute")
        if counts[kind]
    )
    return f'<div class="bar">{spans}</div>'


def share(found: Share | None) -> str:
    """Return a share for a cell of a table."""
    return "" if found is None else escape(found.text)


def anchor(row: Row) -> str:
    """Return the name by which links find a function on the page of its file."""
    return escape(row.name, quote=True)


def link(row: Row, shown: str, names: Mapping[str, str]) -> str:
    """Return the name of a function, as a link to its section on the page of its file.

    Args:
      row: the function.
      shown: the text of the link.
      names: the names of the pages by path.
    """
    text = f"<code>{escape(shown)}</code>"
    if row.path not in names:
        return text
    return f'<a href="{escape(names[row.path], quote=True)}#{anchor(row)}">{text}</a>'
