"""Trees that are large, that cannot be written, and that other programs change meanwhile."""

import os
import threading

import pytest
from click.testing import CliRunner

from tests.hard_knocks import large_trees
from tf2jax_port.cli import files as cli_files
from tf2jax_port.cli import main
from tf2jax_port.files import code_base
from tf2jax_port.paths.whole_files import ChangedMeanwhileError
from tf2jax_port.rewrite.options import Options

OLD = "import tensorflow as tf\n\ny = tf.square(x)\n"
NEW = "import jax.numpy as jnp\n\ny = jnp.square(x)\n"


def run(*words):
    done = CliRunner().invoke(main, list(map(str, words)))
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def check_commands(folder, count, most_memory):
    """Run each command over a tree of many files; return the processor seconds of each."""
    using = large_trees.write(folder, count)
    found = {}
    for words in (("scan",), ("plan",), ("rewrite", "--check")):
        code, output, seconds, peak = large_trees.run(folder, *words)
        assert code == (1 if "--check" in words else 0), output[-2000:]
        assert peak < most_memory, words
        found[words[0]] = seconds
    assert f"{using:,} of {count:,} files" in output or f"{using} of {count} files" in output
    return found


def test_a_tree_of_a_thousand_files(tmp_path):
    large_trees.write(tmp_path, 1000)
    code, output, _, peak = large_trees.run(tmp_path, "rewrite", "--check")
    assert (code, "100 of 1000 files to be rewritten" in output.replace(",", "")) == (1, True), (
        output
    )
    assert peak < 300


@pytest.mark.long
def test_a_tree_of_a_hundred_thousand_files(tmp_path):
    """Ten times the files take about ten times the time, and not much more memory."""
    (tmp_path / "less").mkdir()
    (tmp_path / "more").mkdir()
    less = check_commands(tmp_path / "less", 10_000, 700)
    more = check_commands(tmp_path / "more", 100_000, 1500)
    for name, seconds in less.items():
        assert more[name] < 20 * seconds + 10, name


@pytest.mark.long
@pytest.mark.parametrize("words", [("scan",), ("plan",), ("rewrite", "--write")])
def test_interrupted_in_a_large_tree(words, tmp_path):
    large_trees.write(tmp_path, 20_000)
    for after in (0.3, 2.0, 5.0):
        code, seconds = large_trees.interrupted(tmp_path, *words, after=after)
        assert code != 0
        assert seconds < 20
    assert {path.suffix for path in tmp_path.rglob("*.*")} == {".py"}


def entry_of(path, root):
    return code_base.run_one(path, root, Options())


@pytest.fixture
def places(tmp_path):
    """A tree with a file in a folder, and a folder outside with a file that is the same."""
    inside, outside = tmp_path / "tree", tmp_path / "outside"
    for folder in (inside / "package", outside):
        folder.mkdir(parents=True)
        (folder / "a.py").write_text(OLD)
    return inside, outside


def _link_for_file(inside, outside):
    (inside / "package" / "a.py").unlink()
    (inside / "package" / "a.py").symlink_to(outside / "a.py")


def _link_for_folder(inside, outside):
    (inside / "package").rename(inside.parent / "moved")
    (inside / "package").symlink_to(outside, target_is_directory=True)


@pytest.mark.parametrize("swap", [_link_for_file, _link_for_folder])
def test_a_link_to_outside_that_comes_between_reading_and_writing(swap, places):
    """The file outside has the content that the rewriter has read, and stays as it is all the same."""
    inside, outside = places
    entry = entry_of(inside / "package" / "a.py", inside)
    swap(inside, outside)
    with pytest.raises(ChangedMeanwhileError):
        cli_files.write_entry(entry)
    assert (outside / "a.py").read_text() == OLD
    assert [path.name for path in outside.iterdir()] == ["a.py"]


