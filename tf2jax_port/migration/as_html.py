"""Render a migration plan as one self-contained HTML page: a diagram and a table of the steps."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from tf2jax_port.html.style import CSS
from tf2jax_port.migration.as_text import blockers_of, common_folder, relative, summary
from tf2jax_port.migration.picture import to_svg
from tf2jax_port.migration.steps import Step

_COLUMNS = (
    "step",
    "files",
    "automatic",
    "review",
    "manual",
    "after",
    "unlocks",
    "to write by hand",
)


def to_html(steps: Sequence[Step], title: str) -> str:
    """Render the page; all text is escaped, and there are no external links."""
    heading = escape(f"Migration of {title}")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{heading}</title>\n<style>{CSS}</style>\n</head>\n<body>\n<main>\n"
        f'<header class="hero"><h1>{heading}</h1><p>{escape(summary(steps))}</p></header>\n'
        f"{_cards(steps)}\n"
        "<h2>Dependencies</h2>\n"
        '<p class="soft">Each box is a step, to the right of the steps that it imports. The bar is '
        "green for references that the rewriter settles, yellow for those to review, red for those "
        "to write by hand.</p>\n"
        f'<div class="wide">{to_svg(steps)}</div>\n'
        f"<h2>Steps</h2>\n{_table(steps)}\n"
        "</main>\n</body>\n</html>\n"
    )


def _cards(steps: Sequence[Step]) -> str:
    figures = (
        (sum(len(step.files) for step in steps), "files with TensorFlow"),
        (sum(step.automatic for step in steps), "references settled by the rewriter"),
        (sum(step.review for step in steps), "to look at"),
        (sum(step.manual for step in steps), "to write"),
    )
    cards = "".join(
        f'<div class="card"><b>{n:,}</b><span>{what}</span></div>' for n, what in figures
    )
    return f'<div class="cards">{cards}</div>'


def _table(steps: Sequence[Step]) -> str:
    folder = common_folder(steps)
    head = "".join(f"<th>{name}</th>" for name in _COLUMNS)
    return (
        f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>'
        + "".join(_row(step, folder) for step in steps)
        + "</tbody></table></div>"
    )


def _row(step: Step, folder: str) -> str:
    files = "<br>".join(f"<code>{escape(path)}</code>" for path in relative(step, folder))
    numbers = "".join(
        f'<td class="num">{n or ""}</td>' for n in (step.automatic, step.review, step.manual)
    )
    return (
        f'<tr id="step{step.number}"><td class="num">{step.number}</td><td>{files}</td>{numbers}'
        f"<td>{_links(step.needs)}</td><td>{_links(step.unlocks)}</td>"
        f"<td>{escape(blockers_of(step, 5))}</td></tr>"
    )


def _links(numbers: Sequence[int]) -> str:
    return " ".join(f'<a href="#step{n}">{n}</a>' for n in numbers)
