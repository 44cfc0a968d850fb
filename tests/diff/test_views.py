"""The terminal and the page: complete, escaped, self-contained."""

from __future__ import annotations

import dataclasses
import html.parser
import io
import re

import pytest
from rich.console import Console

from tf2jax_port.diff.as_html import to_html
from tf2jax_port.diff.as_text import render
from tf2jax_port.diff.numbers import number, short
from tf2jax_port.diff.reasons import Reason, grouped
from tf2jax_port.diff.wording import LIMIT_FRACTION, fraction

from .reports import PAIRS, report

VOID = {"meta", "rect"}


def as_text(kind: str, width: int = 100) -> str:
    stream = io.StringIO()
    Console(file=stream, width=width).print(render(report(kind)))
    return stream.getvalue()


class Balance(html.parser.HTMLParser):
    """Checks that every element is closed, and collects what refers to elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.references: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.references += [value for name, value in attrs if name in ("src", "href")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        assert tag in VOID

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("kind", PAIRS)
def test_the_page_is_whole_and_needs_nothing_else(kind):
    page = to_html(report(kind))
    parser = Balance()
    parser.feed(page)
    assert parser.open == []
    assert parser.references == []
    assert not re.search(r"https?:|@import|url\(|<script", page)
    assert "prefers-color-scheme: dark" in page
    assert report(kind).verdict in page


@pytest.mark.parametrize("kind", PAIRS)
def test_the_terminal_names_the_verdict_and_the_command(kind):
    text = as_text(kind)
    assert report(kind).verdict.upper() in text
    assert "tf2jax-port diff" in text
    assert max(map(len, text.splitlines())) <= 100


def test_the_terminal_shows_the_worst_element():
    text = as_text("different")
    for line in (
        "Different at the stage gradients: TF eager against JAX eager, d/d x (ones) of case 0",
        "d/d x (ones), case 0, at [0] of shape [3]",
        "TF eager has 0, JAX eager has 1",
        "absolute 1, relative ∞",
        "1 of 3 elements are off (33 %)",
        "(errors against the original in float64)",
    ):
        assert line in text


def test_the_terminal_shows_which_pairs_agree():
    lines = as_text("different").splitlines()
    (row,) = [line.split() for line in lines if line.startswith("TF XLA ")]
    assert row == ["TF", "XLA", "gradients", "gradients"]
    (row,) = [line.split() for line in lines if line.startswith("TF eager ")]
    assert row == ["TF", "eager", "same", "same", "gradients", "gradients"]


def test_a_knife_edge_is_shown_with_its_pair():
    text = as_text("limited")
    assert "Where the original disagrees with itself" in text
    assert "d/d x (ones): TF eager has 0, TF XLA nan at [0] (case 0)" in text


def test_a_difference_in_structure_is_shown_without_elements():
    assert "other structure (missing: output[0], output[1]; extra: output)" in as_text("structure")
    page = to_html(report("structure"))
    assert "other structure (missing: output[0], output[1]; extra: output)" in page


def test_names_are_escaped():
    spiced = dataclasses.replace(report("different"), old="<img src=x>.py:f", headline="a & <b>")
    page = to_html(spiced)
    assert "<img" not in page
    assert "a &amp; &lt;b&gt;" in page
    stream = io.StringIO()
    square = dataclasses.replace(report("different"), old="[red]x[/red].py:f")
    Console(file=stream, width=100).print(render(square))
    assert "[red]x[/red].py:f" in stream.getvalue()


def test_a_notebook_shows_the_page():
    assert report("equal")._repr_html_() == to_html(report("equal"))


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
