"""The guides of docs/ run from their first block to their last; their pictures are fresh."""

import importlib.util
import os
import re

import pytest

from tests.facade.test_keras import run as run_process
from tests.meta import pages, tree
from tools.pictures.__main__ import generate


@pytest.mark.parametrize("page", ["dynamic_shapes", "serving", "mixed_precision", "summaries"])
def test_a_guide(page, tmp_path):
    pages.run_python(pages.python_blocks(f"{page}.md"), tmp_path)


def test_the_answers_of_the_faq(tmp_path):
    pytest.importorskip("optax", reason="Optax is not installed")
    pages.run_python(pages.python_blocks("faq.md"), tmp_path)


@pytest.mark.long
def test_several_devices(tmp_path):
    """In a process of its own, because the number of devices is fixed when JAX starts."""
    program = tmp_path / "program.py"
    program.write_text("".join(pages.python_blocks("devices.md")))
    run_process(f"import runpy; runpy.run_path({str(program)!r})")


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


LIBRARIES = pages.python_blocks("libraries.md")


@pytest.mark.parametrize(
    ("library", "numbers"),
    [
        ("flax", (1, 2)),
        ("equinox", (3,)),
        ("optax", (5,)),
        ("grain", (6,)),
        ("orbax.checkpoint", (7,)),
    ],
)
def test_with_a_library(library, numbers, tmp_path):
    pytest.importorskip(library, reason=f"{library} is not installed")
    pytest.importorskip("optax", reason="Optax is not installed")
    pages.run_python([LIBRARIES[0], *(LIBRARIES[n] for n in numbers)], tmp_path)


@pytest.mark.long
def test_with_keras(tmp_path):
    pytest.importorskip("keras", reason="Keras is not installed")
    program = tmp_path / "program.py"
    program.write_text(LIBRARIES[0] + LIBRARIES[4])
    run_process(f"import runpy; runpy.run_path({str(program)!r})", KERAS_BACKEND="jax")


@pytest.mark.long
def test_from_keras(tmp_path):
    """The programs of Flax run if it is installed; the others compare with Keras alone."""
    pytest.importorskip("optax", reason="Optax is not installed")
    blocks = pages.python_blocks("from_keras.md")
    is_here = importlib.util.find_spec("flax") is not None
    program = tmp_path / "program.py"
    program.write_text("".join(b for b in blocks if is_here or "from flax" not in b))
    run_process(f"import runpy; runpy.run_path({str(program)!r})", KERAS_BACKEND="jax")


def test_every_program_with_a_library_is_run():
    assert len(LIBRARIES) == 8


def test_the_pictures_are_fresh():
    for path, text in generate().items():
        assert (tree.ROOT / path).read_text() == text, "run `python -m tools.pictures`"


def test_a_block_that_is_wrong_is_seen(tmp_path):
    with pytest.raises(AssertionError):
        pages.run_python(["x = 1", "assert x == 2"], tmp_path)
