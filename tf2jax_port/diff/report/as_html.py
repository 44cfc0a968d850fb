"""Render the report as one self-contained HTML page."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from html import escape

from tf2jax_port.diff.closeness.closeness import LIMIT
from tf2jax_port.diff.closeness.comparison import ERRORS
from tf2jax_port.diff.judge.judge import Finding
from tf2jax_port.diff.report import wording
from tf2jax_port.diff.report.as_html_located import located_section
from tf2jax_port.diff.report.report import CaseRow, Leaf, Report
from tf2jax_port.diff.strength.strength import lines
from tf2jax_port.diff.vocabulary.lanes import STAGES, TRAINING, Lane, present, title
from tf2jax_port.diff.vocabulary.numbers import number, short
from tf2jax_port.diff.vocabulary.reasons import Reason
from tf2jax_port.diff.vocabulary.verdicts import DIFFERENT, EQUAL, shown
from tf2jax_port.html import side_by_side
from tf2jax_port.html.page import page

_BAR_WIDTH, _BAR_HEIGHT = 190, 12
_MOST_REASONS = 6
_MOST_LEAVES = 200
_CSS = (
    side_by_side.CSS
    + """
main { max-width: 1400px; }
.histogram th, .histogram td { padding: 0.1rem 0.85rem; border: 0; } .histogram tr:first-child > * { padding-top: 0.6rem; }
.histogram tr:last-child > * { padding-bottom: 0.6rem; } .histogram th, .histogram .num { white-space: nowrap;
  width: 1%; text-align: right; } .histogram div { height: 0.8rem; border-radius: 2px; margin-top: 0.3rem; }
.histogram .good { background: var(--good); } .histogram .bad { background: var(--bad); }
@media (max-width: 640px) { .stages li { flex-basis: 8rem; } .chip { padding: 0.1rem 0.45rem; }
  .matrix th, .matrix td { padding: 0.35rem 0.25rem; } .matrix th[scope=row] { padding-left: 0.6rem;
  white-space: normal; }
  .stack thead { display: none; } .stack tr { display: block; padding: 0.45rem 0.7rem;
  border-bottom: 1px solid var(--line); } .stack tr:last-child { border: 0; }
  .stack td { display: inline-block; border: 0; padding: 0.1rem 0.7rem 0.1rem 0; } .stack td.full { display: block; }
  .stack td:empty { display: none; } .stack td[data-label]::before { content: attr(data-label) " ";
  color: var(--soft); font-size: 0.8rem; } }
