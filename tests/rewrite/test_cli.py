"""The commands: exit codes, what goes where, and what happens to files."""

import json
import os
import stat

import pytest
from click.testing import CliRunner

from tf2jax_port.cli import main

CLEAN = "import numpy as np\n\nx = np.zeros(3)\n"
DONE = "import tensorflow as tf\n\ny = tf.square(x)\n"
AFTER = "import jax.numpy as jnp\n\ny = jnp.square(x)\n"
REVIEW = "import tensorflow as tf\n\ny = tf.maximum(x, 0.0)\n"
MANUAL = "import tensorflow as tf\n\ny = tf.foo(x)\n"
BROKEN = "import tensorflow as tf\n\ny = tf.square(\n"


def run(*words):
    return CliRunner().invoke(main, [str(word) for word in words], catch_exceptions=False)


@pytest.fixture
def tree(tmp_path):
    """A folder with a file of each kind."""
    for name, text in {"clean": CLEAN, "done": DONE, "review": REVIEW, "manual": MANUAL}.items():
        (tmp_path / f"{name}.py").write_text(text)
    return tmp_path


EXITS = [
    ("scan", "clean", 0),
    ("scan", "done", 0),
    ("scan", "review", 1),
    ("scan", "manual", 1),
    ("rewrite", "clean", 0),
    ("rewrite", "done", 0),
    ("rewrite", "manual", 1),
    ("rewrite --write", "clean", 0),
    ("rewrite --write", "done", 0),
    ("rewrite --write", "review", 1),
    ("rewrite --write", "manual", 1),
    ("rewrite --check", "clean", 0),
    ("rewrite --check", "done", 1),
    ("scan", "missing", 2),
    ("rewrite", "missing", 2),
    ("rewrite --write", "missing", 2),
]


@pytest.mark.parametrize(("command", "name", "code"), EXITS)
def test_exit_codes(tree, command, name, code):
    assert run(*command.split(), tree / f"{name}.py").exit_code == code


def test_usage_errors_are_2(tree):
    both = run("rewrite", "--write", "--check", tree)
    assert both.exit_code == 2
    assert both.stderr.endswith(
        "Error: --write and --check cannot be combined: remove one of the two options.\n"
    )
    assert run("rewrite").exit_code == 2
    assert run("scan", tree, "--format", "xml").exit_code == 2


def test_without_write_nothing_changes(tree):
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in tree.iterdir()}
    result = run("rewrite", tree)
    assert {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in tree.iterdir()} == before
    path = tree / "done.py"
    assert (
        f"--- {path}\n+++ {path}\n@@ -1,3 +1,3 @@\n-import tensorflow as tf\n"
        "+import jax.numpy as jnp\n \n-y = tf.square(x)\n+y = jnp.square(x)\n"
    ) in result.stdout
    assert result.stderr == (
        f"{tree}/manual.py:3:5: TJ301 tf.foo: TensorFlow has no such name\n"
        f"{tree}/review.py:3:5: TJ201 tf.maximum: at a tie, TensorFlow assigns the whole gradient to the first "
        "operand, and JAX assigns half of the gradient to each operand\n"
        "3 of 4 files to be rewritten. References: 2 rewritten, 1 of them to be reviewed; 1 to write by hand.\n"
    )


def test_check_shows_and_writes_nothing(tree):
    result = run("rewrite", "--check", tree)
    assert (result.exit_code, result.stdout) == (1, "")
    assert (tree / "done.py").read_text() == DONE


