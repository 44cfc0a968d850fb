"""Render a scan as one self-contained HTML page: treemap, files, names and references."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from tf2jax_port.html.style import CSS
from tf2jax_port.rewrite.findings.findings import Finding, State, count_states
from tf2jax_port.rewrite.findings.ledger import Ledger
from tf2jax_port.rewrite.reading.source import decode
from tf2jax_port.rewrite.rules.codes import find_rule
from tf2jax_port.scanning import targets, treemap
from tf2jax_port.scanning.as_text import summary
from tf2jax_port.scanning.effort import Blocker, FileEffort, blockers, by_file, share
from tf2jax_port.scanning.targets import Compared

# Above this many references, those without manual work are counted and not shown.
MOST_PLACES = 30_000
_FEW = 8
_LONG = 600
_CSS = """
.map .narrow { display: none; } .map svg { border-radius: 6px; }
.map rect.good { fill: var(--good); fill-opacity: 0.3; } .map rect.warn { fill: var(--warn); fill-opacity: 0.45; }
.map rect.bad { fill: var(--bad); fill-opacity: 0.5; } .map svg text.file { fill: var(--ink); }
.map a:hover rect { stroke: var(--ink); stroke-width: 1; }
.key { display: flex; flex-wrap: wrap; gap: 0.3rem 1.2rem; margin: 0.5rem 0; padding: 0;
  list-style: none; font-size: 0.85rem; color: var(--soft); }
.key b { display: inline-block; width: 0.9em; height: 0.9em; border-radius: 3px;
  vertical-align: -0.1em; margin-right: 0.4em; }
.key .good { background: var(--good); opacity: 0.4; }
.key .warn { background: var(--warn); opacity: 0.6; } .key .bad { background: var(--bad);
  opacity: 0.6; }
.bar { display: flex; height: 0.55rem; min-width: 5rem; border-radius: 3px; overflow: hidden;
  background: var(--mute-bg); }
