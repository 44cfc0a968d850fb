"""Trees of odd files are scanned and rewritten to their end, and no file is lost or half written."""

import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from tests.hard_knocks import full_disks, kills, odd_trees
from tests.meta import tree
from tf2jax_port.cli import main


def run(*command):
    done = CliRunner().invoke(main, [str(part) for part in command])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def test_an_odd_tree_is_rewritten(tmp_path):
    before = odd_trees.write(tmp_path)
    for command in ("scan", "plan", "rewrite"):
        done = run(command, tmp_path)
        assert done.exit_code == 2  # some files could not be read
        assert odd_trees.read(tmp_path, before) == before
        for name in (*odd_trees.REFUSED, *odd_trees.NO_FILES):
            assert f"{os.fsdecode(name)}: TJ9" in done.stderr
    assert run("rewrite", "--write", tmp_path).exit_code == 2
    after = odd_trees.read(tmp_path, before)
    for name, data in after.items():
        if name in odd_trees.REWRITTEN:
            assert b"tensorflow" not in data, name
            compile(data, os.fsdecode(name), "exec")
        else:
            assert data == before[name]
    assert os.readlink(tmp_path / "link.py") == "good.py"
    assert (tmp_path / "second_name.py").read_bytes() == after[b"good.py"]
    names = {os.fsencode(entry.name) for entry in tmp_path.iterdir()}
    links = {b"link.py", b"loop", b"second_name.py", b"folder.py"}
    assert names == {*before, *odd_trees.NO_FILES, *links}
    run("rewrite", "--write", tmp_path)
    assert odd_trees.read(tmp_path, before) == after


@pytest.mark.parametrize(
    "command",
    [
        ("scan", "--output-format", "sarif"),
        ("scan", "--output-format", "github"),
        ("scan", "--html", "page.html"),
        ("plan", "--html", "page.html"),
        ("rewrite", "--report", "report.json"),
    ],
)
def test_reports_of_an_odd_tree(command, tmp_path, monkeypatch):
    (tmp_path / "tree").mkdir()
    odd_trees.write(tmp_path / "tree")
    monkeypatch.chdir(tmp_path)
    done = run(command[0], "tree", *command[1:])
    assert done.exit_code == 2
    assert "This is an error" not in done.stderr
    for report in tmp_path.glob("*.*"):
        assert "undecodable" in report.read_text()


@pytest.mark.parametrize("name", kills.WRITERS)
def test_a_full_disk_leaves_the_file_that_was_there(name, tmp_path):
    command = [sys.executable, "-m", "tests.hard_knocks.full_disks", name, str(tmp_path / "file")]
    known = dict(os.environ, PYTHONPATH=str(tree.ROOT), JAX_PLATFORMS="cpu")
    done = subprocess.run(
        command, cwd=tree.ROOT, env=known, capture_output=True, text=True, check=True
    )
    assert done.stdout == "refused"
    assert kills.WRITERS[name][1](tmp_path / "file") == 1.0
    assert not [f for f in tmp_path.iterdir() if f.stat().st_size == full_disks.BYTES]


def test_a_rewrite_on_a_full_disk_says_which_file(tmp_path):
    big = odd_trees.PROGRAM + b"# " + b"x" * 2 * full_disks.BYTES + b"\n"
    (tmp_path / "a.py").write_bytes(big)
    (tmp_path / "b.py").write_bytes(odd_trees.PROGRAM)
    limited = (
        "import resource, sys; from tf2jax_port.cli import main; "
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({full_disks.BYTES},) * 2); main(sys.argv[1:])"
    )
    done = subprocess.run(
        [sys.executable, "-c", limited, "rewrite", "--write", str(tmp_path)],
        env=dict(os.environ, PYTHONPATH=str(tree.ROOT)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert "a.py" in done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "a.py").read_bytes() == big
    assert {f.name for f in tmp_path.iterdir()} == {"a.py", "b.py"}
