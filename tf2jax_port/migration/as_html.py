"""Render a migration plan as one self-contained HTML page: the steps with their reasons, and a diagram."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from tf2jax_port.html.page import page, path, words
from tf2jax_port.html.script import ARROWS, FILTER
from tf2jax_port.html.style import PANEL
from tf2jax_port.migration import picture
from tf2jax_port.migration.as_text import blockers_of, common_folder, summary
from tf2jax_port.migration.reasons import Reason, reasons_of
from tf2jax_port.migration.steps import Step

_FEW = 6
_MANY = 60  # steps above which arrows are faint until a box is pointed at
_CSS = """
.steps { list-style: none; margin: 0; padding: 0; }
.steps > li { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 0.7rem 1rem 0.8rem 3.6rem; margin: 0 0 0.6rem; position: relative; overflow-wrap: anywhere;
  scroll-margin-top: 1rem; }
.steps > li:target { border-color: var(--accent); }
.steps .number { position: absolute; left: 0.6rem; top: 0.75rem; min-width: 2.3rem; text-align: center;
  border-radius: 999px; background: var(--mute-bg); color: var(--soft); font-weight: 650; font-size: 0.84rem; }
.steps h3 { font-size: 0.95rem; margin: 0; font-weight: 400; } .steps h3 code { font-weight: 600; display: block; }
.steps .counts { font-size: 0.84rem; color: var(--soft); display: flex; flex-wrap: wrap; align-items: center;
  gap: 0.2rem 0.8rem; margin: 0.25rem 0 0.35rem; } .steps .bar { width: 9rem; flex: none; }
.steps dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.1rem 0.9rem; margin: 0;
  font-size: 0.9rem; } .steps dt { color: var(--soft); } .steps dd { margin: 0; }
.diagram { max-height: 80vh; overflow: auto; }
@media (max-width: 640px) { .steps > li { padding: 0.7rem 0.8rem; } .steps h3 { padding-left: 2.9rem; }
  .steps dl { grid-template-columns: minmax(0, 1fr); } .steps dd { margin-bottom: 0.3rem; } }
