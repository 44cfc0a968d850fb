"""`tf2jax-port import-graph`: what it says, what it writes, what it exits with."""

import json
import re

import numpy as np
import pytest
from click.testing import CliRunner

from tests.importing.conftest import normal
from tests.meta import tree
from tf2jax_port.cli import main

PAGE = (tree.ROOT / "docs/import_graph.md").read_text()


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)

    def invoke(line):
        return CliRunner().invoke(main, line.split(), catch_exceptions=False)

    return invoke


def fenced(kind):
    return re.findall(rf"^```{kind}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_the_page(run, tmp_path):
    """Its graph is a file of the page; its commands say what it says, and its program runs."""
    (tmp_path / "model.pbtxt").write_text(fenced("protobuf")[0])
    lines = [line for block in fenced("sh") for line in block.splitlines()]
    assert len(lines) == 3
    for line, shown in zip(lines, fenced("text"), strict=True):
        done = run(line.removeprefix("tf2jax-port "))
        assert (line, done.exit_code) == (line, 0)
        assert done.stdout == shown
    program = fenced("python")
    assert len(program) == 2
    assert program[0] in (tmp_path / "port.py").read_text()
    exec(compile(program[1], "use.py", "exec"), {})


def test_what_is_in_the_way(run, freeze):
    import tensorflow as tf

    freeze(lambda x: tf.random.shuffle(x), normal(3, 4))
    done = run("import-graph model.pb --out port.py --format json")
    assert done.exit_code == 1
    report = json.loads(done.stdout)
    assert report["unsupported"][0]["op"] == "RandomShuffle"
    assert "written" not in report


def test_a_check_that_finds_a_difference(run, freeze, monkeypatch):
    import tensorflow as tf

    from tf2jax_port.importing.rule import template
    from tf2jax_port.importing.writer import RULES

    freeze(lambda x: tf.tanh(x), normal(3, 4))
    np.savez("feeds.npz", **{"x:0": normal(5, 4)})
    assert run("import-graph model.pb --check --data feeds.npz").exit_code == 0
    monkeypatch.setitem(RULES, "Tanh", template("tf.sinh({0}"))
    done = run("import-graph model.pb --check --data feeds.npz")
    assert done.exit_code == 1
    assert "DIFFERENT  y:0  largest difference" in done.stdout


def test_what_cannot_be_read(run, tmp_path):
    (tmp_path / "model.pb").write_bytes(b"\x0f\xff")
    for line in ("model.pb", "none.pb", "model.pb --data model.pb"):
        assert run(f"import-graph {line}").exit_code == 2


def test_a_meta_graph_is_told_as_one(run, tmp_path):
    import tensorflow as tf

    meta = tf.compat.v1.MetaGraphDef()
    meta.graph_def.node.add(name="x", op="Placeholder")
    meta.meta_info_def.tags.append("train")
    (tmp_path / "model.meta").write_bytes(meta.SerializeToString())
    done = run("import-graph model.meta")
    assert done.exit_code == 2
    assert "model.meta is a meta graph of `tf.train.Saver`" in done.output
    assert "codec" not in done.output
