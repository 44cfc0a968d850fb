"""The site: every page has a place in the navigation, every link leads to a page, the API page is fresh."""

import json
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from tests.meta import tree
from tests.meta.test_docs import FENCE, LINK
from tools import api_page, site, site_search

# One process builds the site: its folder is one.
pytestmark = pytest.mark.xdist_group("site")

PAGES = site.pages()


def places(entries):
    for entry in entries:
        for target in entry.values():
            if isinstance(target, list):
                yield from places(target)
            else:
                yield target


def test_every_page_is_in_the_navigation_once():
    found = list(places(site.navigation()))
    assert sorted(found) == sorted(map(str, PAGES))


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_links_stay_on_the_site(page):
    """A folder has no page, and a file outside of the site would not be there."""
    text = FENCE.sub("", (tree.ROOT / page).read_text())
    for target in LINK.findall(text):
        path = target.partition("#")[0]
        if path and not re.match(r"[a-z]+:", target):
            file = ((tree.ROOT / page).parent / path).resolve()
            assert file.is_file(), target
            assert file.suffix != ".md" or file.relative_to(tree.ROOT) in PAGES, target


def test_the_index_lists_every_page():
    text = (tree.ROOT / "docs/index.md").read_text()
    listed = {target.partition("#")[0] for target in LINK.findall(text)}
    missing = [page for page in PAGES if str(page.parent) == "docs" and page.name not in listed]
    assert [page.name for page in missing] == ["index.md"]


def test_what_is_gathered(tmp_path):
    site.gather(tmp_path)
    assert {path.relative_to(tmp_path) for path in tmp_path.rglob("*.md")} == set(PAGES)
    assert (tmp_path / "docs/scorecard.json").is_file()
    assert 'docs_dir = "source"' in site.settings()
    hidden = {str(page) for page in PAGES if "exclude: true" in (tmp_path / page).read_text()[:40]}
    assert hidden == site.unsearched()


