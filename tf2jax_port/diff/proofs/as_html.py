"""Render a proof as pages: one for the code base, and one for each file, linked."""

from __future__ import annotations

import hashlib
from collections import Counter
from html import escape

from tf2jax_port.diff.proofs import look
from tf2jax_port.diff.proofs.as_html_file import file_page
from tf2jax_port.diff.proofs.proof import SCOPE, WRONG, Proof, Status, share
from tf2jax_port.diff.proofs.wording import headline, short, summary
from tf2jax_port.diff.vocabulary.verdicts import shown
from tf2jax_port.html.page import path as breakable
from tf2jax_port.messages.counts import counted

INDEX = "index.html"


def to_pages(proof: Proof) -> dict[str, str]:
    """Return the texts of the pages by their file names; all text is escaped."""
    files = {path: rows for path, rows in proof.files().items() if path}
    names = {path: _page_name(path) for path in files}
    pages = {INDEX: look.page(f"{shown(proof.verdict)}: {proof.root}", _parts(proof, names))}
    for path, rows in files.items():
        pages[names[path]] = file_page(proof, path, rows, names, INDEX)
    return pages


def _page_name(path: str) -> str:
    """Return a file name that no other path has, and that a person recognizes."""
    plain = path.removesuffix(".py").replace("/", ".")
    return f"{plain}.{hashlib.sha256(path.encode()).hexdigest()[:6]}.html"


def _parts(proof: Proof, names: dict[str, str]) -> list[str]:
    return [
        _hero(proof),
        _cards(proof),
        _faults(proof, names),
        _files(proof, names),
        _missing(proof),
        _unfit(proof),
        f'<footer><p class="mono">{escape(proof.root)}</p></footer>',
    ]


def _hero(proof: Proof) -> str:
    return (
        f'<header class="hero {proof.verdict}">'
        f'<span class="chip big">{escape(shown(proof.verdict))}</span>'
        f'<h1 class="name">{escape(headline(proof))}</h1>'
        f'<p class="soft">{escape(summary(proof))}. {escape(SCOPE)}</p></header>'
    )


def _cards(proof: Proof) -> str:
    counts = proof.counts
    asked = len(proof.rows) - counts[Status.NO_TENSORS]
    calls = sum(row.calls for row in proof.rows)
    lines, branches = share(proof.rows, "lines"), share(proof.rows, "branches")
    cards = [
        (f"{counts[Status.PROVED]} of {asked}", "functions proved"),
        (str(counts[Status.LIMITED]), "equal within limits"),
        (str(sum(counts[status] for status in WRONG)), "different, or raise"),
        (f"{sum(row.replayed for row in proof.rows)} of {calls}", "recorded calls replayed"),
        *([(lines.text, "of lines reached")] if lines else []),
        *([(branches.text, "of branches reached")] if branches else []),
    ]
    return (
        '<div class="cards">'
        + "".join(
            f'<div class="card"><b>{escape(big)}</b><span>{escape(small)}</span></div>'
            for big, small in cards
        )
        + "</div>"
    )


def _faults(proof: Proof, names: dict[str, str]) -> str:
    rows = "".join(
        f"<tr><td>{look.link(row, short(row), names)}<br><span class='soft mono'>{breakable(row.place)}</span></td>"
        f"<td>{look.chip(row.status)}</td><td class='name'>{escape(row.why)}</td>"
        f'<td class="num hide">{row.above or ""}</td></tr>'
        for row in proof.faults
    )
    if not rows:
        return ""
    return (
        '<h2>Where faults begin</h2><p class="soft">The functions in this table are wrong, and no function that '
        "they call is known to be wrong.</p><div "
        'class="wide"><table><thead><tr><th>function</th><th></th><th>what happens</th><th class="num '
        f'hide">wrong with it</th></tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _files(proof: Proof, names: dict[str, str]) -> str:
    body = ""
    left = []  # files that no call reaches
    for path, rows in proof.files().items():
        counts = Counter(row.status for row in rows)
        idle = counts[Status.NO_TENSORS] + counts[Status.NOT_REACHED]
        if not path or idle == len(rows):
            left += [path] if path else []
            continue
        wrong = sum(counts[status] for status in WRONG)
        body += (
            f'<tr><td><a href="{escape(names[path], quote=True)}"><code>{breakable(path)}</code></a></td>'
            f'<td class="hide">{look.bar(rows)}</td>'
            f'<td class="num">{counts[Status.PROVED] or ""}</td>'
            f'<td class="num">{counts[Status.LIMITED] or ""}</td>'
            f'<td class="num">{wrong or ""}</td>'
            f'<td class="num hide">{counts[Status.NOT_REPLAYED] or ""}</td>'
            f'<td class="num hide">{counts[Status.NOT_REACHED] or ""}</td>'
            f'<td class="num">{look.share(share(rows, "lines"))}</td>'
            f'<td class="num hide">{look.share(share(rows, "branches"))}</td></tr>'
        )
    return (
        '<h2>Files</h2><div class="wide"><table><thead><tr><th>file</th><th class="hide"></th>'
        '<th class="num">proved</th><th class="num">limited</th><th class="num">wrong</th>'
        '<th class="num hide">not replayed</th><th class="num hide">not reached</th>'
        '<th class="num">lines</th><th class="num hide">branches</th></tr></thead>'
        f"<tbody>{body}</tbody></table></div>{_left(left, names)}"
    )


def _left(paths: list[str], names: dict[str, str]) -> str:
    items = "".join(
        f'<li><a href="{escape(names[path], quote=True)}"><code>{escape(path)}</code></a></li>'
        for path in paths
    )
    if not items:
        return ""
    said = f"{counted(len(paths), 'file')} not reached by any recorded call"
    return f'<details><summary>{said}</summary><ul class="plain">{items}</ul></details>'


def _missing(proof: Proof) -> str:
    items = "".join(
        f"<li><code>{escape(row.name)}</code>: {escape(row.status)}, {escape(row.why)}</li>"
        for row in proof.rows
        if not row.path and row.status is not Status.NO_TENSORS
    )
    return f'<h2>Not in the port</h2><ul class="plain">{items}</ul>' if items else ""


def _unfit(proof: Proof) -> str:
    items = "".join(
        f"<li>{escape(reason)}: {number}</li>"
        for reason, number in sorted(proof.unfit.items(), key=lambda item: -item[1])
    )
    return f'<h2>Calls that cannot be replayed</h2><ul class="plain">{items}</ul>' if items else ""
