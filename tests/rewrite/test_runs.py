"""Runs over many files: the same results by one process and by several, and no memory kept."""

import dataclasses
import os
import tracemalloc

import pytest

from tf2jax_port.files import code_base, runs
from tf2jax_port.rewrite.findings.ledger import Skipped
from tf2jax_port.rewrite.options import Options

FILES = 40


@pytest.fixture
def places(tmp_path):
    """Files of which every third has something that cannot be read, or that another file hands on."""
    (tmp_path / "compat.py").write_text("import tensorflow.compat.v1 as tf\n")
    for n in range(FILES):
        text = f"from compat import tf\ny{n} = tf.square(x)\nz = tf.foo{n}(y)\n"
        (tmp_path / f"a{n:02}.py").write_text(text if n % 3 else "import tensorflow\ny = (\n")
    return list(code_base.find_files([str(tmp_path)]))


@pytest.mark.parametrize("texts", [True, False])
def test_several_processes_give_the_same(places, texts):
    alone = list(runs.run_over(places, Options(), texts=texts, jobs=1))
    several = list(runs.run_over(places, Options(), texts=texts, jobs=3))
    assert several == alone
    assert len(alone) == FILES + 1
    assert sum(isinstance(result, Skipped) for result in alone) == 14


def test_without_a_number_short_runs_start_no_process(places, monkeypatch):
    def refuse(*arguments):
        raise AssertionError("a process was started")

    monkeypatch.setattr(runs, "_pool", refuse)
    monkeypatch.setattr(runs, "_PATIENCE", 60.0)
    assert len(list(runs.run_over(places, Options(), jobs=None))) == FILES + 1


def test_without_a_number_long_runs_are_shared(places, monkeypatch):
    monkeypatch.setattr(runs, "_PATIENCE", 0.0)
    monkeypatch.setattr(runs, "_processors", lambda: 2)
    alone = list(runs.run_over(places, Options(), jobs=1))
    assert list(runs.run_over(places, Options(), jobs=None)) == alone


@dataclasses.dataclass(frozen=True, slots=True)
class Deadly(Options):
    """Options that end the process which reads one of the files."""

    def for_file(self, file):
        if file.name == "a20.py":
            os._exit(3)
        return self


def test_a_process_that_dies_takes_one_file_with_it(places):
    alone = list(runs.run_over(places, Options(), jobs=1))
    found = list(runs.run_over(places, Deadly(), jobs=2))
    (index,) = [n for n, (path, _) in enumerate(places) if path.name == "a20.py"]
    assert found[index] == Skipped(
        str(places[index][0]),
        "TJ905",
        "the process that read the file crashed; expressions in the file may be nested too deeply",
    )
    assert found[:index] + found[index + 1 :] == alone[:index] + alone[index + 1 :]


def test_a_run_that_nobody_ends_ends_its_processes(places):
    results = runs.run_over(places, Options(), jobs=2)
    next(results)
    results.close()


def peak(folder, files):
    """Most bytes that a run holds at once, results not kept."""
    folder.mkdir()
    text = "import tensorflow as tf\n" + "y = tf.square(x) + tf.foo(x, [1, 2, 3])\n" * 60
    for n in range(files):
        (folder / f"a{n}.py").write_text(text)
    places = list(code_base.find_files([str(folder)]))
    tracemalloc.start()
    for _ in runs.run_over(places, Options(), texts=False):
        pass
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def test_memory_does_not_grow_with_the_number_of_files(tmp_path):
    peak(tmp_path / "warm", 5)
    few, many = peak(tmp_path / "few", 10), peak(tmp_path / "many", 60)
    # A path and the names that it imports are kept; a file's tree has a megabyte.
    assert many - few < 60 * 5_000


def test_the_memory_test_can_fail(tmp_path):
    assert peak(tmp_path / "few", 1) > 500_000
