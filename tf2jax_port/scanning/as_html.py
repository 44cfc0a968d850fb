"""Render a scan as one self-contained HTML page: annotated source, a map of the work, a filter, names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from tf2jax_port.html.page import page, path, words
from tf2jax_port.html.script import FILTER
from tf2jax_port.html.style import PANEL
from tf2jax_port.rewrite.findings.findings import State, count_states
from tf2jax_port.rewrite.findings.ledger import Ledger
from tf2jax_port.rewrite.rules.codes import find_rule
from tf2jax_port.scanning import annotated, targets, treemap
from tf2jax_port.scanning.annotated import KINDS, LABELS, Limits, anchor
from tf2jax_port.scanning.as_text import summary
from tf2jax_port.scanning.effort import Blocker, FileEffort, blockers, by_file, share
from tf2jax_port.scanning.targets import Compared

# Above this many references, those without manual work have no messages.
MOST_PLACES = 30_000
# Above this many lines, those far from any work are left out if they have no reference.
MOST_LINES = 100_000
_FEW = 8
_CSS = """
.file { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  overflow: clip; overflow-wrap: anywhere; margin: 0 0 0.6rem; }
.file > summary { color: var(--ink); padding: 0.5rem 0.9rem; position: sticky; top: 0; z-index: 1;
  background: var(--card); border-radius: 10px; }
