"""The terminal and the page: complete, escaped, self-contained."""

from __future__ import annotations

import dataclasses
import io
import re

import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf
from rich.console import Console

import tf2jax_port
from tests.html.reading import Page
from tf2jax_port.diff.closeness.closeness import gauge
from tf2jax_port.diff.closeness.comparison import furthest
from tf2jax_port.diff.functions.loading import DiffError
from tf2jax_port.diff.locate.result.located import Located, NotLocated, Spot
from tf2jax_port.diff.locate.watch.places import Place
from tf2jax_port.diff.report.as_html import to_html
from tf2jax_port.diff.report.as_text import render
from tf2jax_port.diff.report.wording import LIMIT_FRACTION, fraction
from tf2jax_port.diff.values.observation import Quantity
from tf2jax_port.diff.vocabulary.numbers import number, short
from tf2jax_port.diff.vocabulary.reasons import Reason, grouped
from tf2jax_port.diff.vocabulary.verdicts import shown

from .reports import PAIRS, report


def as_text(kind: str, width: int = 100) -> str:
    stream = io.StringIO()
    Console(file=stream, width=width).print(render(report(kind)))
    return stream.getvalue()


@pytest.mark.parametrize("kind", PAIRS)
def test_the_page_is_whole_and_needs_nothing_else(kind):
    page = to_html(report(kind))
    parsed = Page(page)
    assert parsed.unbalanced == parsed.elsewhere == parsed.links == []
    assert not re.search(r"https?:|@import|url\(|<script", page)
    assert "prefers-color-scheme: dark" in page
    assert report(kind).verdict in page


@pytest.mark.parametrize("kind", PAIRS)
def test_the_terminal_names_the_verdict_and_the_command(kind):
    text = as_text(kind)
    assert shown(report(kind).verdict).upper() in text
    assert "tf2jax-port diff" in text
    assert max(map(len, text.splitlines())) <= 100


def test_the_terminal_shows_the_worst_element():
    text = as_text("different")
    for line in (
        "NOT EQUAL: the gradient for x is 1, should be 0 at [0]",
        "case 0, JAX eager against TF eager, stage gradients",
        "d/d x (ones), case 0, at [0] of shape [3]",
        "TF eager has 0, JAX eager has 1",
        "absolute 1, relative ∞",
        "1 of 3 elements are off (33 %)",
        "times TensorFlow's own rounding error, but at most 8 times is allowed",
    ):
        assert line in text


def test_what_is_wrong_and_where_come_first_at_eighty_columns():
    place = Place("model.py", 7, "f")
    found = Located("value", 0, Spot(place, "Mean"), None, cause="the mean", confirmed=True)
    stream = io.StringIO()
    told = dataclasses.replace(report("complex"), located=found)
    Console(file=stream, width=80).print(render(told))
    text = stream.getvalue()
    assert max(map(len, text.splitlines())) <= 80
    order = (
        "NOT EQUAL: output is 5+0j, should be -3+4j",
        "model.py:7",
        "perhaps: the mean",
        "confirmed: if the original's value is used at this place",
        "What differs",
        "Lanes ",
        "Output or gradient",
        "The worst element",
        "Again",
    )
    places = [text.find(words) for words in order]
    assert -1 not in places
    assert places == sorted(places)
    page = to_html(told)
    assert (
        page.index("The first divergence")
        < page.index("What differs")
        < page.index('class="cards"')
    )


def test_the_terminal_shows_which_pairs_agree():
    lines = as_text("different").splitlines()
    (row,) = [line.split() for line in lines if line.startswith("TF XLA ")]
    assert row == ["TF", "XLA", "gradients", "gradients"]
    (row,) = [line.split() for line in lines if line.startswith("TF eager ")]
    assert row == ["TF", "eager", "same", "same", "gradients", "gradients"]


def test_a_knife_edge_is_shown_with_its_pair():
    text = as_text("limited")
    assert "Unstable elements: the original's own runs disagree" in text
    assert "d/d x (ones): TF eager has 0, TF XLA nan at [0] (case 0)" in text


def test_a_difference_in_structure_is_shown_without_elements():
    assert "different structure (missing: output[0], output[1]; extra: output)" in as_text(
        "structure"
    )
    page = to_html(report("structure"))
    assert "different structure (missing: output[0], output[1]; extra: output)" in page