@pytest.fixture(scope="module")
def built():
    """The folder of the site; the build is strict."""
    done = subprocess.run(
        [sys.executable, "-m", "tools.site"],
        cwd=tree.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return site.SITE / "html"


def test_the_site_builds(built):
    """Strictly: a dead link, a page without its place or a fault in the configuration ends the build."""
    pages = {path.relative_to(built) for path in built.rglob("index.html")}
    assert len(pages) >= len(PAGES)


# Questions in words, whose answer is a guide; and names of operators, with the heading of their entries.
PROSE = (
    *("random numbers", "load a checkpoint", "save a model", "compile time", "ragged tensors"),
    *("custom training loop", "mixed precision", "several devices", "input pipeline", "exit code"),
    *("frozen graph", "prove a port", "summaries for TensorBoard", "review findings"),
    *("optimizers", "variables and state", "loop over rows", "weights of keras layer"),
    *("assertions in jit", "image augmentation", "learning rate schedule", "NaN gradient"),
    *("shuffle order", "tfrecord", "tpu", "int64", "pmap", "linen", "haiku", "roi align"),
    *("mixed_float16", "promotion", "estimate effort", "SparseCategoricalCrossentropy"),
    *("rules agents", "rollback trained", "licenses numpy", "optimizer slots"),
    *(
        "How do I load a checkpoint?",
        "how can we save a model?",
        "does the rewriter change comments?",
    ),
)
OPERATORS = {
    "tf.nn.depthwise_conv2d": "tf.nn.depthwise_conv2d",
    "depthwise_conv2d NCHW": "tf.nn.depthwise_conv2d",
    "tf.image.resize": "tf.image.resize",
    "image.resize antialias": "tf.image.resize",
    "tf.math.segment_mean": "tf.math.segment_mean",
    "segment_mean": "tf.math.segment_mean",
    "stateless_normal bits": "tf.random.stateless_normal",
    "lstsq fast": "tf.linalg.lstsq",
    "Does tf.nn.depthwise_conv2d accept NCHW?": "tf.nn.depthwise_conv2d",
    "what differs in tf.image.resize": "tf.image.resize",
    "What replaces tf.math.segment_mean in plain JAX?": "tf.math.segment_mean",
    "Is tf.random.stateless_normal bit-equal?": "tf.random.stateless_normal",
    "does tf.linalg.lstsq support fast=False": "tf.linalg.lstsq",
    "matrix_solve_ls": "tf.linalg.lstsq",
    "tf.get_variable": "tf.compat.v1.get_variable",
    "non_max_suppression": "tf.image.non_max_suppression",
    "tf.data.Dataset": "tf.data.Dataset",
    "top_k": "tf.math.top_k",
    "learning_phase": "tf.keras.backend.learning_phase",
    "AdamOptimizer": "tf.compat.v1.train.AdamOptimizer",
}


NEEDS_NODE = pytest.mark.skipif(
    shutil.which("node") is None, reason="node runs the search engine of the site"
)


@NEEDS_NODE
def test_the_search_finds_guides_for_words_and_entries_for_names(built):
    first = search(built, [*PROSE, *OPERATORS])
    drowned = {q: first[q]["location"] for q in PROSE if is_entry(first[q])}
    assert drowned == {}
    assert {query: first[query]["title"] for query in OPERATORS} == OPERATORS


@NEEDS_NODE
def test_the_search_finds_each_question(built):
    questions = re.findall(r"^### (.*)$", (tree.ROOT / "docs/faq.md").read_text(), re.MULTILINE)
    asked = [question.replace("`", "").replace("*", "") for question in questions]
    first = search(built, asked)
    found = [q for q in asked if first[q]["location"].startswith("docs/faq/#")]
    assert len(asked) > 100
    assert len(found) >= 0.95 * len(asked), sorted(set(asked) - set(found))


def is_entry(item):
    return item["location"].startswith(site_search.OPERATORS)


def search(built, queries):
    """The first results of queries, as the site's own script finds them."""
    (engine,) = built.rglob("workers/search.*.js")
    words = ["node", str(pathlib.Path(__file__).with_name("search.js")), str(engine)]
    done = subprocess.run(
        [*words, str(built / "search.json")],
        input=json.dumps(queries),
        capture_output=True,
        text=True,
        check=True,
    )
    items = json.loads((built / "search.json").read_text())["items"]
    found = zip(queries, json.loads(done.stdout), strict=True)
    nothing = {"location": "", "title": ""}
    return {query: items[number] if number >= 0 else nothing for query, number in found}


def test_entries_of_operators_stand_behind_the_guides():
    """The shortest name comes first, and the facts that many entries share are not searched."""
    places = [
        {"location": "docs/operators/nn/", "level": 1, "title": "tf.nn", "text": "", "path": []},
        *(
            {
                "location": f"docs/operators/nn/#{name}",
                "level": 2,
                "title": name,
                "text": f"<pre><code>{name}(x)</code></pre> <p>Text.</p> <ul> <li>Rewriter: TJ401.</li> <li>Dtypes: numbers.</li> </ul>",
                "path": ["Look it up", "Operators", "tf.nn"],
            }
            for name in ("tf.nn.relu6", "tf.nn.relu")
        ),
        {"location": "docs/faq/", "level": 1, "title": "Questions", "text": "", "path": []},
    ]
    arranged = site_search.arranged(places)
    assert [item["title"] for item in arranged] == ["Questions", "tf.nn.relu", "tf.nn.relu6"]
    assert arranged[1]["text"] == (
        "<p>tf.nn.relu</p> <pre><code>(x)</code></pre> <p>Text.</p> <ul> <li>Dtypes: numbers.</li> </ul>"
    )
    assert arranged[1]["path"] == ["Look it up", "Operators"]


def test_the_api_page_is_fresh():
    for path, text in api_page.generate().items():
        assert (tree.ROOT / path).read_text() == text, "run `python -m tools.api_page`"
