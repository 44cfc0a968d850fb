"""What holds for each page, whatever is on it, checked without a browser."""

import itertools
import re

import pytest

from tests.html import samples
from tests.html.reading import Page
from tf2jax_port.html.style import LIGHT

NAMES = ("scan", "plan", "diff", "diff-equal", "prove", "prove-file")


@pytest.fixture(scope="module")
def texts():
    return samples.pages()


@pytest.fixture(params=NAMES)
def text(request, texts):
    return texts[request.param]


def faults(text):
    """What is wrong with a page, as a list of sentences."""
    page = Page(text)
    names = [name for name, _ in page.elements]
    found = [f"{tag} is not closed, or closes nothing" for tag in page.unbalanced]
    found += [f"{tag} says nothing" for tag in page.nameless]
    found += [f"the id {one} occurs twice" for one in set(page.ids) if page.ids.count(one) > 1]
    found += [f"#{one} leads nowhere" for one in set(page.links) - set(page.ids)]
    found += [
        f"{one} is elsewhere"
        for one in page.elsewhere
        if not re.fullmatch(r"[\w.]+\.html(#.*)?", one)
    ]
    found += [
        f"{names.count(one)} of {one}" for one in ("h1", "main", "title") if names.count(one) != 1
    ]
    levels = [int(name[1]) for name in names if re.fullmatch(r"h\d", name)]
    found += [f"h{b} follows h{a}" for a, b in itertools.pairwise(levels) if b > a + 1]
    for tag, given in page.elements:
        found += [f"{tag} has {name}" for name in given if name.startswith("on")]
        if tag == "svg" and not given.get("aria-label"):
            found.append("a drawing has no name")
    if 'name="viewport"' not in text or '<html lang="en">' not in text:
        found.append("no viewport or language")
    return found + colors(text)


def colors(text):
    """What is wrong with the colors of a page: names that do not exist, and colors that have no name."""
    used = set(re.findall(r"var\(--([\w-]+)\)", text))
    found = [f"--{name} is not defined" for name in used - set(LIGHT)]
    style = text[text.index("<style>") : text.index("</style>")]
    rest = re.sub(r"--[\w-]+: #\w+;", "", style)
    return found + [
        f"{one} has no name" for one in re.findall(r"#[0-9a-fA-F]{3,8}\b|rgba?\(", rest)
    ]


def test_a_page_is_whole(text):
    assert faults(text) == []


def test_a_page_stands_alone(text):
    assert not re.search(
        r"https?:|@import|url\(|\bsrc=", text.replace("http://www.w3.org/2000/svg", "")
    )
    assert "prefers-color-scheme: dark" in text
    if "<script>" in text:
        assert "default-src 'none'" in text  # the browser refuses to load anything
        assert text.count("<script>") == text.count("</script>") == 1


def test_what_is_shown_is_escaped(texts):
    assert "&lt;script&gt;alert" in texts["scan"]
    assert "alert(1)</script>" not in texts["scan"]
    assert "&lt;b&gt;jax.pure_callback" in texts["scan"]
    assert "&lt;b&gt;&amp;.py" in texts["plan"]


def test_what_is_operated_by_script_is_hidden_without(texts):
    for name in ("scan", "plan"):
        box = texts[name].index('id="filter"')
        assert '<div class="search scripted" hidden>' in texts[name][box - 100 : box]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("</main>", "", "main is not closed"),
        ("<h1>", "<h1><a href='#f1'></a>", "a says nothing"),
        ('id="names"', 'id="source"', "the id source occurs twice"),
        ('href="#names"', 'href="#nowhere"', "#nowhere leads nowhere"),
        ("<h1>", "<img src='x.png'><h1>", "x.png is elsewhere"),
        ("<h2>", "<h5>", "h5 follows h1"),
        ("<main", '<main onclick="f()"', "main has onclick"),
        ("var(--ink)", "var(--inc)", "--inc is not defined"),
        ("var(--ink)", "#123456", "#123456 has no name"),
        ('aria-label="Filter the places"', "", "says nothing"),
    ],
)
def test_the_checks_can_fail(texts, old, new, fault):
    spoilt = texts["scan"].replace(old, new, 1)
    assert spoilt != texts["scan"]
    assert any(fault in one for one in faults(spoilt)), faults(spoilt)