"""
)


def to_html(report: Report) -> str:
    """Render the page; all text is escaped, and there are no links."""
    parts = [
        _hero(report),
        located_section(report.located),
        _three(report),
        _worst(report),
        _stages(report),
        _cards(report),
        _matrix(report),
        _strength(report),
        _leaves(report),
        _cases(report.cases, _lanes(report)),
        _reasons("What was not covered", _uncovered(report, _listed(report))),
        _details(report),
        _reasons("Unstable elements: the original's own runs disagree", report.knife_edges),
        _reasons("Good to know", report.notes),
        f"<h2>Reproduce</h2><pre><code>{escape(report.reproduce)}</code></pre>",
        _footer(report),
    ]
    return page(f"{shown(report.verdict)}: {report.old} and {report.new}", parts, css=_CSS)


def in_notebook(report: Report) -> str:
    """Render the page in a frame of its own: its style sheet does not reach the notebook around it."""
    title = escape(f"{shown(report.verdict)}: {report.old} and {report.new}", quote=True)
    page_of = escape(to_html(report), quote=True)
    return (
        f'<iframe title="{title}" srcdoc="{page_of}" '
        'style="width: 100%; height: 40rem; border: 0"></iframe>'
    )


Report._repr_html_ = in_notebook  # the report does not import its views


def _listed(report: Report) -> Sequence[Reason]:
    """Return the reasons that are listed at the top; differences have their own table."""
    return () if report.verdict == DIFFERENT else report.reasons[:_MOST_REASONS]


def _hero(report: Report) -> str:
    reasons = _listed(report)
    listed = "".join(f"<li>{escape(reason.text)}</li>" for reason in reasons)
    left = 0 if report.verdict == DIFFERENT else len(report.reasons) - len(reasons)
    more = f"<li>and {left} more</li>" if left else ""
    against = "" if report.culprit is None else wording.against(report.culprit) + " · "
    return (
        f'<header class="hero {report.verdict}">'
        f'<span class="chip big">{escape(shown(report.verdict))}</span>'
        f"<h1>{escape(report.headline)}</h1>"
        f'<p class="mono">{escape(report.old)} &rarr; {escape(report.new)}</p>'
        f'<p class="soft">{escape(against + wording.summary(report))}</p>'
        + (f'<ul class="plain">{listed}{more}</ul>' if listed else "")
        + "</header>"
    )


def _three(report: Report) -> str:
    rows = "".join(
        f'<tr><td class="mono full">{escape(name)}</td><td class="num" data-label="is">{escape(now)}</td>'
        f'<td class="num" data-label="should be">{escape(right)}</td>'
        f'<td class="soft full">{escape(where)}</td></tr>'
        for name, now, right, where in wording.three(report)
    )
    if not rows:
        return ""
    return (
        '<h2>What differs</h2><div class="wide"><table class="stack"><thead><tr><th></th><th>is</th>'
        f"<th>should be</th><th></th></tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _strength(report: Report) -> str:
    if report.strength is None:
        return ""
    items = "".join(f"<li>{escape(line)}</li>" for line in lines(report.strength, sys.maxsize))
    return f'<h2>Faults that the cases can detect</h2><ul class="plain">{items}</ul>'


def _stages(report: Report) -> str:
    """Render the list of stages: passed, failed or not reached."""
    if report.verdict not in (EQUAL, DIFFERENT, "limited"):
        return ""
    items = []
    failed = False
    asked = (TRAINING,) if "steps" in report.terms else ()
    for stage in (*STAGES, *asked):
        here = stage == report.stage
        state = "fail" if here else "" if failed else "pass"
        mark = "✗ " if here else "" if failed else "✓ "
        failed = failed or here
        items.append(
            f'<li class="{state}"><b>{mark}{stage}</b>{escape(wording.STAGE_QUESTIONS[stage])}</li>'
        )
    return f'<ol class="stages">{"".join(items)}</ol>'


def _cards(report: Report) -> str:
    ratios = [
        leaf.worst.comparison.closeness.ratio
        for leaf in report.leaves
        if wording.measured(leaf.worst).startswith("R ")
    ]
    ran = sum(1 for lane in report.lanes if lane.values)
    cards = [
        (str(report.counts["cases"]), wording.cases_in_words(report).partition(" ")[2]),
        (str(report.counts["outputs"]), "outputs compared"),
        (str(report.counts["gradients"]), "gradients compared"),
        (f"{ran} of {len(report.lanes)}", "lanes ran"),
        (short(max(ratios)) if ratios else "exact", "largest R"),
    ]
    return (
        '<div class="cards">'
        + "".join(
            f'<div class="card"><b>{escape(big)}</b><span>{escape(small)}</span></div>'
            for big, small in cards
        )
        + "</div>"
    )


def _worst(report: Report) -> str:
    finding = report.culprit
    if finding is None:
        return ""
    said = wording.worst_element(finding)
    if not said:
        return (
            f'<h2>What is wrong</h2><div class="worst">{escape(finding.comparison.problem)}</div>'
        )
    worst = finding.comparison.worst
    assert worst is not None
    values = "".join(
        f'<div><span class="soft">{escape(title(lane))}</span><b>{escape(number(value))}</b></div>'
        for lane, value in ((finding.reference, worst.old), (finding.lane, worst.new))
    )
    rest = "".join(f"<p>{escape(line)}</p>" for line in said[2:])
    return (
        f'<h2>The worst element</h2><div class="worst"><p>{escape(said[0])}</p>'
        f'<div class="pair">{values}</div>{rest}{_next_worst(finding)}</div>' + _histogram(finding)
    )


def _next_worst(finding: Finding) -> str:
    others = finding.comparison.next_worst
    if not others:
        return ""
    rows = "".join(
        f'<tr><td class="mono">{escape(worst.place)}</td><td class="num">'
        f'{escape(number(worst.old))}</td><td class="num">{escape(number(worst.new))}</td></tr>'
        for worst in others
    )
    heads = "".join(f"<th>{escape(title(lane))}</th>" for lane in (finding.reference, finding.lane))
    return f"<table><thead><tr><th>and at</th>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def _histogram(finding: Finding) -> str:
    """Draw a histogram of the elements' errors, relative to the original's own error."""
    counts = finding.comparison.histogram
    if not counts:
        return ""
    most, total = max(counts), sum(counts)
    rows = ""
    for i, count in enumerate(counts):
        color = "good" if i == 0 or ERRORS[i - 1] < LIMIT else "bad"
        label = "none" if i == 0 else f"≤ {ERRORS[i]:.0e}" if i < len(ERRORS) else "more"
        rows += (
            f'<tr><th scope="row">{escape(label)}</th><td class="num">{100 * count / total:.3g} %</td>'
            f'<td><div class="{color}" style="width:{100 * count / most:.1f}%"></div></td></tr>'
        )
    return (
        '<h2>Errors of the elements, divided by the original\'s own error</h2><div class="wide"><table '
        f'class="histogram" aria-label="error histogram"><tbody>{rows}</tbody></table></div>'
    )


def _matrix(report: Report) -> str:
    pairs = {pair.lanes: pair for pair in report.pairs}
    lanes = _lanes(report)
    head = "".join(f'<th scope="col">{escape(lane.title)}</th>' for lane in lanes[1:])
    rows = []
    for number_of_lane, lane in enumerate(lanes[:-1]):
        cells = ""
        for other in lanes[1:]:
            if other not in lanes[number_of_lane + 1 :]:
                cells += '<td class="none"></td>'
                continue
            pair = pairs[lane.id, other.id]
            same = wording.same(report, pair)
            word = {"equal": same, "different": pair.stage or "differ"}.get(pair.state, "not run")
            style = {"equal": "same", "different": "different"}.get(pair.state, "")
            style = style if word == wording.SAME or pair.state != "equal" else "knife-edge"
            few = wording.fewer_cases(report, pair)
            if few and pair.state != "different":
                word, style = few, "different"
            detail = f"{pair.differing} of {pair.compared} differ; {pair.example}"
            hint = escape(detail if pair.differing else f"{pair.compared} compared", quote=True)
            cells += f'<td title="{hint}"><span class="chip {style}">{escape(word)}</span></td>'
        rows.append(f'<tr><th scope="row">{escape(lane.title)}</th>{cells}</tr>')
    how = " · ".join(f"{lane.title}: {lane.how}" for lane in lanes)
    return (
        '<h2>Which pair of lanes agrees</h2><div class="wide"><table '
        f'class="matrix"><thead><tr><th></th>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div><p '
        f'class="soft">{escape(how)}. A red cell shows the first stage that fails.</p>'
    )


def _leaves(report: Report) -> str:
    if not report.leaves:
        return ""
    lanes = [lane for lane in _lanes(report) if lane.side == "new"]
    listed, rest = wording.ranked(report.leaves, _MOST_LEAVES)
    rows = "".join(_leaf(leaf, lanes) for leaf in listed)
    heads = "".join(f"<th>{escape(lane.title)}</th>" for lane in lanes)
    more = f'<p class="soft">and {escape(wording.rest(rest))}</p>' if rest else ""
    return (
        '<h2>How close, output by output and gradient by gradient</h2><div class="wide"><table class="stack">'
        "<thead><tr><th>Output or gradient</th><th>Type</th>"
        f"{heads}<th>R</th><th></th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div>{more}"
        f'<p class="soft">{escape(wording.R_IN_WORDS)}, on a logarithmic scale. TensorFlow\'s own '
        "rounding error is that of its float32 result against its float64 result.</p>"
    )


def _leaf(leaf: Leaf, lanes: Sequence[Lane]) -> str:
    chips = "".join(_state(leaf.lanes.get(lane.id, "not covered"), lane) for lane in lanes)
    words = wording.measured(leaf.worst)
    bar = _bar(leaf.worst.comparison.closeness.ratio) if words.startswith("R ") else ""
    return (
        f'<tr><td class="mono">{escape(leaf.title)}</td>'
        f'<td class="mono">{escape(wording.kind(leaf.worst))}</td>'
        f'{chips}<td class="num full">{bar}{escape(words)}</td>'
        f'<td class="soft full">{escape(wording.remark(leaf))}</td></tr>'
    )


def _state(state: str, lane: Lane) -> str:
    """Render a cell with the state of a lane; where the page is narrow, it names the lane."""
    return (
        f'<td data-label="{escape(lane.title)}"><span class="chip {state.replace(" ", "-")}">'
        f"{escape(state)}</span></td>"
    )


def _bar(ratio: float) -> str:
    """Draw R, the port's error divided by the original's, as a bar: green up to the limit, then red."""
    mark = wording.LIMIT_FRACTION * _BAR_WIDTH
    full = wording.fraction(ratio) * _BAR_WIDTH
    good, bad = min(full, mark), max(0.0, full - mark)
    return (
        f'<svg width="{_BAR_WIDTH}" height="{_BAR_HEIGHT}" role="img" '
        f'aria-label="R {escape(short(ratio))}">'
        f'<rect width="{_BAR_WIDTH}" height="{_BAR_HEIGHT}" rx="3" fill="var(--mute-bg)"/>'
        f'<rect width="{good:.1f}" height="{_BAR_HEIGHT}" rx="3" fill="var(--good)"/>'
        f'<rect x="{mark:.1f}" width="{bad:.1f}" height="{_BAR_HEIGHT}" fill="var(--bad)"/>'
        f'<rect x="{mark:.1f}" width="1.5" height="{_BAR_HEIGHT}" fill="var(--ink)"/></svg>'
    )


def _lanes(report: Report) -> tuple[Lane, ...]:
    return present([lane.lane for lane in report.lanes])


def _cases(rows: Sequence[CaseRow], lanes: Sequence[Lane]) -> str:
    if not rows:
        return ""
    head = "".join(f"<th>{escape(lane.title)}</th>" for lane in lanes)
    body = ""
    for row in rows:
        cells = "".join(_state(row.states[lane.id], lane) for lane in lanes)
        body += (
            f'<tr><td class="num" data-label="case">{row.index}</td><td class="mono">'
            f"{escape(', '.join(row.inputs))}</td>{cells}"
            f'<td class="soft full">{escape(row.sentence)}</td></tr>'
        )
    return (
        '<h2>Case by case</h2><div class="wide"><table class="stack"><thead><tr><th>Case</th><th>Inputs</th>'
        f"{head}<th></th></tr></thead><tbody>{body}</tbody></table></div>"
    )


def _what(reason: Reason) -> str:
    return reason.what if reason.what == "run with" else f"no {reason.what}"


def _uncovered(report: Report, told: Sequence[Reason]) -> list[Reason]:
    return [
        Reason(f"{title(lane)}, {_what(reason)}", reason.why, reason.cases)
        for lane, reason in wording.uncovered(report, told)
    ]


def _details(report: Report) -> str:
    """Render the full error messages of the lanes, collapsed."""
    blocks = [
        f"<details><summary>{escape(title(lane.lane))} in full</summary>"
        f"<pre>{escape(detail)}</pre></details>"
        for lane in report.lanes
        for detail in lane.details
    ]
    return "".join(blocks)


def _reasons(heading: str, reasons: Sequence[Reason]) -> str:
    if not reasons:
        return ""
    items = "".join(f"<li>{escape(reason.text)}</li>" for reason in reasons)
    return f'<h2>{escape(heading)}</h2><ul class="plain">{items}</ul>'


def _footer(report: Report) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in report.versions.items())
    return (
        f'<footer><p>Contract <span class="mono">{escape(report.contract)}</span></p>'
        f"<p>{escape(versions)}</p></footer>"
    )