def leaf(path, **changes):
    found = report("equal").leaves[-1]
    finding = dataclasses.replace(
        found.worst, quantity=Quantity("gradient", path, "ones"), **changes
    )
    state = changes.get("outcome", "equal")
    return dataclasses.replace(found, title=path, worst=finding, state=state)


def test_many_leaves_fit_a_screen_the_worst_first():
    leaves = tuple(leaf(f"w{n}") for n in range(40))
    many = (*leaves, leaf("worst", outcome="different"))
    spiced = dataclasses.replace(report("different"), leaves=many)
    stream = io.StringIO()
    Console(file=stream, width=100).print(render(spiced))
    rows = [line.split()[0] for line in stream.getvalue().splitlines() if line.startswith("w")]
    assert len(rows) == 16
    assert rows[0] == "worst"
    assert "and 25 equal; largest R" in stream.getvalue()


def located_page(old, new=None, kind="value", **found):
    place = [None if one is None else Place(str(one[0]), one[1], "f") for one in (old, new)]
    spots = [
        place[0] and Spot(place[0], "Mean", ("x", "MatMul, line 4"), ("Softmax, line 6",)),
        place[1] and Spot(place[1], "div"),
    ]
    located = Located(kind, 0, *spots, confirmed=True, **found)
    page = to_html(dataclasses.replace(report("different"), located=located))
    assert Page(page).unbalanced == []
    return page


def test_the_page_begins_with_the_located_line(tmp_path):
    (tmp_path / "a.py").write_text("\n".join(f"line = {n} < 10" for n in range(1, 10)))
    page = located_page((tmp_path / "a.py", 5), cause="population & sample")
    row = page[page.index('<div class="changed here">') :]
    assert row.startswith(
        '<div class="changed here"><code data-n="5">line = <span class="n">5</span> &lt; '
        '<span class="n">10</span></code><code class="none">'
    )
    for text in (
        "Here the results begin to differ: <code>Mean</code>",
        "population &amp; sample",
        ">MatMul, line 4<",
        ">Softmax, line 6<",
        "no line of your program",
    ):
        assert text in page
    assert page.index("The first divergence") < page.index("What differs")
    assert 'data-n="8"' in page  # three lines around it, outside of a function
    assert 'data-n="9"' not in page
    assert "not located: no time" in to_html(
        dataclasses.replace(report("different"), located=NotLocated("no time"))
    )


def test_both_functions_are_shown_with_what_changes_in_each_line(tmp_path):
    (tmp_path / "old.py").write_text(
        "import tensorflow as tf\n\n\n@tf.function\ndef f(x):\n    y = 2 * x\n    def g(z):\n"
        "        return z\n    return tf.math.reduce_std(g(y), axis=-1)\n\n\nother = 1\n"
    )
    (tmp_path / "new.py").write_text(
        "def f(x):\n    y = 2 * x\n    return jnp.std(y, axis=-1, ddof=1)\n"
    )
    page = located_page((tmp_path / "old.py", 9), (tmp_path / "new.py", 3))
    begin = page.index('<div class="duo code">')
    duo = page[begin : page.index("<details>", begin)]
    assert re.findall(r'data-n="(\d+)"', duo) == ["4", "5", "1", "6", "2", "7", "8", "9", "3"]
    assert "other" not in duo
    here = duo[duo.index('<div class="changed here">') :]
    marked = re.findall(r'<mark class="(\w+)">(.*?)</mark>', here)
    plain = [(kind, re.sub(r"<[^>]+>", "", text)) for kind, text in marked]
    assert plain == [
        ("bad", "tf"),
        ("bad", "math.reduce_std(g"),
        ("bad", ")"),
        ("good", "jnp"),
        ("good", "std"),
        ("good", ", ddof=1"),
    ]
    assert '<div class="same"><code data-n="5">' in duo


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("gradient", "gradients begin"),
        ("interface", "shapes or types begin"),
        ("error", "port stops"),
    ],
)
def test_the_page_says_what_happens_at_the_line(tmp_path, kind, said):
    (tmp_path / "a.py").write_text("x = 1\n")
    page = located_page((tmp_path / "a.py", 1), kind=kind)
    assert f"Here the {said}" in page


