"""Graph programs as a target of their own, and the choice of a target for each file."""

from __future__ import annotations

import json

import jsonschema
import pytest
from click.testing import CliRunner

from tests.rewrite.test_graph_programs import PROGRAM
from tests.scanning.test_ledger_schema import CHECK
from tf2jax_port.cli import main
from tf2jax_port.files.targets import Facts, choose
from tf2jax_port.rewrite import State, rewrite
from tf2jax_port.rewrite.findings.findings import GraphFit, count_states
from tf2jax_port.rewrite.options import Options

GRAPH = Options(target="graph")
HEAD = "import shims.compat.v1 as tf\ntf.disable_v2_behavior()\n"
LACKING = "`shims.compat.v1` builds the graph of this file, but does not have this name"


def written(text: str, options: Options = GRAPH) -> str:
    outcome = rewrite(text.encode(), options)
    for again in (GRAPH, Options(), Options(target="shims")):
        later = rewrite(outcome.data, again)
        assert later.data == outcome.data
        left = [f for f in outcome.findings if f.state is State.MANUAL]
        assert [f[2:6] for f in later.findings] == [f[2:6] for f in left]
    return outcome.data.decode()


def test_a_name_that_is_lacking_does_not_make_the_file_eager():
    text = f"import tensorflow as tf\n\n{PROGRAM}q = tf.ConditionalAccumulator(tf.float32)\nz = tf.square(x)\n"
    marker = f"# TJ336: tf.ConditionalAccumulator: {LACKING}\n"
    expected = text.replace("import tensorflow as tf\n", HEAD).replace("q = tf", f"{marker}q = tf")
    assert written(text) == expected


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import tensorflow.contrib.slim as slim", "import shims.compat.v1.contrib.slim as slim"),
        (
            "from tensorflow.contrib import rnn, slim",
            "from shims.compat.v1.contrib import rnn, slim",
        ),
        (
            "from tensorflow.python.framework import ops",
            "from shims.compat.v1.python.framework import ops",
        ),
        (
            "from tensorflow.python.ops import (\n    array_ops,\n)",
            "from shims.compat.v1.python.ops import (\n    array_ops,\n)",
        ),
        (
            "from tensorflow.contrib import rnn, nothing as n\nn",
            "from shims.compat.v1.contrib import rnn\nfrom tensorflow.contrib import nothing as n\n"
            f"# TJ336: tf.contrib.nothing: {LACKING}\nn",
        ),
        ("from tensorflow.contrib import rnn, nothing", "from shims.compat.v1.contrib import rnn"),
        ("from tensorflow.python.client import timeline\nimport os", "import os"),
        ("import tensorflow.nothing as n", "import tensorflow.nothing as n"),
        ("slim = tf.contrib.slim", "slim = tf.contrib.slim"),
    ],
)
def test_imports_of_parts(before, after):
    text = f"import tensorflow as tf\n{before}\n\nx = tf.placeholder(tf.float32)\n"
    assert written(text) == f"{HEAD}{after}\n\nx = tf.placeholder(tf.float32)\n"


def test_a_name_through_an_import_that_stays_is_left():
    text = (
        "import tensorflow as tf\nfrom tensorflow.keras.layers import Dense\n\n"
        "x = tf.placeholder(tf.float32)\ny = Dense(3)(x)\n"
    )
    assert written(text) == (
        f"{HEAD}from tensorflow.keras.layers import Dense\n\nx = tf.placeholder(tf.float32)\n"
        f"# TJ336: tf.keras.layers.Dense: {LACKING}\ny = Dense(3)(x)\n"
    )


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("from tensorflow import *\n", "a star import hides"),
        ("y = tf.square(x)  # tf2jax: ignore\n", "a comment excludes"),
        ("import shims\n", "an earlier run"),
    ],
)
def test_a_file_that_cannot_be_a_whole_stays(line, why):
    text = f"import tensorflow as tf\n\nx = tf.placeholder(tf.float32)\n{line}"
    outcome = rewrite(text.encode(), GRAPH)
    assert {(f.state, f.code) for f in outcome.findings} == {(State.MANUAL, "TJ336")}
    assert all(why in f.message for f in outcome.findings)
    code = [n for n in outcome.data.decode().splitlines() if not n.lstrip().startswith("# TJ")]
    assert code == text.splitlines()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("x = tf.placeholder(tf.float32)", "needed"),
        ("collection = tf.GraphKeys.LOCAL_VARIABLES", "needed"),
        ("y = tf.nn.relu(x)", "possible"),
        ("y = tf.div(x, 2)", "possible"),
        ("with tf.GradientTape() as tape: tf.log(x)", "no"),
        ("tf.enable_eager_execution(); o = tf.train.AdamOptimizer()", "no"),
        ("y = tf.keras.layers.Dense(3)", "no"),
        ("y = tf.compat.v1.placeholder(tf.float32) + tf.random.normal([3])", "no"),
        ("y = tf.compat.v2.square(x)", "no"),
    ],
)
def test_what_says_that_a_file_builds_a_graph(text, kind):
    assert rewrite(f"import tensorflow as tf\n\n{text}\n".encode()).graph.kind == kind