"""


def to_html(steps: Sequence[Step], title: str) -> str:
    """Render the page; all text is escaped, and there are no external links."""
    heading = f"Migration of {title}"
    parts = [
        f'<header class="hero"><h1>{path(heading)}</h1><p>{words(summary(steps))}</p></header>',
        *(_sections(steps) if steps else ()),
    ]
    css = PANEL + _CSS + picture.CSS
    return page(heading, parts, css=css, script=FILTER + ARROWS if steps else "", kind="broad")


def _sections(steps: Sequence[Step]) -> Iterator[str]:
    folder = common_folder(steps)
    inside = f" Paths begin in <code>{path(folder)}</code>." if folder else ""
    yield '<div class="work">'
    yield _panel(steps)
    yield '<section id="order"><h2>Steps in their order</h2>'
    yield '<ol class="steps">'
    for step, reason in zip(steps, reasons_of(steps), strict=True):
        yield _step(step, reason, steps)
    yield "</ol></section></div>"
    many = " many" if len(steps) > _MANY else ""
    yield (
        '<h2 id="dependencies">Dependencies</h2>'
        '<p class="soft">Each box is a step, to the right of the steps that it imports; imports that follow '
        f"from others are left out.{inside}</p>"
        f'<div class="wide diagram"{many}" data-arrows>{picture.to_svg(steps)}</div>'
    )


def _panel(steps: Sequence[Step]) -> str:
    figures = (
        (sum(len(step.files) for step in steps), "files with TensorFlow", ""),
        (sum(step.automatic for step in steps), "references that the rewriter handles", "good"),
        (sum(step.review for step in steps), "to review", "warn"),
        (sum(step.manual for step in steps), "to write by hand", "bad"),
    )
    listed = "".join(
        f"<li>{f'<b class={kind}></b>' if kind else ''}{n:,} {what}</li>"
        for n, what, kind in figures
    )
    return (
        '<aside class="panel" aria-label="Filter and legend">'
        '<div class="search scripted" hidden><input id="filter" type="search" data-things="steps" '
        'placeholder="Filter: file or name" aria-label="Filter the steps" aria-keyshortcuts="/" '
        'autocomplete="off" spellcheck="false"><output id="found" aria-live="polite"></output></div>'
        '<p class="keys scripted" hidden><kbd>/</kbd> filter, <kbd>Esc</kbd> clear, <kbd>n</kbd> '
        "<kbd>p</kbd> next and previous step</p>"
        f'<ul class="key solid">{listed}</ul>'
        "<h2>How the order is made</h2>"
        "<p>A file comes after the files that it imports, directly or through files without "
        "TensorFlow. Files that import each other are one step. Among the steps that are possible then, the one "
        "with the least work comes first; if work is equal, the names decide.</p>"
        "<p>Work is 1 for each reference to write by hand, and ¼ for each reference to review.</p>"
        '<ul class="jump"><li><a href="#dependencies">Diagram of the dependencies</a></li></ul></aside>'
    )


def _step(step: Step, reason: Reason, steps: Sequence[Step]) -> str:
    targets = ["" if target == "jax" else f" ({target})" for target in step.targets]
    files = "".join(
        f"<code>{path(name)}{target}</code>"
        for name, target in zip(step.files, targets, strict=True)
    )
    parts = ((step.automatic, "good"), (step.review, "warn"), (step.manual, "bad"))
    bar = "".join(f'<span class="{c}" style="flex:{n}"></span>' for n, c in parts if n)
    counts = ", ".join(
        f"{n} {word}"
        for n, word in (
            (step.manual, "to write by hand"),
            (step.review, "to review"),
            (step.automatic, "done"),
        )
        if n
    )
    rows = [("Why here", " ".join(_sentences(step, reason, steps)))]
    if step.unlocks:
        rows.append(("Unlocks", _links(step.unlocks, steps)))
    if step.blockers:
        rows.append(("To write", escape(blockers_of(step, 5))))
    listed = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in rows)
    return (
        f'<li id="step{step.number}" tabindex="-1" data-item><span class="number" aria-hidden="true">'
        f'{step.number}</span><h3>{files}</h3><div class="counts"><span class="bar" aria-hidden="true">{bar}'
        f"</span><span>{counts}; work {step.effort:g}, {step.lines:,} lines</span></div><dl>{listed}</dl></li>"
    )


def _sentences(step: Step, reason: Reason, steps: Sequence[Step]) -> Iterator[str]:
    """Yield the sentences that explain the position of a step, as HTML."""
    if len(step.files) > 1:
        yield "Its files import each other."
    if reason.needs:
        yield f"It imports {_links(reason.needs, steps)}."
    elif not step.needs:
        yield "It imports no file with TensorFlow."
    if reason.waited:
        yield f"It has less work than step {step.number - 1}, but imports files of that step."
    if reason.since < step.number:
        span = f"steps {reason.since} to {step.number - 1}"
        if reason.since == step.number - 1:
            span = f"step {reason.since}"
        has = "has" if reason.since == step.number - 1 else "have"
        level = ", or the same work and an earlier name" if reason.is_level else ""
        yield f"It could have been step {reason.since}, but {span} {has} less work{level}."
    if not reason.next:
        if step.number < len(steps):
            yield "No other step is possible here."
        return
    other = steps[reason.next - 1]
    if reason.is_tie:
        yield (
            f"{reason.possible} steps are possible here; {_link(other)} has the same work, and its name "
            "comes later."
        )
    else:
        yield (
            f"{reason.possible} steps are possible here, and this step has the least work: {step.effort:g}, compared with "
            f"{other.effort:g} of {_link(other)}."
        )


def _links(numbers: Sequence[int], steps: Sequence[Step]) -> str:
    shown = [_link(steps[n - 1]) for n in numbers[:_FEW]]
    rest = [f'<a href="#step{n}">{n}</a>' for n in numbers[_FEW:]]
    return ", ".join(shown) + (f", and steps {', '.join(rest)}" if rest else "")


def _link(step: Step) -> str:
    more = f" and {len(step.files) - 1} more" if len(step.files) > 1 else ""
    return (
        f'<a href="#step{step.number}">{step.number} <code>{path(step.files[0])}</code></a>{more}'
    )
