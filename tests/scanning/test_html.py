"""The page of a scan: it stands alone, its links lead somewhere, and its picture is in proportion."""

import re
import xml.etree.ElementTree

import hypothesis
import pytest
from hypothesis import strategies as st

from tf2jax_port.scanning import as_html, treemap
from tf2jax_port.scanning.treemap import Box, squarified

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def page(project, run):
    result = run("scan", ".", "--html", "scan.html")
    assert result.exit_code == 1
    assert "wrote scan.html\n" in result.stderr
    return (project / "scan.html").read_text()


def test_nothing_is_fetched(page):
    rest = page.replace("http://www.w3.org/2000/svg", "")
    assert re.findall(r"https?:|//|\b(?:src|@import|url)\b", rest) == []
    assert "<script" not in rest
    assert "prefers-color-scheme: dark" in page
    assert 'name="viewport"' in page


def test_links_lead_to_what_is_there(page):
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    links = set(re.findall(r'href="#([^"]+)"', page))
    assert links - set(ids) == set()
    assert {"f1", "TJ301", "TJ201", "f1-3-5"} <= links


def test_text_is_escaped(page):
    assert "&lt;b&gt;&amp;" in page
    assert "<b>&" not in page
    assert "No reference" not in page


def test_every_place_is_there(page):
    text = " ".join(re.sub(r"<[^>]+>", " ", page).split())
    for part in (
        "app/deep/model.py :3",
        "app/deep/model.py :4",
        "train.py:3",
        "tf.foo : TensorFlow has no such name",
        "a comment says so (TJ301)",
    ):
        assert part.replace(" :", ":") in text.replace(" :", ":"), part
    assert "<del>tf.square(x)</del><ins>jnp.square(x)</ins>" in page
    assert "<pre>d = &#x27;ä&#x27;; tf.foo(d)</pre>" in page  # the whole line of what is left
    assert "broken.py" in text
    assert "TJ901 line 2:" in text


def test_the_picture(page):
    broad, narrow = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    for drawing, width in ((broad, "1040"), (narrow, "380")):
        root = xml.etree.ElementTree.fromstring(drawing)
        assert root.get("viewBox").split()[2] == width
        titles = [t.text for t in root.iter(f"{SVG}title")]
        assert "app/deep/model.py\n4 references: 2 done, 0 to look at, 2 to write" in titles
        assert {a.get("href") for a in root.iter(f"{SVG}a")} == {"#f1", "#f2", "#f3", "#f4"}


def test_too_many_places_are_counted(project, run, monkeypatch):
    monkeypatch.setattr(as_html, "MOST_PLACES", 3)
    run("scan", ".", "--html", "scan.html")
    page = (project / "scan.html").read_text()
    assert "2 places without manual work are not shown." in page
    assert "jnp.square" not in page


def test_nothing_to_show(tmp_path, run):
    (tmp_path / "a.py").write_text("x = 1\n")
    assert run("scan", tmp_path, "--html", tmp_path / "scan.html").exit_code == 0
    assert "No reference to TensorFlow." in (tmp_path / "scan.html").read_text()


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
    assert "<title>app/deep/more\n" in page
    assert "<title>app/deep\n" not in page


def test_small_folders_are_one_box():
    node = treemap.Node("a", total=2, children={"b": treemap.Node("b", total=2)})
    drawn = "".join(treemap._draw(node, Box(0, 0, 3, 3), ""))
    assert drawn.count("<title>") == 1
