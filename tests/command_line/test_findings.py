"""What `scan` prints by default: places, groups of reviews, misspelled words; and counts on request."""

import json
import re

import pytest

PROGRAM = """import tensorflow as tf


def f(x):
    y = tf.reduce_summ(x)
    z = tf.reduce_sum(x, axs=1)
    x = tf.maximum(x, y)
    return tf.maximum(x, tf.square(z))
"""
TIE = (
    "at a tie, TensorFlow assigns the whole gradient to the first operand, and JAX assigns half of the gradient to "
    "each operand"
)


@pytest.fixture
def program(folder):
    (folder / "a.py").write_text(PROGRAM)
    return folder


def test_findings_come_with_their_places(program, run):
    result = run("scan", "a.py")
    assert result.stdout.splitlines() == [
        "a.py:5:9: TJ301 tf.reduce_summ: TensorFlow has no such name: did you mean `tf.reduce_sum`?",
        "      y = tf.reduce_summ(x)",
        "          ^^^^^^^^^^^^^^",
        "a.py:6:9: TJ302 tf.reduce_sum: the rewriter does not support the argument `axs`: did you mean "
        "`axis`?",
        "      z = tf.reduce_sum(x, axs=1)",
        "                           ^^^",
        f"a.py:7:9: TJ201 tf.maximum: {TIE}",
        "    also at 8:12",
    ]
    assert result.stderr == (
        "5 references in 1 of 1 files: 2 to write by hand, 2 to review. `tf2jax-port rewrite --write` handles 60 "
        "%.\n"
        "To prove the port of a function, keep a copy of the original file and run `tf2jax-port diff a_tf.py:FUNCTION "
        "a.py:FUNCTION --inputs CASES`. For classes and programs: before you rewrite the code, run `tf2jax-port "
        "capture --package a -o calls.npz -- python PROGRAM`, and after rewriting, run `tf2jax-port prove calls.npz "
        "FOLDER`.\n"
    )
    assert run("scan", "a.py", "-q").stderr == ""


def test_all_and_without_groups(program, run):
    places = re.findall(r"^a.py:(\d+)", run("scan", "a.py", "--all").stdout, re.MULTILINE)
    assert places == ["5", "6", "7", "8", "8"]
    single = run("scan", "a.py", "--no-group").stdout
    assert "also at" not in single
    assert f"a.py:8:12: TJ201 tf.maximum: {TIE}" in single


def test_only_what_a_baseline_does_not_list_counts(program, run):
    (program / "known.json").write_text(run("scan", "a.py", "--format", "json").stdout)
    same = run("scan", "a.py", "--baseline", "known.json")
    assert (same.exit_code, same.stdout) == (0, "")
    assert "4 findings of known.json not shown, 0 new." in same.stderr
    source = program / "a.py"
    source.write_text("\n\n" + source.read_text() + "    return tf.reduce_summ(x)\n")
    new = run("scan", "a.py", "--baseline", "known.json")
    assert new.exit_code == 1
    assert re.findall(r"^a.py:(\d+):\d+: (TJ\d+)", new.stdout, re.MULTILINE) == [("11", "TJ301")]
    found = json.loads(run("scan", "a.py", "--baseline", "known.json", "--format", "json").stdout)
    assert [len(file["findings"]) for file in found["files"]] == [1]


@pytest.mark.parametrize("text", ["{}", "[1]", '{"files": [{}]}', "not JSON"])
def test_a_baseline_is_a_ledger(program, run, text):
    (program / "known.json").write_text(text)
    result = run("scan", "a.py", "--baseline", "known.json")
    assert result.exit_code == 2
    assert "known.json is not a ledger" in " ".join(result.stderr.split())


def test_a_narrow_terminal(program, run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    for words in (["--all"], [], ["--statistics"], ["--overview"]):
        result = run("scan", "a.py", *words)
        assert max(map(len, (result.stdout + result.stderr).splitlines())) <= 60


def test_statistics(program, run):
    result = run("scan", "a.py", "--statistics")
    assert result.stdout.splitlines() == [
        "      2  TJ201  review     corner-differs",
        "      1  TJ101  rewritten  operator-call",
        "      1  TJ301  manual     name-without-rule",
        "      1  TJ302  manual     argument-without-rule",
    ]
    assert run("scan", "a.py", "--statistics", "--format", "json").exit_code == 2


def test_github(program, run):
    first, *_, last = run("scan", "a.py", "--output-format", "github").stdout.splitlines()
    assert first == (
        "::error title=tf2jax-port TJ301,file=a.py,line=5,col=9::a.py:5:9: tf.reduce_summ: "
        "TensorFlow has no such name: did you mean `tf.reduce_sum`?"
    )
    assert last.startswith("::warning title=tf2jax-port TJ201,file=a.py,line=8,col=12::")


FAILING = [
    ("maximum(x, y)", (0, 1, 1)),
    ("foo(x)", (1, 1, 1)),
    ("square(x)", (0, 0, 1)),
    ("while_loop(c, b, x)", (0, 0, 1)),
    ("data.Dataset.range(3)", (0, 0, 1)),
    ("foo(x)  # tf2jax: ignore", (0, 0, 1)),
]


@pytest.mark.parametrize(("line", "codes"), FAILING)
@pytest.mark.parametrize("command", ["scan", "plan", "rewrite"])
def test_fail_on(folder, run, command, line, codes):
    (folder / "a.py").write_text(f"import tensorflow as tf\n\ntf.{line}\n")
    found = [
        run(command, ".", "--fail-on", level).exit_code for level in ("manual", "review", "any")
    ]
    assert tuple(found) == codes


@pytest.mark.parametrize(("line", "code"), [("square(x)", 0), ("data.Dataset.range(3)", 1)])
def test_any_does_not_count_what_is_written(folder, run, line, code):
    (folder / "a.py").write_text(f"import tensorflow as tf\n\ntf.{line}\n")
    assert run("rewrite", ".", "--write", "--fail-on", "any").exit_code == code


def test_any_fails_on_no_code_without_tensorflow(folder, run):
    (folder / "a.py").write_text("import jax.numpy as jnp\nimport shims\n\nshims.square(x)\n")
    assert run("scan", ".", "--fail-on", "any").exit_code == 0


@pytest.mark.parametrize("form", ["text", "github"])
def test_what_makes_a_scan_fail_is_shown(folder, run, form):
    code = "import tensorflow as tf\n\ntf.square(x)\n"
    (folder / "a.py").write_text(code)
    (folder / "known.json").write_text(run("scan", ".", "--format", "json").stdout)
    arguments = ("scan", ".", "--output-format", form, "--fail-on", "any")
    assert "TJ101" in run(*arguments).stdout
    assert "TJ101" not in run(*arguments[:-2]).stdout
    known = run(*arguments, "--baseline", "known.json")
    assert (known.exit_code, known.stdout) == (0, "")
    (folder / "a.py").write_text(code + "tf.data.Dataset.range(3)\n")
    new = run(*arguments, "--baseline", "known.json")
    assert new.exit_code == 1
    assert re.findall(r"TJ\d+", new.stdout) == ["TJ521"]