@pytest.mark.parametrize("swap", [_link_for_file, _link_for_folder])
def test_a_link_that_comes_while_a_file_is_written(swap, places, monkeypatch):
    """Links are swapped in at the last moment: after the path was resolved, and before the file is opened."""
    inside, outside = places
    entry = entry_of(inside / "package" / "a.py", inside)
    usual, swapped = os.open, []

    def open_later(path, *arguments, **options):
        if not swapped:
            swapped.append(swap(inside, outside))
        return usual(path, *arguments, **options)

    monkeypatch.setattr(os, "open", open_later)
    with pytest.raises((OSError, ChangedMeanwhileError)):
        cli_files.write_entry(entry)
    assert (outside / "a.py").read_text() == OLD
    assert [path.name for path in outside.iterdir()] == ["a.py"]


def test_links_that_change_while_a_tree_is_rewritten(places):
    """One program swaps a folder and a link to outside, again and again, while another rewrites."""
    inside, outside = places
    real, away, done = inside / "package", inside.parent / "away", threading.Event()

    def swap():
        while not done.is_set():
            real.rename(away)
            real.symlink_to(outside, target_is_directory=True)
            real.unlink()
            away.rename(real)

    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        for _ in range(30):
            run("rewrite", "--write", inside, "--isolated")
            entry = code_base.run_one(real / "a.py", inside, Options())
            if hasattr(entry, "outcome"):
                try:
                    cli_files.write_entry(entry)
                except (ChangedMeanwhileError, OSError):
                    continue
    finally:
        done.set()
        swapper.join()
    assert (outside / "a.py").read_text() == OLD
    assert [path.name for path in outside.iterdir()] == ["a.py"]
    assert (real / "a.py").read_text() in (OLD, NEW)


def test_files_that_vanish(tmp_path, monkeypatch):
    """Between listing and reading, and between reading and writing: each is named, and the rest is rewritten."""
    for name in "abc":
        (tmp_path / f"{name}.py").write_text(OLD)
    listed = list(code_base.find_files([str(tmp_path)]))

    def find(*_):
        (tmp_path / "a.py").unlink()
        return listed

    write = cli_files.write_entry

    def late(entry):
        (tmp_path / "b.py").unlink(missing_ok=True)
        write(entry)

    monkeypatch.setattr(code_base, "find_files", find)
    monkeypatch.setattr("tf2jax_port.cli.changes.write_entry", late)
    done = run("rewrite", "--write", tmp_path)
    assert done.exit_code == 2
    for name in ("a.py", "b.py"):
        assert f"{name}: TJ907 No such file or directory" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["c.py"]
    assert (tmp_path / "c.py").read_text() == NEW


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_tree_that_cannot_be_written(tmp_path):
    (tmp_path / "a.py").write_text(OLD)
    (tmp_path / "a.py").chmod(0o444)
    tmp_path.chmod(0o555)
    try:
        done = run("rewrite", "--write", tmp_path)
    finally:
        tmp_path.chmod(0o755)
    assert (done.exit_code, "a.py: TJ907 Permission denied" in done.stderr) == (2, True)
    assert (tmp_path / "a.py").read_text() == OLD


def test_a_file_system_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "a.py").write_text(OLD)
    usual = os.open

    def refuse(path, flags, *arguments, **options):
        if flags & os.O_CREAT:
            raise OSError(30, "Read-only file system", path)
        return usual(path, flags, *arguments, **options)

    monkeypatch.setattr(os, "open", refuse)
    done = run("rewrite", "--write", tmp_path)
    assert (done.exit_code, "a.py: TJ907 Read-only file system" in done.stderr) == (2, True)
    assert (tmp_path / "a.py").read_text() == OLD


def test_loops_of_folders(tmp_path):
    (tmp_path / "a.py").write_text(OLD)
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "up").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "itself").symlink_to(tmp_path / "itself")
    done = run("rewrite", "--write", tmp_path)
    assert (done.exit_code, "1 of 1 files rewritten" in done.stderr) == (0, True)
