"""The page of a scan: it stands alone, its source has the messages, and its map is in proportion."""

import itertools
import re

import hypothesis
import pytest
from hypothesis import strategies as st

from tests.html.reading import Page
from tf2jax_port.scanning import annotated, as_html, treemap
from tf2jax_port.scanning.treemap import Box, squarified


@pytest.fixture
def page(project, run):
    result = run("scan", ".", "--html", "scan.html")
    assert result.exit_code == 1
    assert "wrote scan.html\n" in result.stderr
    return (project / "scan.html").read_text()


def test_text_is_escaped(page):
    assert "&#x27;&lt;b&gt;&amp;&#x27;" in page
    assert "<b>&" not in page
    assert "No reference" not in page


def test_links_lead_to_files_findings_and_diagnostics(page):
    assert {"f1", "TJ301", "TJ201", "f1-3-5"} <= set(Page(page).links)


def test_every_place_is_there_in_its_source(page):
    text = Page(page).text
    for part in (
        "y = tf.foo(tf.unique(x))",  # the whole line
        "d = 'ä'; tf.foo(d)",
        "tf.foo : TensorFlow has no such name".replace(" :", ":"),
        "a comment excludes TJ301 here",
        "broken.py",
        "TJ901 line 2:",
    ):
        assert part in text, part
    assert "<del>tf.square(x)</del><ins>jnp.square(x)</ins>" in page
    line = page[page.index('<code data-n="4">z = ') :]
    assert line.startswith('<code data-n="4">z = <mark class="bad">tf.foo</mark>(y)</code>')
    note = line[line.index("<div") :]
    assert note.startswith('<div class="note bad" id="f1-4-5"')  # below its line
    assert note.index("to write by hand") < note.index("TJ301") < note.index("tf.foo")


def test_the_source_comes_before_tables_and_the_first_file_is_open(page):
    assert page.index('id="filter"') < page.index('class="map"') < page.index('id="source"')
    assert page.index('id="source"') < page.index('id="names"') < page.index('id="diagnostics"')
    assert re.findall(r'<details class="file" data-group data-name="([^"]*)" open>', page) == [
        "app/deep/model.py"
    ]


def test_what_needs_a_person_is_checked(page):
    boxes = re.findall(r'data-state-box value="(\w+)"( checked)?>([\w ]+) <b>(\d+)', page)
    assert boxes == [
        ("manual", " checked", "to write by hand", "3"),
        ("review", " checked", "to review", "1"),
        ("shim", "", "shims", "1"),
        ("kept", "", "kept", "1"),
        ("rewritten", "", "done", "1"),
    ]


def test_the_map_is_of_the_work(page):
    drawn = page[page.index('<nav class="map" data-arrows') : page.index("</nav>")]
    boxes = re.findall(r'<a href="#(\w+)" style="([^"]*)" title="([^"]*)" aria-label', drawn)
    assert [(name, title) for name, _, title in boxes] == [
        ("f1", "app/deep/model.py: 2 to write by hand, 0 to review"),
        ("f3", "app/corner.py: 0 to write by hand, 1 to review"),
        ("f2", "train.py: 1 to write by hand, 0 to review"),
    ]
    assert "app/ops.py" not in drawn
    assert "1 file without work: not on the map." in page
    assert "linear-gradient(var(--bad-map) 100.0%" in boxes[0][1]
    assert "linear-gradient(var(--bad-map) 0.0%" in boxes[1][1]


def test_lines_far_from_work_are_folded(tmp_path, run):
    lines = ["import tensorflow as tf", *(f"x{n} = {n}" for n in range(40)), "tf.foo(1)"]
    lines[10] = "y = tf.square(2.0)"
    (tmp_path / "a.py").write_text("\n".join(lines) + "\n")
    run("scan", tmp_path / "a.py", "--html", tmp_path / "scan.html")
    page = (tmp_path / "scan.html").read_text()
    folded = page[page.index('<details class="gap"') :]
    gap, rest = folded[: folded.index("</details>")], folded[folded.index("</details>") :]
    assert "<summary>lines 1 to 38, 1 reference without work</summary>" in gap
    assert re.findall(r'data-n="(\d+)"', gap) == [str(n) for n in range(1, 39)]
    assert re.findall(r'data-n="(\d+)"', rest) == ["39", "40", "41", "42"]


def test_a_large_code_base_has_the_lines_with_references_only(tmp_path, run, monkeypatch):
    monkeypatch.setattr(as_html, "MOST_LINES", 3)
    lines = ["import tensorflow as tf", *("" for _ in range(40)), "tf.foo(1)"]
    lines[10] = "y = tf.square(2.0)"
    (tmp_path / "a.py").write_text("\n".join(lines) + "\n")
    run("scan", tmp_path / "a.py", "--html", tmp_path / "scan.html")
    page = (tmp_path / "scan.html").read_text()
    assert re.findall(r'data-n="(\d+)"', page) == ["11", "39", "40", "41", "42"]


