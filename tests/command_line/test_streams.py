"""Standard input and output, formats, what goes where."""

import io
import json
import os
import re
import runpy
import shlex
import subprocess
import sys

import pytest
from rich.console import Console

from tests.meta import tree
from tf2jax_port.cli import progress as cli_progress

PROGRAM = "import tensorflow as tf\n\ny = tf.square(x)\n"
AFTER = "import jax.numpy as jnp\n\ny = jnp.square(x)\n"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (PROGRAM, AFTER),
        (PROGRAM.replace("\n", "\r\n"), AFTER.replace("\n", "\r\n")),
        (PROGRAM.rstrip(), AFTER.rstrip()),
        ("\ufeff" + PROGRAM, "\ufeff" + AFTER),
        ("x = 1", "x = 1"),
        ("", ""),
    ],
)
def test_a_program_goes_through(run, given, expected):
    result = run("rewrite", "-", input=given.encode())
    assert result.stdout_bytes == expected.encode()
    assert result.exit_code == 0


def test_bytes_of_another_encoding_go_through(run):
    given = ("# coding: latin-1\n" + PROGRAM + "s = 'ü'\n").encode("latin-1")
    expected = ("# coding: latin-1\n" + AFTER + "s = 'ü'\n").encode("latin-1")
    assert run("rewrite", "-", input=given).stdout_bytes == expected


def test_the_name_of_standard_input(run):
    result = run(
        "rewrite", "-", "--stdin-filename", "pkg/m.py", input="import tensorflow as tf\ntf.foo\n"
    )
    assert result.stderr.startswith("pkg/m.py:2:1: TJ301 tf.foo: TensorFlow has no such name\n")
    package = run("rewrite", "-", "--stdin-filename", "pkg/__init__.py", input=PROGRAM)
    assert package.stdout.startswith("import tensorflow as tf\n")  # others may import it from here


def test_a_program_that_cannot_be_read_gives_none(run):
    result = run("rewrite", "-", input=PROGRAM + "(")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("stdin.py: TJ901 line 4: '(' was never closed\n")


def test_other_commands_read_standard_input(run):
    assert run("rewrite", "-", "--check", input=PROGRAM).exit_code == 1
    assert run("rewrite", "-", "--check", input=AFTER).exit_code == 0
    document = json.loads(run("scan", "-", "--format", "json", input=PROGRAM).stdout)
    assert [file["path"] for file in document["files"]] == ["stdin.py"]


@pytest.mark.parametrize("form", ["json", "sarif"])
@pytest.mark.parametrize("command", ["scan", "rewrite"])
def test_data_is_alone_on_standard_output(folder, run, command, form):
    (folder / "a.py").write_text(PROGRAM)
    (folder / "b.py").write_text("import tensorflow\n(")
    result = run(command, ".", "--format", form)
    json.loads(result.stdout)
    assert "TJ901" in result.stderr


def test_the_diff_can_be_applied(folder, run):
    """As `patch` reads it: carriage returns, form feeds and the missing last line end stay."""
    (folder / "a.py").write_bytes(b"import tensorflow as tf\r\n\x0cy = tf.square(x)")
    result = run("rewrite", "a.py", "--no-color")
    assert result.stdout_bytes == (
        b"--- a.py\n+++ a.py\n@@ -1,2 +1,2 @@\n"
        b"-import tensorflow as tf\r\n-\x0cy = tf.square(x)\n\\ No newline at end of file\n"
        b"+import jax.numpy as jnp\r\n+\x0cy = jnp.square(x)\n\\ No newline at end of file\n"
    )


def test_the_hooks_are_commands(folder, run):
    text = (tree.ROOT / ".pre-commit-hooks.yaml").read_text()
    assert re.findall(r"^- id: (.+)$", text, re.MULTILINE) == [
        "tf2jax-port-scan",
        "tf2jax-port-rewrite",
    ]
    (folder / "a.py").write_text(PROGRAM)
    entries = re.findall(r"^  entry: tf2jax-port (.+)$", text, re.MULTILINE)
    assert [run(*entry.split(), "a.py").exit_code for entry in entries] == [0, 0]
    assert (folder / "a.py").read_text() == AFTER


class Terminal:
    """A standard error that a person looks at."""

    def __init__(self):
        self.written = []

    def isatty(self):
        return True

    def write(self, text):
        self.written.append(text)

    def flush(self):
        pass


