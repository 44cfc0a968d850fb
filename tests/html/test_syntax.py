"""Source text in color: nothing is lost, whatever the text is."""

import pathlib
import re

import hypothesis
import pytest
from hypothesis import strategies as st

from tests.html.reading import Page
from tf2jax_port.html.syntax import Mark, Piece, colored, line_html


def kinds(text):
    return [(kind, part) for line in colored(text) for kind, part in line if kind]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f(x):", [("k", "def"), ("d", "f")]),
        ("class A(B): pass", [("k", "class"), ("d", "A"), ("k", "pass")]),
        ("x.in_place", []),
        ("a.if_", []),
        ("@tf.function", [("d", "@tf.function")]),
        ("a @ b", []),
        ("x1 = 1.5e-3 + .5 + 0x1F", [("n", "1.5e-3"), ("n", ".5"), ("n", "0x1F")]),
        ("x[0].y", [("n", "0")]),
        ("s = 'a#b' # c", [("s", "'a#b'"), ("c", "# c")]),
        ("rb'\\n' f\"{x}\"", [("s", "rb'\\n'"), ("s", 'f"{x}"')]),
        ("'''a\nb''' + 1", [("s", "'''a"), ("s", "b'''"), ("n", "1")]),
        ("'open\nif", [("s", "'open"), ("k", "if")]),
        ('"""open\nif', [("s", '"""open'), ("s", "if")]),
        ("not None", [("k", "not"), ("k", "None")]),
    ],
)
def test_what_is_colored(text, expected):
    assert kinds(text) == expected


@hypothesis.given(st.text(alphabet="a1 .'\"\\#\n@\tdefé{}()", max_size=60))
@hypothesis.settings(derandomize=True, max_examples=400, deadline=None)
def test_no_character_is_lost(text):
    assert "\n".join("".join(part for _, part in line) for line in colored(text)) == text


def test_the_files_of_this_folder_are_whole():
    for path in pathlib.Path(__file__).parent.glob("*.py"):
        text = path.read_text()
        assert "\n".join("".join(p.text for p in line) for line in colored(text)) == text
        shown = "\n".join(line_html(line) for line in colored(text))
        assert not Page(shown).unbalanced


@hypothesis.given(
    st.lists(st.tuples(st.integers(0, 14), st.integers(0, 14)), max_size=4),
)
@hypothesis.settings(derandomize=True, max_examples=200, deadline=None)
def test_marks_never_change_the_text(spans):
    line = [Piece("k", "if"), Piece("", " a<b "), Piece("c", "# no & yes")]
    page = line_html(line, [Mark(a, b, "bad") for a, b in spans])
    assert not Page(page).unbalanced
    assert re.sub(r"<[^>]+>", "", page) == "if a&lt;b # no &amp; yes"


def test_a_mark_crosses_colors():
    line = [Piece("k", "if"), Piece("", " ab")]
    assert (
        line_html(line, [Mark(1, 4, "bad")])
        == '<span class="k">i</span><mark class="bad"><span class="k">f</span> a</mark>b'
    )