.file[open] > summary { border-radius: 0; }
.file > summary .bar { display: inline-flex; width: 5rem; vertical-align: 0.05em; margin: 0 0.5rem; }
.file > summary .soft { font-size: 0.84rem; } .file > p { padding: 0 0.9rem; }
.file > summary code { font-weight: 600; }
td.num, th.num { text-align: right; } .names td:first-child { min-width: 8.5rem; }
@supports selector(:has(*)) {
"""
_PAGE_CSS = (
    _CSS
    + "\n".join(
        f'body:has([data-state-box][value="{state}"]:not(:checked)) .note[data-state="{state}"] '
        "{ display: none; }"
        for state in State
    )
    + """
}
.code mark.kept { background: var(--mute-bg); box-shadow: inset 0 -2px var(--edge); }
@media (max-width: 900px) { .map { aspect-ratio: auto; height: 14rem; } }
@media (max-width: 640px) { .hide { display: none; } }
"""
)


def to_html(ledger: Ledger, title: str) -> str:
    """Render the page; all text is escaped, and nothing is loaded from elsewhere."""
    files = by_file(ledger)
    ids = {file.entry.path: f"f{number}" for number, file in enumerate(files, 1)}
    heading = f"TensorFlow in {title}"
    sentence = summary(ledger, files) if files else "No reference to TensorFlow."
    advice = targets.sentence(targets.compared(ledger))
    by_target = f'<p>{words(advice)} <a href="#targets">By file</a></p>' if advice else ""
    parts = [
        '<a class="skip" href="#source">To the source</a>' if files else "",
        f'<header class="hero"><h1>{path(heading)}</h1><p>{words(sentence)}</p>{by_target}</header>',
        *(_sections(ledger, files, ids) if files else ()),
        _skipped(ledger),
    ]
    css = PANEL + treemap.CSS + annotated.CSS + _PAGE_CSS
    return page(heading, parts, css=css, script=FILTER if files else "", kind="broad")


def _sections(ledger: Ledger, files: Sequence[FileEffort], ids: Mapping[str, str]) -> Iterator[str]:
    found = blockers(ledger)
    compared = targets.compared(ledger)
    yield '<div class="work">'
    yield _panel(ledger, files, ids, bool(found), bool(compared))
    yield '<section class="places" id="source" aria-label="Annotated source"><h2>Source</h2>'
    yield from _places(files, ids)
    yield "</section></div>"
    yield from _targets(compared, ids)
    if found:
        yield '<h2 id="names">Names to write by hand</h2>'
        yield _blockers(found, ids)
    yield '<h2 id="diagnostics">Diagnostics</h2>'
    yield from _diagnostics(ledger)


def _panel(
    ledger: Ledger,
    files: Sequence[FileEffort],
    ids: Mapping[str, str],
    has_names: bool,
    has_targets: bool,
) -> str:
    """Render the column beside the source: the filter, the states, the map and links to the rest."""
    counts = count_states(ledger.findings)
    total = sum(counts.values())
    boxes = "".join(
        f'<label class="{KINDS[state]}" title="{share(counts[state], total)} of {total:,} references">'
        f'<input type="checkbox" data-state-box value="{state}"{" checked" * state.needs_person}>'
        f"{label} <b>{counts[state]:,}</b></label>"
        for state, label in LABELS.items()
        if counts[state]
    )
    links = [("targets", "Targets")] if has_targets else []
    links += [("names", "Names to write by hand")] if has_names else []
    links += [("diagnostics", "Diagnostics")]
    listed = "".join(f'<li><a href="#{name}">{word}</a></li>' for name, word in links)
    return (
        '<aside class="panel" aria-label="Filter and map">'
        '<div class="search scripted" hidden><input id="filter" type="search" data-things="places" '
        'placeholder="Filter: name, file, code, words" aria-label="Filter the places" '
        'aria-keyshortcuts="/" autocomplete="off" spellcheck="false">'
        '<output id="found" aria-live="polite"></output></div>'
        f'<fieldset class="states" aria-label="Show the messages of">{boxes}</fieldset>'
        '<p class="keys scripted" hidden><kbd>/</kbd> filter, <kbd>Esc</kbd> clear, <kbd>n</kbd> '
        "<kbd>p</kbd> next and previous place</p>"
        f"{_picture(files, ids)}"
        f'<ul class="jump">{listed}</ul>'
        "</aside>"
    )


def _picture(files: Sequence[FileEffort], ids: Mapping[str, str]) -> str:
    drawn = treemap.to_map(files, lambda file: f"#{ids[file.entry.path]}")
    without = sum(not file.effort for file in files)
    left = f" {without} {'file' if without == 1 else 'files'} without work: not on the map." * bool(
        without
    )
    if not drawn:
        return '<p class="soft">No work is left.</p>'
    return (
        '<h2>Work left</h2><ul class="key"><li><b class="bad"></b>to write by hand: 1</li>'
        f'<li><b class="warn"></b>to review: ¼</li></ul>{drawn}'
        f'<p class="keys">The area of a file is its work.{left}</p>'
    )


def _bar(file: FileEffort) -> str:
    manual, review = file.counts[State.MANUAL], file.counts[State.REVIEW]
    parts = ((file.settled, "good"), (review, "warn"), (manual, "bad"))
    return "".join(f'<span class="{c}" style="flex:{n}"></span>' for n, c in parts if n)


def _places(files: Sequence[FileEffort], ids: Mapping[str, str]) -> Iterator[str]:
    limits = Limits(
        notes=sum(file.total for file in files) <= MOST_PLACES,
        lines=sum(file.entry.lines for file in files) <= MOST_LINES,
    )
    for number, file in enumerate(files):
        counts = ", ".join(
            f"{n} {word}"
            for n, word in (
                (file.counts[State.MANUAL], "to write by hand"),
                (file.counts[State.REVIEW], "to review"),
                (file.settled, "done"),
            )
            if n
        )
        effort = f", effort {file.effort:g}" if file.effort else ""
        left = (
            ""
            if limits.notes
            else (
                f"<p class='soft'>The messages of {file.settled} places without manual work are not shown.</p>"
            )
        )
        yield (
            f'<details class="file" data-group data-name="{escape(file.entry.path)}"'
            f"{' open' * (not number)}><summary><code>{path(file.entry.path)}</code>"
            f'<span class="bar" aria-hidden="true">{_bar(file)}</span>'
            f'<span class="soft">{counts}{effort}, {file.entry.lines:,} lines</span></summary>'
            f"{annotated.source_html(file, ids[file.entry.path], limits)}{left}</details>"
        )


def _targets(files: Sequence[Compared], ids: Mapping[str, str]) -> Iterator[str]:
    """Yield the table of what each target handles in each file, if the targets were compared."""
    if not files:
        return
    numbers = "".join(f'<th class="num">{target}</th>' for target in targets.TARGETS)
    body = "".join(
        f'<tr><td><a href="#{ids[name]}"><code>{path(name)}</code></a></td>'
        + "".join(f'<td class="num">{cell}</td>' for cell in settled)
        + f"<td>{chosen}</td><td>{words(why)}</td></tr>"
        for name, *settled, chosen, why in targets.rows(files)
    )
    yield '<h2 id="targets">Targets</h2>'
    table = (
        f'<div class="wide"><table><thead><tr><th>file</th>{numbers}<th>recommended</th><th>why</th>'
        f"</tr></thead><tbody>{body}</tbody></table></div>"
    )
    few = len(files) <= _FEW
    yield (
        table
        if few
        else f"<details><summary>By file: {len(files)} files</summary>{table}</details>"
    )


def _blockers(found: Sequence[Blocker], ids: Mapping[str, str]) -> str:
    rows = "".join(_blocker(blocker, ids) for blocker in found)
    return (
        '<div class="wide names"><table><thead><tr><th>name</th><th class="num">places</th>'
        '<th class="num hide">files</th><th class="num hide">alone in</th><th>why, and where</th>'
        f"</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _blocker(blocker: Blocker, ids: Mapping[str, str]) -> str:
    links = [
        f'<a href="#{anchor(ids[entry.path], finding)}">'
        f"{escape(entry.path.rpartition('/')[2])}:{finding.place.rpartition(':')[0]}</a>"
        for entry, finding in blocker.places[:_FEW]
    ]
    more = len(blocker.places) - len(links)
    where = " ".join(links) + (f" and {more} more" if more > 0 else "")
    codes = " ".join(f'<a href="#{code}">{code}</a>' for code in blocker.codes)
    return (
        f"<tr><td><code>{escape(blocker.symbol)}</code></td>"
        f'<td class="num">{len(blocker.places)}</td><td class="num hide">{blocker.files}</td>'
        f'<td class="num hide">{blocker.alone or ""}</td>'
        f"<td>{codes} {words(blocker.message)}<br>"
        f'<span class="soft place">{where}</span></td></tr>'
    )


def _diagnostics(ledger: Ledger) -> Iterator[str]:
    codes = {finding.code for finding in ledger.findings} | {s.code for s in ledger.skipped}
    for code in sorted(codes):
        rule = find_rule(code)
        yield (
            f'<details class="file"><summary>{code} <span class="soft">{escape(rule.name)}</span>'
            f'</summary><p id="{code}">{words(rule.why)}</p><p>{words(rule.safety)}</p></details>'
        )


def _skipped(ledger: Ledger) -> str:
    if not ledger.skipped:
        return ""
    items = "".join(
        f"<li><code>{path(s.path)}</code>: {s.code} {escape(s.reason)}</li>" for s in ledger.skipped
    )
    return f'<h2>Not read</h2><ul class="plain">{items}</ul>'
