"""The tables of a scan, and what a share says."""

import pytest

from tf2jax_port.scanning.effort import share


def lines_of(result):
    return [" ".join(line.split()) for line in result.stdout.splitlines()]


def test_the_tables(project, run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "110")
    result = run("scan", ".", "--overview")
    *lines, first, second, third = lines_of(result)
    assert lines == [
        "TensorFlow references",
        "state references share meaning",
        "rewritten 1 14 % JAX has the same operator",
        "review 1 14 % rewritten; the message names a difference to review",
        "shim 1 14 % a function of `shims`, with TensorFlow's results",
        "kept 1 14 % not changed on purpose, still uses TensorFlow",
        "manual 3 43 % to write by hand",
        "all 7",
        "",
        "Effort by file: 1 to write by hand, 1/4 to review",
        "file rewritten review shim kept manual effort",
        "app/deep/model.py 1 1 2 2",
        "train.py 1 1",
        "app/corner.py 1 0.25",
        "app/ops.py 1 0",
        "all 1 1 1 1 3 3.25",
        "",
        "References that each target handles",
        "file jax shims graph recommended why",
        "app/deep/model.py 50 % 50 % jax with JAX, 2 references need manual work (the minimum)",
        "app/corner.py 100 % 100 % 100 % jax with JAX, no reference needs manual work",
        "app/ops.py 100 % 100 % 100 % jax with JAX, no reference needs manual work",
        "train.py 0 % 0 % jax with JAX, 1 reference needs manual work (the minimum)",
        "",
        "To write by hand",
        "name references files code why",
        "tf.foo 3 2 TJ301 TensorFlow has no such name",
        "",
    ]
    assert f"{first} {second} {third}" == (
        "4 of 5 files refer to TensorFlow, 18 lines. `tf2jax-port rewrite --write` handles 57 % of 7 "
        "references. Fully migrated files: 1. Files in which all computing code is finished: 2 of 4. "
        "TensorFlow is still needed in 1 file: `tf.bar` stays."
    )
    assert result.stderr.startswith("broken.py: TJ901 line 2: ")


def test_long_tables_are_cut(project, run):
    for number in range(20):
        (project / f"m{number}.py").write_text(f"import tensorflow as tf\ntf.foo{number}\n")
    short, whole = (
        run("scan", ".", "--overview").stdout,
        run("scan", ".", "--all", "--overview").stdout,
    )
    assert "... and 9 more files (--all)" in " ".join(short.split())
    assert "... and 6 more names (--all)" in " ".join(short.split())
    assert "more files" not in whole
    assert "tf.foo19" in whole


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [
        (0, 0, ""),
        (0, 7, "0 %"),
        (7, 7, "100 %"),
        (1, 3, "33 %"),
        (1, 100_000, "0.1 %"),
        (99_999, 100_000, "99.9 %"),
        (1, 150, "0.7 %"),
    ],
)
def test_shares(part, whole, text):
    assert share(part, whole) == text


@pytest.mark.parametrize(
    ("flag", "environment", "colored"),
    [
        ((), {}, False),
        (("--color",), {}, True),
        (("--color",), {"NO_COLOR": "1"}, True),
        ((), {"FORCE_COLOR": "1"}, True),
        ((), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (("--no-color",), {"FORCE_COLOR": "1"}, False),
    ],
)
def test_colors(project, run, monkeypatch, flag, environment, colored):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    for command in ("scan", "rewrite"):
        result = run(command, "app", *flag, color=True)
        assert ("\x1b[" in result.stdout) == colored, command