def test_colors_on_request(tree, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    result = CliRunner().invoke(main, ["rewrite", str(tree / "done.py")], color=True)
    assert "\x1b[31m-import tensorflow as tf\n\x1b[0m" in result.stdout
    assert "\x1b[32m+import jax.numpy as jnp\n\x1b[0m" in result.stdout


def test_write(tree):
    result = run("rewrite", "--write", tree / "done.py")
    assert (tree / "done.py").read_text() == AFTER
    assert result.stdout == ""
    assert result.stderr == "1 of 1 files rewritten. References: 1 rewritten.\n"
    again = run("rewrite", "--write", tree / "done.py")
    assert again.stderr == "0 of 1 files rewritten. No reference to TensorFlow.\n"


def test_write_leaves_no_other_file_and_does_not_touch_what_stays(tree):
    before = (tree / "clean.py").stat()
    names = sorted(os.listdir(tree))
    run("rewrite", "--write", tree)
    assert sorted(os.listdir(tree)) == names
    assert (tree / "clean.py").stat().st_mtime_ns == before.st_mtime_ns
    assert (tree / "clean.py").stat().st_ino == before.st_ino


@pytest.mark.parametrize("mode", [0o755, 0o600, 0o640])
def test_permissions_stay(tree, mode):
    path = tree / "done.py"
    path.chmod(mode)
    run("rewrite", "--write", path)
    assert path.read_text() == AFTER
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_the_shims_target(tree):
    run("rewrite", "--write", "--target", "shims", tree / "done.py")
    assert (tree / "done.py").read_text() == "import shims as tf\n\ny = tf.square(x)\n"


def test_a_link_inside_the_tree_is_written_through(tree):
    link = tree / "link.py"
    link.symlink_to(tree / "done.py")
    run("rewrite", "--write", link)
    assert link.is_symlink()
    assert (tree / "done.py").read_text() == AFTER


@pytest.mark.parametrize("named", ["the link", "its folder"])
def test_a_link_out_of_the_tree_is_not_followed(tree, tmp_path_factory, named):
    outside = tmp_path_factory.mktemp("outside") / "other.py"
    outside.write_text(DONE)
    link = tree / "link.py"
    link.symlink_to(outside)
    result = run("rewrite", "--write", link if named == "the link" else tree)
    assert outside.read_text() == DONE
    assert f"{link}: TJ906 the path is a link to {outside}, outside of {tree}\n" in result.stderr
    assert result.exit_code == 1


def test_linked_folders_are_not_walked(tree, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    (outside / "other.py").write_text(DONE)
    (tree / "linked").symlink_to(outside, target_is_directory=True)
    run("rewrite", "--write", tree)
    assert (outside / "other.py").read_text() == DONE


def test_folders_that_are_passed_over(tree):
    for folder in (".hidden", "__pycache__", "node_modules", "env"):
        (tree / folder).mkdir()
        (tree / folder / "a.py").write_text(DONE)
    (tree / "env" / "pyvenv.cfg").write_text("")
    document = json.loads(run("scan", tree, "--format", "json").stdout)
    assert document["totals"]["files"] == 4


def test_broken_files_are_reported_and_skipped(tree):
    (tree / "broken.py").write_text(BROKEN)
    (tree / "binary.py").write_bytes(b"tensorflow\0")
    result = run("rewrite", "--write", tree)
    assert result.exit_code == 1
    assert (tree / "done.py").read_text() == AFTER
    assert (tree / "broken.py").read_text() == BROKEN
    assert f"{tree}/broken.py: TJ901 line 3: '(' was never closed\n" in result.stderr
    assert (
        f"{tree}/binary.py: TJ902 the file contains null bytes, so it is not a text file\n"
        in result.stderr
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions do not bind the superuser")
def test_a_file_that_cannot_be_written(tree):
    (tree / "done.py").chmod(0o444)
    result = run("rewrite", "--write", tree / "done.py")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"{tree}/done.py: TJ907 Permission denied\n")


def test_a_failed_write_leaves_the_old_text(tree, monkeypatch):
    def refuse(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    names = sorted(os.listdir(tree))
    result = run("rewrite", "--write", tree / "done.py")
    assert result.exit_code == 2
    assert result.stderr == (
        f"{tree}/done.py: TJ907 No space left on device\n"
        "0 of 1 files rewritten. References: 1 rewritten.\n"
    )
    assert (tree / "done.py").read_text() == DONE
    assert sorted(os.listdir(tree)) == names


def test_json_is_alone_on_standard_output(tree):
    (tree / "broken.py").write_text(BROKEN)
    result = run("scan", tree, "--format", "json")
    document = json.loads(result.stdout)
    assert document["schema"] == 1
    assert document["totals"]["states"] == {
        "rewritten": 1,
        "review": 1,
        "shim": 0,
        "kept": 0,
        "manual": 1,
    }
    assert [skipped["code"] for skipped in document["skipped"]] == ["TJ901"]
    assert "TJ901" in result.stderr


def test_the_report_is_the_ledger(tree):
    report = tree / "ledger.json"
    run("rewrite", tree, "--report", report)
    document = json.loads(report.read_text())
    found = {(f["symbol"], f["state"]) for file in document["files"] for f in file["findings"]}
    assert found == {("tf.square", "rewritten"), ("tf.maximum", "review"), ("tf.foo", "manual")}


def test_explain():
    result = run("explain", "tj101")
    assert result.exit_code == 0
    assert result.stdout.startswith("# TJ101: operator-call\n\nState: rewritten.\n")
    unknown = run("explain", "XX1")
    assert unknown.exit_code == 2
    assert unknown.stderr.endswith("Error: There is no diagnostic `XX1`.\n")


def test_commands_are_listed_and_loaded_by_name():
    commands = ["scan", "plan", "rewrite", "diff", "record", "verify", "capture", "prove", "parity"]
    assert list(main.commands) == [
        *commands,
        "import-graph",
        "weights",
        "explain",
        "doctor",
        "skill",
    ]
    assert main.commands["scan"].name == "scan"
    assert run("brew").exit_code == 2


@pytest.mark.parametrize("name", ["shims.py", "shims/__init__.py"])
def test_a_package_of_the_same_name_is_told(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shims").mkdir()
    (tmp_path / name).write_text("X = 1\n")
    (tmp_path / "a.py").write_text("import tensorflow as tf\ny = tf.boolean_mask(x, m)\n")
    told = " ".join(run("rewrite", "--write", ".").stderr.split())
    assert f"{name} has the name of the package `shims`" in told
    (tmp_path / "b.py").write_text("import tensorflow as tf\ny = tf.square(x)\n")
    assert "has the name" not in run("rewrite", "--write", "b.py").stderr
