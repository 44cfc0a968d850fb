"""Write docs/rules from the diagnostics: `python -m tools.rule_pages`."""

from __future__ import annotations

import pathlib

from tf2jax_port.rewrite.rules.pages import pages

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "docs" / "rules"


def main() -> None:
    """Write every page, and remove the pages of diagnostics that no longer exist."""
    FOLDER.mkdir(exist_ok=True)
    wanted = pages()
    for path in FOLDER.glob("*.md"):
        if path.name not in wanted:
            path.unlink()
    for name, text in wanted.items():
        (FOLDER / name).write_text(text)


if __name__ == "__main__":
    main()