.bar .good { background: var(--good); } .bar .warn { background: var(--warn); }
.bar .bad { background: var(--bad); }
a { color: var(--accent); text-decoration: none; } a:hover { text-decoration: underline; }
td code, summary code, .place { overflow-wrap: anywhere; }
td.num, th.num { text-align: right; } .names td:first-child { min-width: 8.5rem; }
.chip.rewritten, .chip.shim { background: var(--good-bg); color: var(--good); }
.chip.review { background: var(--warn-bg); color: var(--warn); }
.chip.manual { background: var(--bad-bg); color: var(--bad); }
.file { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 0.55rem 0.9rem; overflow-wrap: anywhere; }
.file summary { color: var(--ink); } .file summary .soft { font-size: 0.85rem; }
.file ol { list-style: none; margin: 0.6rem 0 0; padding: 0; }
.file li { border-top: 1px solid var(--line); padding: 0.55rem 0; }
.file li:target { background: var(--mute-bg); }
.file pre { border: 0; padding: 0.35rem 0.6rem; margin: 0.35rem 0 0; background: var(--page);
  border-radius: 6px; font: 0.82rem/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.file del, .file ins { text-decoration: none; display: block; }
.file del::before { content: "- "; color: var(--bad); } .file ins::before { content: "+ ";
  color: var(--good); }
@media (max-width: 640px) { .map .broad { display: none; } .map .narrow { display: block; }
  .hide { display: none; } .hero { padding: 0.9rem 1rem; } }
"""


def to_html(ledger: Ledger, title: str) -> str:
    """Render the page; all text is escaped, and nothing is loaded from elsewhere."""
    files = by_file(ledger)
    ids = {file.entry.path: f"f{number}" for number, file in enumerate(files, 1)}
    heading = escape(f"TensorFlow in {title}")
    body = (_sections(ledger, files, ids) if files else "") + _skipped(ledger)
    sentence = summary(ledger, files) if files else "No reference to TensorFlow."
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{heading}</title>\n<style>{CSS}{_CSS}</style>\n</head>\n<body>\n<main>\n"
        f'<header class="hero"><h1>{heading}</h1><p>{_format_code(sentence)}</p></header>\n'
        f"{body}\n</main>\n</body>\n</html>\n"
    )


def _sections(ledger: Ledger, files: Sequence[FileEffort], ids: Mapping[str, str]) -> str:
    found = blockers(ledger)
    parts = [
        _cards(ledger),
        "<h2>Progress</h2>",
        _picture(files, ids),
        "<h2>Files</h2>",
        _files(files, ids),
        *_targets(targets.compared(ledger), ids),
        *(["<h2>Names to write by hand</h2>", _blockers(found, ids)] if found else []),
        "<h2>All references</h2>",
        *_places(files, ids),
        "<h2>Diagnostics</h2>",
        *_diagnostics(ledger),
    ]
    return "\n".join(parts)


def _format_code(text: str) -> str:
    """Escape text and format backticks as code."""
    pieces = escape(text).split("`")
    if len(pieces) % 2 == 0:
        return escape(text)
    return "".join(f"<code>{p}</code>" if n % 2 else p for n, p in enumerate(pieces))


def _cards(ledger: Ledger) -> str:
    counts = count_states(ledger.findings)
    total = sum(counts.values())
    words = {
        State.REWRITTEN: "rewritten to JAX",
        State.REVIEW: "rewritten, to look at",
        State.SHIM: "to <code>shims</code>",
        State.KEPT: "kept as TensorFlow",
        State.MANUAL: "to write by hand",
    }
    cards = "".join(
        f'<div class="card"><b>{counts[state]:,}</b><span>{words[state]}, '
        f"{share(counts[state], total)}</span></div>"
        for state in State
        if counts[state]
    )
    return f'<div class="cards">{cards}</div>'


def _picture(files: Sequence[FileEffort], ids: Mapping[str, str]) -> str:
    def link(file: FileEffort) -> str:
        return f"#{ids[file.entry.path]}"

    broad, narrow = treemap.to_svg(files, link, 1040, 520), treemap.to_svg(files, link, 380, 520)
    return (
        '<p class="soft">Each box is a file, as large as it has references, in its folders.</p>'
        '<ul class="key"><li><b class="good"></b>done by the rewriter</li>'
        '<li><b class="warn"></b>to look at</li><li><b class="bad"></b>to write</li></ul>'
        f'<div class="map"><div class="broad">{broad}</div><div class="narrow">{narrow}</div></div>'
    )


def _bar(file: FileEffort) -> str:
    manual, review = file.counts[State.MANUAL], file.counts[State.REVIEW]
    parts = ((file.settled, "good"), (review, "warn"), (manual, "bad"))
    spans = "".join(f'<span class="{c}" style="flex:{n}"></span>' for n, c in parts if n)
    return f'<div class="bar">{spans}</div>'


def _files(files: Sequence[FileEffort], ids: Mapping[str, str]) -> str:
    rows = "".join(
        f'<tr><td><a href="#{ids[file.entry.path]}"><code>{escape(file.entry.path)}</code></a></td>'
        f'<td class="num hide">{file.entry.lines:,}</td><td class="hide">{_bar(file)}</td>'
        f'<td class="num hide">{file.settled or ""}</td>'
        f'<td class="num">{file.counts[State.REVIEW] or ""}</td>'
        f'<td class="num">{file.counts[State.MANUAL] or ""}</td>'
        f'<td class="num">{file.effort:g}</td></tr>'
        for file in files
    )
    return (
        '<p class="soft">Effort: one for each place to write, a quarter for each to look at.</p>'
        '<div class="wide"><table><thead><tr><th>file</th><th class="num hide">lines</th>'
        '<th class="hide"></th><th class="num hide">done</th><th class="num">look</th>'
        '<th class="num">write</th><th class="num">effort</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _targets(files: Sequence[Compared], ids: Mapping[str, str]) -> Iterator[str]:
    """Yield the table with what each target settles in each file, if the targets were compared."""
    if not files:
        return
    numbers = "".join(f'<th class="num">{target}</th>' for target in targets.TARGETS)
    body = "".join(
        f'<tr><td><a href="#{ids[path]}"><code>{escape(path)}</code></a></td>'
        + "".join(f'<td class="num">{cell}</td>' for cell in settled)
        + f"<td>{chosen}</td><td>{_format_code(why)}</td></tr>"
        for path, *settled, chosen, why in targets.rows(files)
    )
    yield "<h2>Targets</h2>"
    yield f'<p class="soft">{_format_code(targets.sentence(files))}</p>'
    yield (
        f'<div class="wide"><table><thead><tr><th>file</th>{numbers}<th>recommended</th><th>why</th>'
        f"</tr></thead><tbody>{body}</tbody></table></div>"
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
        f'<a href="#{_anchor(ids[entry.path], finding)}">'
        f"{escape(entry.path.rpartition('/')[2])}:{finding.place.rpartition(':')[0]}</a>"
        for entry, finding in blocker.places[:_FEW]
    ]
    more = len(blocker.places) - len(links)
    where = " ".join(links) + (f" and {more} more" if more > 0 else "")
    return (
        f"<tr><td><code>{escape(blocker.symbol)}</code></td>"
        f'<td class="num">{len(blocker.places)}</td><td class="num hide">{blocker.files}</td>'
        f'<td class="num hide">{blocker.alone or ""}</td>'
        f"<td>{' '.join(map(_code, blocker.codes))} {_format_code(blocker.message)}<br>"
        f'<span class="soft place">{where}</span></td></tr>'
    )


def _code(code: str) -> str:
    return f'<a href="#{code}">{code}</a>'


def _places(files: Sequence[FileEffort], ids: Mapping[str, str]) -> Iterator[str]:
    whole = sum(file.total for file in files) <= MOST_PLACES
    for file in files:
        lines = _lines(file)
        findings = [f for f in file.entry.outcome.findings if whole or f.state.needs_person]
        unseen = file.total - len(findings)
        name = ids[file.entry.path]
        left = "" if not unseen else f"<li>{unseen} places without manual work are not shown.</li>"
        items = "".join(_place(file, finding, name, lines) for finding in findings)
        yield (
            f'<details class="file" id="{name}"><summary><code>{escape(file.entry.path)}</code> '
            f'<span class="soft">{file.settled} done, {file.counts[State.REVIEW]} to look at, '
            f"{file.counts[State.MANUAL]} to write</span></summary>"
            f"<ol>{items}{left}</ol></details>"
        )


def _anchor(name: str, finding: Finding) -> str:
    return f"{name}-{finding.place.replace(' ', '-').replace(':', '-')}"


def _lines(file: FileEffort) -> list[str]:
    """Return the source lines of a Python file; empty if its text is not available."""
    if not file.entry.path.endswith(".py") or not file.entry.before:
        return []
    text = decode(file.entry.before).text
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _place(file: FileEffort, finding: Finding, name: str, lines: Sequence[str]) -> str:
    anchor = _anchor(name, finding)
    old = finding.before
    if not finding.after and finding.line <= len(lines):
        old = lines[
            finding.line - 1
        ].strip()  # show the whole line, since a name alone tells little
    code = _shortened(old)
    if finding.after:
        code = f"<del>{code}</del><ins>{_shortened(finding.after)}</ins>"
    return (
        f'<li id="{anchor}"><a class="place" href="#{anchor}">{escape(file.entry.path)}:'
        f'{finding.place.rpartition(":")[0]}</a> <span class="chip {finding.state}">{finding.state}</span> '
        f"{_code(finding.code)} <code>{escape(finding.symbol)}</code>: {_format_code(finding.message)}"
        f"<pre>{code}</pre></li>"
    )


def _shortened(text: str) -> str:
    return escape(text if len(text) <= _LONG else f"{text[:_LONG]} …")


def _diagnostics(ledger: Ledger) -> Iterator[str]:
    codes = {finding.code for finding in ledger.findings} | {s.code for s in ledger.skipped}
    for code in sorted(codes):
        rule = find_rule(code)
        yield (
            f'<details class="file" id="{code}"><summary>{code} '
            f'<span class="soft">{escape(rule.name)}</span></summary>'
            f"<p>{_format_code(rule.why)}</p><p>{_format_code(rule.safety)}</p></details>"
        )


def _skipped(ledger: Ledger) -> str:
    if not ledger.skipped:
        return ""
    items = "".join(
        f"<li><code>{escape(s.path)}</code>: {s.code} {escape(s.reason)}</li>"
        for s in ledger.skipped
    )
    return f'<h2>Not read</h2><ul class="plain">{items}</ul>'