@pytest.mark.parametrize(("items", "shown"), [(39, False), (40, True)])
def test_a_bar_for_long_work_on_a_terminal(monkeypatch, items, shown):
    terminal = Terminal()
    monkeypatch.setattr(cli_progress.sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    assert list(cli_progress.followed(range(items), items)) == list(range(items))
    assert ("reading files" in "".join(terminal.written)) == shown


def test_no_bar_elsewhere(capsys):
    assert list(cli_progress.followed(range(100), 100)) == list(range(100))
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("command", ["scan", "plan", "rewrite"])
def test_help_has_headings(run, command):
    page = run(command, "--help").stdout
    headings = re.findall(r"^(\S.*):$", page, re.MULTILINE)
    assert headings == ["Options", "What is rewritten", "Which files"]
    assert all(len(line) <= 80 for line in page.splitlines())


@pytest.mark.parametrize("command", ["scan", "plan", "rewrite", "diff", "explain", "skill"])
def test_every_option_says_what_it_does(run, command):
    from tf2jax_port.cli import main

    silent = [
        o.opts for o in main.commands[command].params if getattr(o, "help", "x") in ("", None)
    ]
    assert [names for names in silent if names[0].startswith("-")] == []
    assert run(command, "-h").exit_code == 0


def test_jobs(folder, run):
    for number in range(40):
        (folder / f"m{number:02}.py").write_text(PROGRAM.replace("x", f"x{number}"))
    one, two = (run("scan", ".", "--format", "json", "--jobs", n).stdout for n in (1, 2))
    assert one == two
    assert json.loads(one)["totals"]["files_finished"] == 40
    assert run("scan", ".", "--jobs", 0).exit_code == 2


def test_standard_input_sees_the_modules_around_it(folder, run):
    (folder / "base.py").write_text("import tensorflow as tf\n")
    program = "from base import tf\n\ny = tf.square(x)\n"
    assert run("rewrite", "-", input=program).stdout.endswith("y = jnp.square(x)\n")


ENDS = [
    (KeyboardInterrupt(), 130, "Interrupted. No file was written in part.\n"),
    (OSError(28, "oops"), 2, "This is an error in tf2jax-port. Please report it.\n"),
    (ZeroDivisionError("oops"), 2, "This is an error in tf2jax-port. Please report it.\n"),
]


@pytest.mark.parametrize(("error", "code", "said"), ENDS)
def test_an_end_that_nobody_planned(folder, run, monkeypatch, error, code, said):
    """1 would say that something is left for a person."""

    def end(*_, **__):
        raise error

    monkeypatch.setattr("tf2jax_port.files.code_base.find_files", end)
    result = run("scan", ".")
    assert result.exit_code == code
    assert result.stderr.endswith(said)
    assert ("oops" in result.stderr) == (code == 2)


def test_a_reader_that_goes_away(folder):
    """`tf2jax-port scan | head -1` is no fault."""
    for number in range(30):
        (folder / f"m{number}.py").write_text("import tensorflow as tf\n" + "tf.foo()\n" * 500)
    script = "from tf2jax_port.cli import main; main(['scan', '.', '--format', 'json'])"
    line = f'{shlex.quote(sys.executable)} -c "{script}" | head -1'
    known = dict(os.environ, PYTHONPATH=str(tree.ROOT))
    done = subprocess.run(
        line, shell=True, cwd=folder, env=known, capture_output=True, text=True, check=False
    )
    assert done.stdout == "{\n"
    assert "fault" not in done.stderr
    assert "Traceback" not in done.stderr


LOADED = """
import sys
from tf2jax_port.cli import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print("table" if "tf2jax_port.table" in sys.modules else "no table", file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("words", "loaded"),
    [(f"{name} --help", "no table") for name in ("scan", "plan", "rewrite", "explain", "skill")]
    + [("explain TJ101", "table"), ("scan .", "table")],
)
def test_a_help_page_loads_no_rules(folder, words, loaded):
    (folder / "a.py").write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *words.split()],
        env=dict(os.environ, PYTHONPATH=str(tree.ROOT)),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr.splitlines()[-1] == loaded


def test_a_long_comparison_says_once_how_far_it_is_where_no_terminal_shows_it(monkeypatch):
    errors = Console(file=io.StringIO(), width=80)
    seconds = iter([0.0, 1.0, 11.0, 12.0])
    monkeypatch.setattr(cli_progress.time, "monotonic", lambda: next(seconds))
    with errors.status("Importing") as status:
        step = cli_progress.steps(errors, status, is_quiet=False)
        for done in range(4):
            step(done, 40, "JAX eager")
    assert errors.file.getvalue().strip() == "Comparing 40 cases; 1 are done"


def test_the_package_is_the_command_line(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["tf2jax_port", "--version"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("tf2jax_port", run_name="__main__")
    assert not ended.value.code
    assert "version" in capsys.readouterr().out
