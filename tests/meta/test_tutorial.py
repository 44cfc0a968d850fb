"""Every block of docs/tutorial.md runs, in the order in which it stands there."""

import html
import re
import tomllib

import pytest

from tests.meta import tree
from tests.meta.pages import Reader, blocks, environment, matches
from tools import recorded_run

TEXT = (tree.ROOT / "docs/tutorial.md").read_text()
INSTALLS = re.compile(r"python -m venv|\. \.venv|pip install")
COMPARES = re.compile(r"tf2jax-port (?:diff|record|verify|doctor)")


@pytest.fixture
def known(tmp_path):
    return environment(tmp_path)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def test_the_port_is_made(folder, known):
    """Without the comparisons, which import TensorFlow."""
    reader = Reader(folder, known, lambda line: bool(INSTALLS.match(line) or COMPARES.match(line)))
    reader.follow(TEXT)
    port = (folder / "forecast.py").read_text()
    assert "import tensorflow" not in port
    assert "shims.maximum" in port
    assert len(reader.ran) == 4


@pytest.mark.long
def test_the_whole_page(folder, known):
    reader = Reader(folder, known, lambda line: bool(INSTALLS.match(line)))
    reader.follow(TEXT)
    assert len(reader.ran) == 9


def test_a_page_that_is_wrong_is_seen(folder, known):
    reader = Reader(folder, known)
    with pytest.raises(AssertionError, match="three"):
        reader.follow("```sh\necho two; echo three\n```\n\n```text\ntwo\nfour\n```\n")
    with pytest.raises(AssertionError, match="gone"):
        reader.follow("```sh\ncat gone; exit 2\n```\n")
    reader.follow("```python\n# a.py\nx = 1\n```\n")
    with pytest.raises(AssertionError):
        reader.follow("```diff\n--- a.py\n+++ a.py\n-x = 2\n+x = 3\n```\n")
    reader.follow("```diff\n--- a.py\n+++ a.py\n-x = 1\n+x = 3\n```\n")
    assert (folder / "a.py").read_text() == "# a.py\nx = 3\n"


def test_omitted_lines():
    assert matches("a\n...\nd\n", "a\nb\nc\nd\n")
    assert not matches("a\n...\nd\n", "a\nb\n")
    assert not matches("a\nd\n", "a\nb\nd\n")


def test_the_extras_that_pages_install_exist():
    extras = tomllib.loads((tree.ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    pages = [path for path in tree.tracked_files() if path.suffix == ".md"]
    named = set()
    for page in pages:
        found = re.findall(r"pip install '?[.\/]\S*?\[([\w,-]+)\]", (tree.ROOT / page).read_text())
        named |= {extra for group in found for extra in group.split(",")}
    assert "tensorflow" in named
    assert named <= set(extras)


def lines_of_picture(svg):
    """The lines of text in a picture: the parts at one height, from left to right."""
    found = {}
    for x, y, text in re.findall(r'<text[^>]* x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)', svg):
        found.setdefault(float(y), []).append((float(x), html.unescape(text).replace("\xa0", " ")))
    return ["".join(text for _, text in sorted(parts)).strip() for parts in found.values()]


def test_the_picture_shows_what_the_page_shows():
    """`python -m tools.recorded_run` draws it again."""
    drawn = lines_of_picture((tree.ROOT / recorded_run.PATH).read_text())
    outputs = [block for language, block in blocks(TEXT) if language == "text"]
    for block in (outputs[0], outputs[1], outputs[3]):
        for line in block.splitlines():
            if line != "..." and not line.startswith("╭"):
                assert any(line.strip(" │") in shown for shown in drawn), line
    assert not any("no such output" in shown for shown in drawn)


@pytest.mark.long
def test_the_picture_is_fresh():
    """Apart from measured errors, which depend on the processor."""

    def known(svg):
        return [
            re.sub(r"[█▌▏▎▍▋▊▉]+|R [\d.e+-]+", "", line).split() for line in lines_of_picture(svg)
        ]

    assert known(recorded_run.run()) == known((tree.ROOT / recorded_run.PATH).read_text())
