"""Edits are applied in one pass, and never lose or cross one another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tf2jax_port.rewrite.writing.edits import Edit, EditedText, OverlapError, Span, apply_edits


def test_nested_edits():
    text = b"f(g(x), y)"
    outer = Edit(0, 10, ("F[", Span(2, 6), "]"))
    inner = Edit(2, 3, ("G",))
    assert apply_edits(text, [outer, inner]) == b"F[G(x)]"


def test_an_edit_that_begins_where_its_surroundings_do():
    outer = Edit(0, 4, ("<", Span(0, 3), ">"))
    inner = Edit(0, 1, ("A",))
    assert apply_edits(b"abcd", [inner, outer]) == b"<Abc>"


def test_insertions_keep_their_order():
    assert (
        apply_edits(b"ab", [Edit(1, 1, ("1",)), Edit(1, 1, ("2",)), Edit(2, 2, ("3",))]) == b"a12b3"
    )


def test_a_span_may_be_used_twice():
    edits = [Edit(0, 1, (Span(0, 1), "*", Span(0, 1)))]
    assert apply_edits(b"x", edits) == b"x*x"


def test_crossing_edits_are_refused():
    with pytest.raises(OverlapError, match=r"^edits overlap at byte 2$"):
        apply_edits(b"abcdef", [Edit(0, 3, (Span(0, 3),)), Edit(2, 5)])


def test_an_edit_in_dropped_text_is_refused():
    with pytest.raises(OverlapError, match=r"^an edit at byte 2 lies in text that is dropped$"):
        apply_edits(b"abcdef", [Edit(0, 4, (Span(0, 1),)), Edit(2, 3, ("X",))])


def test_the_text_of_one_node():
    edits = [Edit(0, 6, ("<", Span(2, 4), ">")), Edit(2, 3, ("C",)), Edit(2, 2, ("+",))]
    assert EditedText(b"abcdef", edits).render_node(2, 4) == b"Cd"
    assert EditedText(b"abcdef", edits).render_node(0, 6) == b"<+Cd>"


@given(st.binary(max_size=30), st.data())
def test_disjoint_edits_replace_what_they_name(text, data):
    places = data.draw(st.lists(st.integers(0, len(text)), max_size=8, unique=True).map(sorted))
    pairs = list(zip(places[::2], places[1::2], strict=False))
    edits = [Edit(start, end, (f"<{start}>",)) for start, end in pairs]
    expected, place = b"", 0
    for start, end in pairs:
        expected += text[place:start] + f"<{start}>".encode()
        place = end
    assert apply_edits(text, data.draw(st.permutations(edits))) == expected + text[place:]