def test_a_notebook_is_shown_by_cells(tmp_path, run):
    (tmp_path / "a.ipynb").write_text(
        '{"cells": [{"cell_type": "markdown", "source": "# Title"}, {"cell_type": "code", "source": '
        '["import tensorflow as tf\\n", "tf.foo(1)"]}], "metadata": {}, "nbformat": 4}'
    )
    run("scan", tmp_path / "a.ipynb", "--html", tmp_path / "scan.html")
    page = (tmp_path / "scan.html").read_text()
    assert "<h3>Cell 2</h3>" in page
    assert '<code data-n="2"><mark class="bad">tf.foo</mark>(' in page
    assert 'id="f1-cell-2-2-1"' in page


def test_too_many_places_have_no_messages(project, run, monkeypatch):
    monkeypatch.setattr(as_html, "MOST_PLACES", 3)
    run("scan", ".", "--html", "scan.html")
    page = (project / "scan.html").read_text()
    assert "The messages of 2 places without manual work are not shown." in page
    assert "jnp.square" not in page
    assert '<mark class="good">tf.unique</mark>' in page


def test_nothing_to_show(tmp_path, run):
    (tmp_path / "a.py").write_text("x = 1\n")
    assert run("scan", tmp_path, "--html", tmp_path / "scan.html").exit_code == 0
    assert "No reference to TensorFlow." in (tmp_path / "scan.html").read_text()


def test_no_work_is_left(tmp_path, run):
    (tmp_path / "a.py").write_text("import tensorflow as tf\nx = tf.square(1.0)\n")
    assert run("scan", tmp_path, "--html", tmp_path / "scan.html").exit_code == 0
    page = (tmp_path / "scan.html").read_text()
    assert "No work is left." in page
    assert 'class="map"' not in page


@hypothesis.given(st.integers(1, 30), st.sets(st.integers(1, 30)))
@hypothesis.settings(derandomize=True, max_examples=100, deadline=None)
def test_runs_cover_each_line_once(last, shown):
    runs = list(annotated._runs(1, last, shown))
    lines = [(n, is_open) for start, end, is_open in runs for n in range(start, end + 1)]
    assert [n for n, _ in lines] == list(range(1, last + 1))
    assert all(is_open for n, is_open in lines if n in shown)
    assert all(a[2] != b[2] for a, b in itertools.pairwise(runs))


SIZES = st.lists(st.integers(1, 1000), min_size=1, max_size=40).map(
    lambda sizes: sorted(sizes, reverse=True)
)


@hypothesis.given(SIZES, st.integers(20, 1200), st.integers(20, 1200))
@hypothesis.settings(derandomize=True, max_examples=150, deadline=None)
def test_boxes_fill_and_are_in_proportion(sizes, width, height):
    boxes = squarified(sizes, Box(0, 0, width, height))
    whole = width * height
    for size, box in zip(sizes, boxes, strict=True):
        assert box.width * box.height == pytest.approx(whole * size / sum(sizes), rel=1e-6)
        assert min(box.x, box.y) >= -1e-6
        assert box.x + box.width <= width + 1e-6
        assert box.y + box.height <= height + 1e-6
    for n, a in enumerate(boxes):
        for b in boxes[n + 1 :]:
            across = min(a.x + a.width, b.x + b.width) - max(a.x, b.x)
            down = min(a.y + a.height, b.y + b.height) - max(a.y, b.y)
            assert min(across, down) <= 1e-6


def test_equal_boxes_are_nearly_square():
    for box in squarified([1] * 9, Box(0, 0, 300, 300)):
        assert (box.width, box.height) == (pytest.approx(100), pytest.approx(100))


def test_folders_that_hold_one_folder_share_a_box(project, run):
    deep = project / "app/deep"
    (deep / "more").mkdir()
    (deep / "model.py").rename(deep / "more" / "model.py")
    run("scan", ".", "--html", "scan.html")
    page = (project / "scan.html").read_text()
    assert 'title="app/deep/more: 2 to write by hand' in page
    assert 'title="app/deep: ' not in page


def test_small_folders_are_one_box():
    node = treemap.Node("a", manual=2, children={"b": treemap.Node("b", manual=2)})
    drawn = "".join(treemap._draw(node, Box(0, 0, 3, 3), Box(0, 0, 3, 3), ""))
    assert drawn.count("title=") == 1
