"""The programs of the pages about state and optimizers run, block after block."""

import re

import pytest

from tests.facade.test_keras import run as run_process
from tests.meta import tree
from tests.meta.pages import Reader, environment
from tests.meta.pages import python_blocks as blocks
from tests.meta.pages import run_python as run

pytest.importorskip("optax", reason="Optax is not installed")


def test_state(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = run(blocks("state.md"), tmp_path)
    assert float(names["restored"].total) == 12
    assert (tmp_path / "counter.npz").exists()


def test_optimizers(tmp_path):
    names = run(blocks("optimizers.md")[4:5], tmp_path)
    assert float(names["loss"]) == 9
    assert names["w"].numpy().tolist() == pytest.approx([0.4, 1.4])


def test_optimizers_of_keras_over_variables():
    of_variables, _, _, of_schedule = blocks("optimizers.md")[3:]
    program = f"{of_variables}\n{of_schedule}\nprint(*map(float, w.numpy()), float(x[1]))\n"
    scheduled = 1 - sum(0.1 * 0.5 ** (step / 10) for step in range(25))
    expected = pytest.approx([0.9, 1.9, scheduled], abs=1e-6)
    assert list(map(float, run_process(program).split())) == expected


@pytest.mark.long
def test_optimizers_of_keras():
    program = blocks("optimizers.md")[5] + "\nprint(*map(float, values[0]))\n"
    first, second = map(float, run_process(program).split())
    assert first < 1
    assert 0 < 2 - second < 0.2


LIMITED = 3


def read_proofs_of_keras(tmp_path, monkeypatch, skips):
    monkeypatch.setenv("KERAS_BACKEND", "jax")  # as the page says at its beginning
    text = (tree.ROOT / "docs/keras.md").read_text()
    (tmp_path / "work").mkdir()
    reader = Reader(tmp_path / "work", environment(tmp_path), skips)
    reader.most = LIMITED
    reader.follow(text[text.index("## Proving") :])
    return reader.ran


def test_a_layer_is_captured_and_proved(tmp_path, monkeypatch):
    compares = re.compile(r"tf2jax-port (?:diff|record|verify)")
    assert len(read_proofs_of_keras(tmp_path, monkeypatch, compares.match)) == 3


@pytest.mark.long
def test_a_loss_is_compared_recorded_and_verified(tmp_path, monkeypatch):
    assert len(read_proofs_of_keras(tmp_path, monkeypatch, lambda line: False)) == 6