def test_a_file_that_is_gone_or_broken_shows_what_is_known(tmp_path):
    page = located_page((tmp_path / "gone.py", 5))
    assert 'class="changed here"' in page
    (tmp_path / "broken.py").write_text("def f(:\n    return 1\n")
    assert "return" in located_page((tmp_path / "broken.py", 2))


def test_the_page_counts_errors_and_has_the_verdict_of_every_lane():
    page = to_html(report("different"))
    assert 'aria-label="error histogram"' in page
    assert "66.7 %" in page
    heads = page[page.index("<th>Output or gradient") :]
    assert heads.index("<th>JAX eager</th>") < heads.index("<th>JAX jit</th>")


def test_the_worst_elements_follow_each_other():
    a = np.float32([1, 2, 3, 4])
    found = furthest(a, a + np.float32([0, 0.5, 2, 1]), gauge(a.dtype, a, None, [a]))
    assert [worst.index for worst in found] == [(2,), (3,), (1,)]
    assert found[0].mismatched == 3


def test_names_are_escaped():
    spiced = dataclasses.replace(report("different"), old="<img src=x>.py:f", headline="a & <b>")
    page = to_html(spiced)
    assert "<img" not in page
    assert "a &amp; &lt;b&gt;" in page
    stream = io.StringIO()
    square = dataclasses.replace(report("different"), old="[red]x[/red].py:f")
    Console(file=stream, width=100).print(render(square))
    assert "[red]x[/red].py:f" in stream.getvalue()


def test_a_notebook_compares_without_another_import():
    cases = [(np.float32([0.5, 1.5]),)]
    found = tf2jax_port.diff(tf.square, jnp.square, cases, x64=False)
    assert found.verdict == "equal"
    assert 'srcdoc="&lt;!doctype html&gt;' in found._repr_html_()
    with pytest.raises(AttributeError, match="no attribute 'dif'"):
        tf2jax_port.dif  # noqa: B018


def test_a_notebook_names_functions_and_cases_as_the_command_does(tmp_path):
    (tmp_path / "old.py").write_text(
        "import tensorflow as tf\n\n\n@tf.function\ndef f(x):\n    return tf.square(x)\n"
    )
    (tmp_path / "new.py").write_text("def f(x):\n    return x * x\n")
    old, new = (f"{tmp_path / name}:f" for name in ("old.py", "new.py"))
    assert tf2jax_port.diff(old, new, "x: float32[2]", x64=False).verdict == "equal"
    with pytest.raises(DiffError, match="no `g` in"):
        tf2jax_port.diff(old.replace(":f", ":g"), new, [])
    with pytest.raises(DiffError, match=r"3 cannot be called[\s\S]*Received: int"):
        tf2jax_port.diff(tf.square, 3, [])


def test_a_notebook_shows_the_page():
    (frame,) = Page(report("equal")._repr_html_()).elements
    assert frame[0] == "iframe"
    assert frame[1]["srcdoc"] == to_html(report("equal"))


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (1.0, "1"),
        (0.1 + 0.2, "0.3"),
        (2.0**-23 + 1, "1.00000012"),
        (True, "True"),
        (7, "7"),
        (1 - 2j, "1-2j"),
        (complex(0, float("nan")), "0+nanj"),
    ],
)
def test_numbers(value, said):
    assert number(value) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.0, "0"),
        (1.25, "1.2"),
        (123.4, "123"),
        (12345.6, "1.2e+04"),
        (1e-9, "1.0e-09"),
        (float("inf"), "∞"),
        (float("nan"), "?"),
    ],
)
def test_short_numbers(value, said):
    assert short(value) == said


def test_the_scale_of_r():
    assert fraction(0) == fraction(float("nan")) == 0
    assert fraction(float("inf")) == fraction(1e9) == 1
    assert fraction(1) < LIMIT_FRACTION < fraction(10)


def test_reasons_are_said_once_with_their_cases():
    entries = [("a", "x", n) for n in range(6)] + [("b", "y", 3), ("a", "x", 0)]
    assert [reason.text for reason in grouped(entries)] == [
        "a: x (cases 0, 1, 2, 3 and 2 more)",
        "b: y (case 3)",
    ]
    assert Reason("c", "z").text == "c: z"
