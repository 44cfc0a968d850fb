"""Write the frame of an HTML page that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from tf2jax_port.html.style import CSS

# The browser itself refuses to load anything.
_ALONE = (
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
    "style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'\">\n"
)


def page(
    title: str, parts: Iterable[str], *, css: str = "", script: str = "", kind: str = ""
) -> str:
    """Return a page that loads nothing from elsewhere.

    Args:
      title: its title, as plain text.
      parts: the HTML of its parts; empty parts are left out.
      css: what it adds to the shared style sheet.
      script: what it runs; the page can be read without.
      kind: the class of its main element: `broad` for source code.
    """
    run = f"<script>{script}</script>\n" if script else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"{_ALONE if script else ''}"
        f"<title>{escape(title)}</title>\n<style>{CSS}{css}</style>\n</head>\n<body>\n"
        f"<main{f' class={kind}' if kind else ''}>\n"
        + "\n".join(part for part in parts if part)
        + f"\n</main>\n{run}</body>\n</html>\n"
    )


def words(text: str) -> str:
    """Escape a text, and format what is in backticks as code."""
    pieces = escape(text).split("`")
    if len(pieces) % 2 == 0:
        return escape(text)
    return "".join(f"<code>{p}</code>" if n % 2 else p for n, p in enumerate(pieces))


def path(text: str) -> str:
    """Escape a path; a browser may break it behind each folder."""
    return escape(text).replace("/", "/<wbr>")