def facts(kind: str, spreads: bool = True) -> Facts:
    states = count_states(())
    names = ("tf.Session",) if kind == "needed" else ()
    return Facts(
        GraphFit(kind, names, spreads and kind == "needed"),
        dict.fromkeys(("jax", "shims", "graph"), states),
    )


def test_files_of_one_program_are_converted_together():
    files = {n: facts("possible") for n in ("ops", "alone", "both", "far")}
    files |= {
        "main": facts("needed"),
        "old": facts("needed", False),
        "eager": facts("no"),
        "near": facts("possible"),
    }
    imports = [("main", "ops"), ("main", "plain"), ("plain", "far"), ("both", "main")]
    imports += [("eager", "both"), ("old", "near")]
    found = {name: choice.target for name, choice in choose(files, imports).items()}
    graph = {"main", "old", "ops", "far"}
    assert found == {name: "graph" if name in graph else "jax" for name in files}


def test_the_fewest_places_decide_between_eager_targets():
    def of(jax: int, shims: int) -> str:
        states = {
            "jax": {**count_states(()), "manual": jax},
            "shims": {**count_states(()), "manual": shims},
        }
        return choose({"a": Facts(GraphFit(), states)})["a"].target

    assert [of(0, 0), of(3, 3), of(2, 5), of(5, 2)] == ["jax", "jax", "jax", "shims"]


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "ops.py").write_text(
        "import tensorflow as tf\n\n\ndef f(x):\n    return tf.square(x)\n"
    )
    (tmp_path / "eager.py").write_text("import tensorflow as tf\n\ny = tf.exp([1.0])\n")
    (tmp_path / "train.py").write_text(
        f"import tensorflow as tf\nfrom ops import f\n\n{PROGRAM}f(x)\n"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str):
    return CliRunner().invoke(main, list(words), catch_exceptions=False)


def test_auto_follows_the_recommendation(project):
    result = run("rewrite", ".", "--write", "--target", "auto", "--report", "ledger.json")
    assert result.exit_code == 0
    assert (
        "train.py: graph: the file builds a graph: `tf.placeholder`, `tf.variable_scope`"
        in result.stderr
    )
    assert (
        "ops.py: graph: the code of this file runs in the graph that `train.py` builds"
        in result.stderr
    )
    assert (project / "ops.py").read_text().startswith(HEAD)
    assert (project / "train.py").read_text().startswith(HEAD)
    assert "jnp.exp" in (project / "eager.py").read_text()
    document = json.loads((project / "ledger.json").read_text())
    CHECK.validate(document)
    assert document["target"] == "auto"
    chosen = {f["path"]: (f["target"], f["recommended"]["target"]) for f in document["files"]}
    assert chosen == {
        n: (t, t) for n, t in (("eager.py", "jax"), ("ops.py", "graph"), ("train.py", "graph"))
    }


def test_a_scan_without_a_target_compares_all(project):
    document = json.loads(run("scan", ".", "--format", "json").stdout)
    CHECK.validate(document)
    (train,) = (f for f in document["files"] if f["path"] == "train.py")
    assert (train["target"], train["recommended"]["target"]) == ("jax", "graph")
    manual = {t: s["manual"] for t, s in train["recommended"]["states"].items()}
    assert manual["graph"] == 0 < manual["jax"]
    train["recommended"]["target"] = "auto"
    with pytest.raises(jsonschema.ValidationError):
        CHECK.validate(document)
    assert (
        "`--target auto` would choose jax for 1, graph for 2, of 3 files."
        in run("scan", ".").stderr
    )
    assert "recommended" not in run("scan", ".", "--format", "json", "--target", "jax").stdout


def test_the_page_and_the_plan_name_targets(project):
    run("scan", ".", "--html", "page.html")
    page = (project / "page.html").read_text()
    assert '<h2 id="targets">Targets</h2>' in page
    advice = page.index("Share that each target handles: jax")
    assert page.index("<h1>") < advice < page.index('id="filter"')  # before one reads what is left
    assert "code of this file runs in the graph that <code>train.py</code> builds" in page
    document = json.loads(run("plan", ".", "--format", "json", "--target", "auto").stdout)
    assert [s["targets"] for s in document["steps"]] == [["jax"], ["graph"], ["graph"]]
    (project / "pyproject.toml").write_text("[tool.tf2jax-port]\ntarget = 'auto'\n")
    assert "train.py (graph)" in run("plan", ".").stdout


def test_standard_input_has_a_target_of_its_own():
    text = f"import tensorflow as tf\n\n{PROGRAM}"
    result = CliRunner().invoke(main, ["rewrite", "-", "--target", "auto"], input=text)
    assert result.stdout == text.replace("import tensorflow as tf\n", HEAD)
