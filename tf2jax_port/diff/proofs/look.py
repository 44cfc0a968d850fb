"""Define what the pages of a proof share: their frame, their style, chips and bars."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from html import escape

from tf2jax_port.diff.proofs.proof import Row, Share, Status
from tf2jax_port.html.style import CSS

_KINDS = {
    Status.PROVED: "good",
    Status.LIMITED: "warn",
    Status.NOT_REPLAYED: "warn",
    Status.DIFFERENT: "bad",
    Status.RAISES: "bad",
    Status.FAILS_UNDER_JIT: "bad",
}
_CSS = """
a { color: var(--accent); text-decoration: none; } a:hover { text-decoration: underline; }
td code, td .mono, h1, .name { overflow-wrap: anywhere; } td.num, th.num { text-align: right; white-space: nowrap; }
.chip.good { background: var(--good-bg); color: var(--good); }
.chip.warn { background: var(--warn-bg); color: var(--warn); }
.chip.bad { background: var(--bad-bg); color: var(--bad); }
.bar { display: flex; height: 0.55rem; min-width: 5rem; border-radius: 3px; overflow: hidden;
  background: var(--mute-bg); margin-top: 0.5rem; }
.bar .good { background: var(--good); } .bar .warn { background: var(--warn); }
.bar .bad { background: var(--bad); } .bar .mute { background: var(--mute-bg); }
.narrow { display: none; }
.source { border: 1px solid var(--line); border-radius: 10px; background: var(--card);
  overflow-x: auto; padding: 0.5rem 0; margin: 0.4rem 0; }
.source code { display: block; white-space: pre; width: max-content; min-width: 100%; padding: 0 1rem 0 0; }
.source i { display: inline-block; width: 3.6rem; padding-right: 0.8rem; text-align: right;
  font-style: normal; color: var(--soft); border-right: 3px solid transparent; margin-right: 0.7rem; }
.source .ran i { border-color: var(--good); } .source .missed i { border-color: var(--warn); }
.source .fault { background: var(--bad-bg); } .source .fault i { border-color: var(--bad); color: var(--bad); }
.function { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 0.6rem 0.9rem; margin: 0.6rem 0; overflow-wrap: anywhere; }
.function h3 { font-size: 0.95rem; margin: 0 0 0.2rem; } .function:target { border-color: var(--accent); }
@media (max-width: 640px) { .hide { display: none; } .narrow { display: inline; } .hero { padding: 0.9rem 1rem; } }
"""


def page(title: str, parts: Iterable[str]) -> str:
    """Return a page; nothing is loaded from elsewhere."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{CSS}{_CSS}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(part for part in parts if part)
        + "\n</main>\n</body>\n</html>\n"
    )


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
    """Return the name of a function, linked to its place on the page of its file.

    Args:
      row: the function.
      shown: its name as it is shown.
      names: the names of the pages by path.
    """
    text = f"<code>{escape(shown)}</code>"
    if row.path not in names:
        return text
    return f'<a href="{escape(names[row.path], quote=True)}#{anchor(row)}">{text}</a>'


def path(text: str) -> str:
    """Return a path that may be broken behind each folder."""
    return escape(text).replace("/", "/<wbr>")
