"""The site: every page has a place in the navigation, every link leads to a page, the API page is fresh."""

import re
import subprocess
import sys

import pytest

from tests.meta import tree
from tests.meta.test_docs import FENCE, LINK
from tools import api_page, site

PAGES = site.pages()


def places(entries):
    for entry in entries:
        for target in entry.values():
            if isinstance(target, list):
                yield from places(target)
            else:
                yield target


def test_every_page_is_in_the_navigation_once():
    found = list(places(site.navigation()))
    assert sorted(found) == sorted(map(str, PAGES))


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_links_stay_on_the_site(page):
    """A folder has no page, and a file outside of the site would not be there."""
    text = FENCE.sub("", (tree.ROOT / page).read_text())
    for target in LINK.findall(text):
        path = target.partition("#")[0]
        if path and not re.match(r"[a-z]+:", target):
            file = ((tree.ROOT / page).parent / path).resolve()
            assert file.is_file(), target
            assert file.suffix != ".md" or file.relative_to(tree.ROOT) in PAGES, target


def test_the_index_lists_every_page():
    text = (tree.ROOT / "docs/index.md").read_text()
    listed = {target.partition("#")[0] for target in LINK.findall(text)}
    missing = [page for page in PAGES if str(page.parent) == "docs" and page.name not in listed]
    assert [page.name for page in missing] == ["index.md"]


def test_what_is_gathered(tmp_path):
    site.gather(tmp_path)
    assert {path.relative_to(tmp_path) for path in tmp_path.rglob("*.md")} == set(PAGES)
    assert (tmp_path / "docs/scorecard.json").is_file()
    assert 'docs_dir = "source"' in site.settings()
    hidden = {str(page) for page in PAGES if "exclude: true" in (tmp_path / page).read_text()[:40]}
    assert hidden == site.unsearched()


def test_the_site_builds():
    """Strictly: a dead link, a page without its place or a fault in the configuration ends the build."""
    done = subprocess.run(
        [sys.executable, "-m", "tools.site"],
        cwd=tree.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    built = {
        path.relative_to(site.SITE / "html") for path in (site.SITE / "html").rglob("index.html")
    }
    assert len(built) >= len(PAGES)


def test_the_api_page_is_fresh():
    for path, text in api_page.generate().items():
        assert (tree.ROOT / path).read_text() == text, "run `python -m tools.api_page`"
