"""Gather the pages of the site and build it: `python -m tools.site` (`make docs`).

The site has the layout of the repository, so that links between pages are those which people follow in a checkout.
`zensical.toml` has the navigation; the pages of the diagnostics are added here.
"""

from __future__ import annotations

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib
from typing import Any

from tools import site_search
from tools.data_files import ROOT

SITE = ROOT / "build" / "site"
LINK = re.compile(r"\]\(([^)\s:#]+)(?:#[^)\s]*)?\)")
# A section of the navigation, and pages, that record what was measured or list the code: with their many names they
# would come before the answers of guides in every search.
_RECORDS = ("What was tried",)
_LISTS = (
    *("jax-scorecard", "python-on-sizes", "hard_knocks", "mutation_testing", "map"),
    "operators/index",
)
# Entries of the navigation whose folder has a page for each of many subjects.
_WITH_PAGES = ("Diagnostics", "Operators")
_CODE = re.compile(r"^(TJ\d+): .*")
_UNSEARCHED = "---\nsearch:\n  exclude: true\n---\n"
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def pages() -> list[pathlib.Path]:
    """Return the pages of the site, relative to the root: those of `docs/`, and what they link to."""
    found: list[pathlib.Path] = []
    waiting = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page.relative_to(ROOT) in found:
            continue
        found.append(page.relative_to(ROOT))
        waiting += [target for target in linked(page) if target.suffix == ".md"]
    return sorted(found)


def linked(page: pathlib.Path) -> list[pathlib.Path]:
    """Return the files that a page links to or shows."""
    targets = LINK.findall(_FENCE.sub("", page.read_text()))
    return [(page.parent / target).resolve() for target in targets]


def navigation() -> list[Any]:
    """Return the navigation of `zensical.toml`, with the pages of diagnostics and operators below their index."""
    settings = tomllib.loads((ROOT / "zensical.toml").read_text())
    sections: list[Any] = settings["project"]["nav"]
    for section in sections:
        ((_, entries),) = section.items()
        for entry in entries:
            ((title, index),) = entry.items()
            if title in _WITH_PAGES:
                entry[title] = [{"All": index}, *_beside(pathlib.Path(index))]
    return sections


def _beside(index: pathlib.Path) -> list[dict[str, str]]:
    """Return the entries of the other pages in the folder of an index: diagnostics by code, others by title."""
    found = [page for page in pages() if page.parent == index.parent and page != index]
    return [{_CODE.sub(r"\1", title_of(page)): str(page)} for page in found]


def title_of(page: pathlib.Path) -> str:
    """Return the title of a page."""
    lines = (ROOT / page).read_text().splitlines()
    return next(line.removeprefix("# ") for line in lines if line.startswith("# "))


def unsearched() -> set[str]:
    """Return the pages that the search of the site leaves out."""
    found = {f"docs/{name}.md" for name in _LISTS}
    for section in navigation():
        ((title, entries),) = section.items()
        if title in _RECORDS:
            found.update(page for entry in entries for page in entry.values())
    return found


def gather(folder: pathlib.Path) -> None:
    """Copy the pages, and the files that they link to, into a folder."""
    for page in pages():
        for file in (ROOT / page, *linked(ROOT / page)):
            if file.is_file():
                target = folder / file.relative_to(ROOT)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, target)
    for name in unsearched():
        copy = folder / name
        copy.write_text(_UNSEARCHED + copy.read_text())


def settings() -> str:
    """Return the text of the configuration: that of `zensical.toml` with the whole navigation."""
    text = (ROOT / "zensical.toml").read_text()
    before, _, after = text.partition("nav = [")
    rest = after.partition("\n]\n")[2]
    places = 'docs_dir = "source"\nsite_dir = "html"\n'
    return f"{before}{places}nav = {_toml(navigation())}\n{rest}"


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(k)} = {_toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)


def main() -> int:
    """Build the site; a page without its place, or a dead link, is an error."""
    shutil.rmtree(SITE, ignore_errors=True)
    gather(SITE / "source")
    (SITE / "zensical.toml").write_text(settings())
    generator = pathlib.Path(sys.executable).with_name("zensical")
    words = [str(generator), "build", "--clean", "--strict"]
    code = subprocess.run(words, cwd=SITE, check=False).returncode
    if code == 0:
        site_search.write(SITE / "html" / "search.json")
    return code


if __name__ == "__main__":
    sys.exit(main())
