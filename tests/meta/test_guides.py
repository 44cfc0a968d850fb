"""The guides of docs/ run from their first block to their last; their pictures are fresh."""

import os
import re

import pytest

from tests.meta import pages, tree
from tools.pictures.__main__ import generate


def test_dynamic_shapes(tmp_path):
    pages.run_python(pages.python_blocks("dynamic_shapes.md"), tmp_path)


class _Migration(pages.Reader):
    """Follow the playbook; what comes after the port was made finds no TensorFlow."""

    def do_sh(self, block):
        if "tf2jax-port prove" in "".join(self.ran):
            (self.folder.parent / "without" / "tensorflow").mkdir(parents=True, exist_ok=True)
            blocked = self.folder.parent / "without" / "tensorflow" / "__init__.py"
            blocked.write_text("raise ImportError('no TensorFlow here')\n")
            self.known["PYTHONPATH"] = f"{blocked.parents[1]}{os.pathsep}{tree.ROOT}"
        super().do_sh(block)


def follow_playbook(tmp_path, skips=lambda line: False):
    (tmp_path / "work").mkdir()
    reader = _Migration(tmp_path / "work", pages.environment(tmp_path), skips)
    reader.follow((tree.ROOT / "docs/playbook.md").read_text())
    model = (tmp_path / "work/port/shop/model.py").read_text()
    assert "tf." not in model
    assert "shims." not in model
    return reader.ran


def test_the_playbook(tmp_path):
    """Without what imports TensorFlow or JAX."""
    runs = re.compile(r"tf2jax-port (?:capture|record|prove|verify)|.*pytest")
    assert len(follow_playbook(tmp_path, runs.match)) == 8


@pytest.mark.long
def test_the_whole_playbook(tmp_path):
    ran = follow_playbook(tmp_path)
    assert len(ran) == 13
    assert all("EQUAL" in text for line, text in ran.items() if "port verify" in line)


def follow_triage(tmp_path, skips=lambda line: False):
    (tmp_path / "work").mkdir()
    reader = pages.Reader(tmp_path / "work", pages.environment(tmp_path), skips)
    reader.follow((tree.ROOT / "docs/triage.md").read_text())
    assert "tensorflow" not in (tmp_path / "work/src/loss.py").read_text()


def test_the_triage(tmp_path):
    follow_triage(tmp_path, re.compile("tf2jax-port diff").match)


@pytest.mark.long
def test_the_whole_triage(tmp_path):
    follow_triage(tmp_path)


def test_the_pictures_are_fresh():
    for path, text in generate().items():
        assert (tree.ROOT / path).read_text() == text, "run `python -m tools.pictures`"


def test_a_block_that_is_wrong_is_seen(tmp_path):
    with pytest.raises(AssertionError):
        pages.run_python(["x = 1", "assert x == 2"], tmp_path)
