"""Each page in a browser, at 400 and 1,600 pixels, light and dark: what a person would complain about."""

import io
import time

import pytest
from PIL import Image

from tests.diff.reports import report
from tests.html import references, samples
from tests.html.browser import browser, executable
from tests.html.measures import CONTRAST, CUT, FOCUS, OVERFLOW
from tests.html.references import MODES, mode_name
from tests.html.test_pages import NAMES
from tf2jax_port.scanning import as_html

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        executable() is None, reason="no Chromium is installed: pages are not looked at"
    ),
    pytest.mark.xdist_group("browser"),
]
WAYS = pytest.mark.parametrize(("width", "dark"), MODES, ids=[mode_name(*mode) for mode in MODES])
TALL = 8000  # the whole page is in the window: what is outside of it need not be drawn


@pytest.fixture(scope="module")
def one():
    with browser() as found:
        yield found


@pytest.fixture
def show(one, tmp_path):
    def shown(text, width=1600, height=900, **ways):
        path = tmp_path / "page.html"
        path.write_text(text)
        one.open(path, width, height, **ways)
        return one

    return shown


@WAYS
@pytest.mark.parametrize("name", NAMES)
def test_nothing_sticks_out_is_cut_off_or_faint(show, name, width, dark):
    one = show(samples.pages()[name], width, TALL, dark=dark)
    one.run("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    for box in ("shim", "kept", "rewritten"):
        one.run(f"document.querySelector('[value={box}]')?.click()")
    assert one.run(OVERFLOW) == []
    assert one.run(CUT) == []
    measured = one.run(CONTRAST)
    assert measured["found"] == []
    assert measured["count"] > 20
    assert one.faults == []
    assert [url for url in one.requests if not url.startswith("file:")] == []


@pytest.mark.parametrize(
    ("css", "measure"),
    [
        (".hero { width: 500px; }", OVERFLOW),
        ("h1 { width: 20px; overflow: hidden; white-space: nowrap; overflow-wrap: normal; }", CUT),
        (".soft { color: var(--line) !important; }", CONTRAST),
    ],
)
def test_the_measures_can_fail(show, css, measure):
    text = samples.pages()["scan"].replace("</style>", f"{css}</style>")
    found = show(text, 400, TALL).run(measure)
    assert found["found"] if isinstance(found, dict) else found


@WAYS
@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_like_the_stored_one(one, name, width, dark):
    known = references.stored()
    layout, picture = references.seen(one, samples.pages()[name], width, dark)
    assert references.moved(known["layouts"][f"{name}-{mode_name(width, dark)}"], layout) == []
    if references.fonts(one) == known["fonts"]:  # pictures cannot be compared between fonts
        assert references.unlike(references.stored_picture(name, width, dark), picture) == ""


@pytest.mark.parametrize(
    "font", ["DejaVu Serif", "DejaVu Sans Mono", "DejaVu Sans; font-size: 92%"]
)
@WAYS
@pytest.mark.parametrize("name", ["scan", "plan", "diff"])
def test_other_fonts_stand_in_the_same_places(one, name, width, dark, font):
    text = samples.pages()[name]
    css = f"body, button, input {{ font-family: {font} !important; }}"
    layout, _ = references.seen(one, text.replace("</style>", f"{css}</style>"), width, dark)
    known = references.stored()["layouts"][f"{name}-{mode_name(width, dark)}"]
    assert references.moved(known, layout) == []


@pytest.mark.parametrize(
    ("css", "width", "is_moved", "is_unlike"),
    [
        (".work { grid-template-columns: 1fr !important; }", 1600, True, True),
        (".states { display: none !important; }", 400, True, True),
        (":root { --bad-bg: var(--ink) !important; }", 400, False, True),
        (".map { height: 3rem !important; }", 400, False, True),
        ("h1 { color: var(--accent); }", 400, False, False),  # too small to be seen
    ],
)
def test_the_comparison_can_fail(one, css, width, is_moved, is_unlike):
    text = samples.pages()["scan"]
    before, old = references.seen(one, text, width, False)
    after, new = references.seen(one, text.replace("</style>", f"{css}</style>"), width, False)
    assert bool(references.moved(before, after)) is is_moved
    assert bool(references.unlike(old, new)) is is_unlike


def test_the_references_are_small():
    files = list(references.FOLDER.iterdir())
    assert len(files) == len(NAMES) * len(MODES) + 1
    assert sum(file.stat().st_size for file in files) < 200_000


@pytest.mark.parametrize("width", [400, 1600])
@pytest.mark.parametrize("name", NAMES)
def test_the_tab_key_goes_through_a_page_in_order(show, name, width):
    one = show(samples.pages()[name], width)
    stops = []
    for _ in range(150):
        one.press("Tab")
        stop = one.run(FOCUS)
        if stop is None:
            break
        stops.append(stop)
    else:
        pytest.fail("the tab key does not leave the page")
    assert [s for s in stops if not (s["seen"] and s["inOrder"] and s["inside"])] == []
    boxes = [
        s["name"] for s in stops if "to write by hand, " in s["name"] and s["name"].startswith("a ")
    ]
    assert len(boxes) == (1 if name == "scan" else 0)  # the map is one stop


def found(one):
    return one.run("document.getElementById('found').textContent")


def test_the_filter_of_a_scan(show):
    one = show(samples.pages()["scan"])
    assert found(one) == "4 places"
    one.press("/", *"tie ")
    one.wait("document.body.classList.contains('filtering')")
    assert found(one) == "1 of 4 places"
    visible = "[...document.querySelectorAll('%s')].filter(e => e.checkVisibility()).length"
    assert one.run(visible % ".note") == 1
    assert one.run(visible % ".places .file") == 1
    assert 1 <= one.run(visible % ".source [data-n]") <= 5
    one.press("Escape")
    assert one.run("document.getElementById('filter').value") == ""
    assert one.run(visible % ".places .file") == 3
    one.press("Escape")
    assert one.run("document.activeElement === document.body")
    one.press(*"/nothing-like-it")
    one.wait("document.body.classList.contains('filtering')")
    assert found(one) == "0 of 4 places"
    assert one.faults == []


def test_places_are_reached_by_keys(show):
    one = show(samples.pages()["scan"], 400)
    seen = []
    for _ in range(5):
        one.press("n")
        seen.append(one.run("document.activeElement.id"))
        assert one.run("document.activeElement.checkVisibility()")
    assert seen[0] == seen[4]
    assert len(set(seen)) == 4
    one.press("p")
    assert one.run("document.activeElement.id") == seen[3]


def test_states_show_their_messages(show):
    one = show(samples.pages()["scan"])
    shown = "[...document.querySelectorAll('.note')].filter(e => e.checkVisibility()).length"
    assert one.run("document.querySelectorAll('.note').length") == 9
    one.run("document.querySelector('[value=manual]').click()")
    assert found(one) == "2 places"
    one.run("document.querySelectorAll('.places details.file').forEach(d => { d.open = true; })")
    assert one.run(shown) == 2
    for name in ("manual", "shim", "kept", "rewritten"):
        one.run(f"document.querySelector('[value={name}]').click()")
    assert one.run(shown) == 9


def test_arrows_move_on_the_map_and_enter_opens_the_file(show):
    one = show(samples.pages()["scan"])
    one.run("document.querySelector('.map a').focus()")
    first = one.run("document.activeElement.textContent")
    one.press("ArrowDown", "ArrowRight")
    assert one.run("document.activeElement.textContent") != first
    target = one.run("document.activeElement.getAttribute('href')")
    one.press("Enter")
    one.wait(f"document.querySelector('{target}').checkVisibility()")
    assert one.run("document.querySelectorAll('.places details.file[open]').length") == 2


def test_a_box_of_the_map_is_clicked(show):
    one = show(samples.pages()["scan"])
    one.run("[...document.querySelectorAll('.map a')].at(-1).click()")
    target = one.run("location.hash")
    one.wait(f"document.querySelector('{target}').closest('details').open")


def test_the_filter_of_a_plan(show):
    one = show(samples.pages()["plan"], 400)
    assert found(one) == "6 steps"
    one.press("/", *"encoder/images")
    one.wait("document.body.classList.contains('filtering')")
    assert found(one) == "4 of 6 steps"  # the step, and those that name it
    one.press("Escape", "Escape")
    one.run("document.querySelector('.diagram a').focus()")
    one.wait("document.querySelectorAll('.diagram path.lit').length == 2")
    one.press("ArrowRight", "Enter")
    assert one.run("location.hash").startswith("#step")


@pytest.mark.parametrize("name", ["scan", "plan"])
def test_a_page_can_be_read_without_scripts(show, name):
    one = show(samples.pages()[name], 400, script=False)
    assert not one.run("document.getElementById('filter').checkVisibility()")
    if name == "scan":
        one.run("document.querySelectorAll('.gap').forEach(gap => { gap.open = true; })")
        assert one.run("document.querySelector('.note.bad').checkVisibility()")
        assert not one.run("document.querySelector('.note[data-state=shim]').checkVisibility()")
        one.run("document.querySelector('[value=shim]').checked = true")
        assert one.run("document.querySelector('.note[data-state=shim]').checkVisibility()")
    else:
        assert one.run("document.querySelector('.steps > li').checkVisibility()")


def test_five_thousand_findings_open_in_two_seconds(one, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(as_html.to_html(samples.large_ledger(5_000), "project"))
    times = [one.open(path, width) for width in (400, 1600) for _ in range(2)]
    assert min(times) < 2, times
    one.press("/", *"file7")
    start = time.monotonic()
    one.wait("document.getElementById('found').textContent.includes(' of ')")
    one.picture()
    assert time.monotonic() - start < 2
    assert one.faults == []


def test_a_report_in_a_notebook_leaves_the_notebook_alone(show):
    one = show(f"<p>A notebook.</p>{report('equal')._repr_html_()}", 400)
    assert one.run("getComputedStyle(document.querySelector('p')).fontSize") == "16px"
    inside = "document.querySelector('iframe').contentDocument"
    one.wait(f"!!{inside}.querySelector('h1')")
    assert one.run(f"{inside}.documentElement.scrollWidth") <= 400
    assert one.faults == []


def test_a_picture_is_of_the_window(show):
    picture = show(samples.pages()["scan"], 400, 700).picture()
    assert Image.open(io.BytesIO(picture)).size == (400, 700)
