"""Two texts side by side: every line once, in order, and only what differs is marked."""

import re

import hypothesis
from hypothesis import strategies as st

from tests.html.reading import Page
from tf2jax_port.html.side_by_side import Text, aligned, changes, side_by_side

LINES = st.lists(
    st.sampled_from(
        ["", "x = tf.exp(y)", "x = jnp.exp(y)", "    return x", "z = x + 1", "pass  # é"]
    ),
    max_size=8,
)


@hypothesis.given(LINES, LINES, st.integers(0, 8), st.integers(0, 8))
@hypothesis.settings(derandomize=True, max_examples=300, deadline=None)
def test_every_line_once_and_in_order(old, new, at_old, at_new):
    pointed = 0 < at_old <= len(old) and 0 < at_new <= len(new)
    here = (at_old, at_new) if pointed else (0, 0)
    pairs = list(aligned(Text("", old, 1, here[0]), Text("", new, 1, here[1])))
    assert [i for i, _ in pairs if i is not None] == list(range(len(old)))
    assert [j for _, j in pairs if j is not None] == list(range(len(new)))
    if pointed:
        assert (at_old - 1, at_new - 1) in pairs
    if old == new and not pointed:
        assert all(i == j for i, j in pairs)


@hypothesis.given(LINES, LINES)
@hypothesis.settings(derandomize=True, max_examples=100, deadline=None)
def test_the_page_has_both_texts(old, new):
    page = side_by_side(Text("old", old, 3, 0), Text("new", new, 7, 0), "")
    assert not Page(page).unbalanced
    assert len(re.findall(r"data-n=", page)) == len(old) + len(new)


WORDS = st.lists(st.sampled_from(["tf", ".", "x", " ", "(", "é"]), max_size=8).map("".join)


@hypothesis.given(WORDS, WORDS)
@hypothesis.settings(derandomize=True, max_examples=300, deadline=None)
def test_what_is_not_marked_is_the_same(old, new):
    cut, added = changes(old, new)

    def rest(text, marks):
        keep = list(text)
        for mark in marks:
            assert 0 <= mark.start < mark.end <= len(text)
            keep[mark.start : mark.end] = [""] * (mark.end - mark.start)
        return "".join(keep)

    assert rest(old, cut) == rest(new, added)
    assert (cut, added) == ([], []) or old != new


def test_long_functions_take_no_time():
    old = Text("", [f"a{n} = tf.exp(b{n}, axis={n})" for n in range(30)], 1, 4)
    new = Text("", [f"a{n} = jnp.exp(b{n}, axis={n})" for n in range(30)], 1, 4)
    assert list(aligned(old, new)) == [(n, n) for n in range(30)]
