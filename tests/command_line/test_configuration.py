"""`[tool.tf2jax-port]`: where it is found, what it may say, and that the command line has the last word."""

import dataclasses
import json
import re

import pytest

from tests.meta import tree
from tf2jax_port.files.configuration import ConfigurationError, common_folder, find_file, read_file
from tf2jax_port.paths.exclusion import DEFAULT

PROGRAM = "import tensorflow as tf\n\ny = tf.maximum(x, tf.square(x))\nz = tf.foo(y)\n"


@pytest.fixture
def configured(folder):
    """Writes the table, and a program below it."""
    (folder / "src" / "old").mkdir(parents=True)
    for name in ("src/a.py", "src/old/b.py"):
        (folder / name).write_text(PROGRAM)

    def write(text):
        (folder / "pyproject.toml").write_text(f"[tool.tf2jax-port]\n{text}\n")
        return folder

    return write


def codes(result):
    """The diagnostics by file."""
    files = json.loads(result.stdout)["files"]
    return {file["path"]: [f["code"] for f in file["findings"]] for file in files}


USUAL = ["TJ201", "TJ101", "TJ301"]
SETTINGS = [
    ("", [], USUAL),
    ('target = "shims"', [], ["TJ401", "TJ401", "TJ301"]),
    ('target = "shims"', ["--target", "jax"], USUAL),
    ("exact = true", [], ["TJ404", "TJ101", "TJ301"]),
    ("exact = true", ["--no-exact"], USUAL),
    ("safe-only = true", [], ["TJ404", "TJ101", "TJ301"]),
    ("safe-only = true", ["--no-safe-only"], USUAL),
    ('select = ["TJ1"]', [], ["TJ503", "TJ101", "TJ503"]),
    ('select = ["TJ1"]', ["--select", "tj2, TJ3"], ["TJ201", "TJ503", "TJ301"]),
    ('ignore = ["TJ2", "TJ301"]', [], ["TJ503", "TJ101", "TJ503"]),
    ('ignore = ["TJ2"]', ["--ignore", ""], USUAL),
    ('ignore = ["TJ2"]', ["--isolated"], USUAL),
    ('[tool.tf2jax-port.per-file-ignores]\n"src/*.py" = ["TJ1"]', [], ["TJ201", "TJ503", "TJ301"]),
    ('[tool.tf2jax-port.per-file-ignores]\n"*.txt" = ["TJ1"]', [], USUAL),
]


@pytest.mark.parametrize(("text", "words", "expected"), SETTINGS)
def test_settings(configured, run, text, words, expected):
    configured(text)
    found = codes(run("scan", "src/a.py", "--format", "json", *words))
    assert found == {"src/a.py": expected}


def test_a_folder_in_per_file_ignores(configured, run):
    configured('[tool.tf2jax-port.per-file-ignores]\n"old/" = ["TJ"]')
    found = codes(run("scan", "src", "--format", "json"))
    assert found == {"src/a.py": USUAL, "src/old/b.py": ["TJ503", "TJ503", "TJ503"]}


FILES = [
    ("", [], ["src/a.py", "src/old/b.py"]),
    ('exclude = ["old/"]', [], ["src/a.py"]),
    ('extend-exclude = ["/src/old"]', [], ["src/a.py"]),
    ('extend-exclude = ["/old"]', [], ["src/a.py", "src/old/b.py"]),
    ("", ["--exclude", "old"], ["src/a.py"]),
    ("", ["--exclude", "a.py", "--exclude", "b.py"], []),
    ("", ["--exclude", "src/**/b.py"], ["src/a.py"]),
]


@pytest.mark.parametrize(("text", "words", "expected"), FILES)
def test_files(configured, run, text, words, expected):
    configured(text)
    assert list(codes(run("scan", "src", "--format", "json", *words))) == expected


def test_exclude_replaces_what_is_usual(configured, run):
    folder = configured('exclude = ["old/"]')
    (folder / "src" / "build").mkdir()
    (folder / "src" / "build" / "c.py").write_text(PROGRAM)
    assert list(codes(run("scan", "src", "--format", "json"))) == ["src/a.py", "src/build/c.py"]
    configured('extend-exclude = ["old/"]')
    assert list(codes(run("scan", "src", "--format", "json"))) == ["src/a.py"]


def test_named_files_and_force(configured, run):
    configured('extend-exclude = ["old/"]')
    words = ("scan", "src/a.py", "src/old/b.py", "--format", "json")
    assert list(codes(run(*words))) == ["src/a.py", "src/old/b.py"]
    assert list(codes(run(*words, "--force-exclude"))) == ["src/a.py"]
    configured('extend-exclude = ["old/"]\nforce-exclude = true')
    assert list(codes(run(*words))) == ["src/a.py"]


def test_gitignore(configured, run):
    folder = configured("")
    (folder / ".git").mkdir()
    (folder / ".gitignore").write_text("old/\n")
    words = ("scan", "src", "--format", "json")
    assert list(codes(run(*words))) == ["src/a.py"]
    assert list(codes(run(*words, "--no-gitignore"))) == ["src/a.py", "src/old/b.py"]
    configured("respect-gitignore = false")
    assert list(codes(run(*words))) == ["src/a.py", "src/old/b.py"]


def test_the_nearest_table_counts(configured, run):
    folder = configured('ignore = ["TJ2"]')
    (folder / "src" / "pyproject.toml").write_text("[tool.other]\nx = 1\n")
    assert find_file(folder / "src" / "old") == folder / "pyproject.toml"
    (folder / "src" / "pyproject.toml").write_text("[tool.tf2jax-port]\n")
    assert find_file(folder / "src" / "old") == folder / "src" / "pyproject.toml"
    assert codes(run("scan", "src/a.py", "--format", "json")) == {"src/a.py": USUAL}
    # Of several paths, the folder around all of them is where the search begins.
    (folder / "c.py").write_text(PROGRAM)
    found = codes(run("scan", "src/a.py", "c.py", "--format", "json"))
    assert found["src/a.py"] == ["TJ503", "TJ101", "TJ301"]
    assert common_folder(["src/a.py", "src/old"]) == folder / "src"


def test_another_file(configured, run):
    folder = configured('ignore = ["TJ2"]')
    (folder / "other.toml").write_text('[tool.tf2jax-port]\nignore = ["TJ1"]\n')
    found = codes(run("scan", "src/a.py", "--format", "json", "--config", "other.toml"))
    assert found == {"src/a.py": ["TJ201", "TJ503", "TJ301"]}


FAULTS = [
    ("safe_only = true", "unknown key `safe_only`; did you mean `safe-only`?"),
    (
        "color = 1",
        "unknown key `color`; known: target, exact, safe-only, doctests, random, optimizers, data, "
        "select, ignore, "
        "exclude, extend-exclude, per-file-ignores, respect-gitignore, force-exclude",
    ),
    ('exact = "yes"', "`exact` must be true or false, and is 'yes'"),
    ('select = "TJ1"', "`select` must be a list of strings, and is 'TJ1'"),
    ("ignore = [1]", "`ignore` must be a list of strings, and is [1]"),
    ('target = "torch"', '`target` must be "jax", "shims", "graph" or "auto", and is \'torch\''),
    (
        'per-file-ignores = ["a"]',
        "`per-file-ignores` must be a table of lists, one for each pattern of paths, and is ['a']",
    ),
]


@pytest.mark.parametrize(("text", "message"), FAULTS)
@pytest.mark.parametrize("command", ["scan", "rewrite", "plan"])
def test_faults_are_named(configured, run, command, text, message):
    folder = configured(text)
    result = run(command, "src")
    assert result.exit_code == 2
    assert result.stdout == ""
    said = " ".join(result.stderr.partition("Error: ")[2].split())
    assert said == f"{folder}/pyproject.toml:2:1: [tool.tf2jax-port]: {message}"
    key = text.partition(" ")[0]
    assert f"  {text}\n  {'^' * len(key)}\nError: " in result.stderr


def test_what_is_no_table(folder):
    file = folder / "pyproject.toml"
    file.write_text("[tool]\ntf2jax-port = 1\n")
    with pytest.raises(ConfigurationError) as error:
        find_file(folder)
    assert str(error.value) == f"{file}: [tool.tf2jax-port] must be a table"
    file.write_text("[tool\n")
    with pytest.raises(ConfigurationError, match="not valid TOML: Expected"):
        find_file(folder)
    with pytest.raises(ConfigurationError) as error:
        read_file(folder / "gone.toml")
    assert str(error.value) == f"{folder}/gone.toml: No such file or directory"


USAGE = [
    (["scan", "src", "--select", "TJ9x"], "--select: no diagnostic begins with `TJ9X`."),
    (["scan", "src", "--ignore", "E501"], "--ignore: no diagnostic begins with `E501`."),
    (["scan", "src", "-"], "`-` means standard input and must be the only path."),
    (
        ["scan", "src", "--isolated", "--config", "a"],
        "--isolated and --config cannot be combined: remove one of the two options.",
    ),
    (
        ["rewrite", "-", "--write"],
        "--write needs a file, but `-` is standard input: remove --write.",
    ),
    (
        ["rewrite", "src", "--write", "--check"],
        "--write and --check cannot be combined: remove one of the two options.",
    ),
]


@pytest.mark.parametrize(("words", "message"), USAGE)
def test_usage(configured, run, words, message):
    configured("")
    result = run(*words)
    assert result.exit_code == 2
    assert result.stderr.endswith(f"Error: {message}\n")


def test_codes_of_the_table_are_checked(configured, run):
    configured('[tool.tf2jax-port.per-file-ignores]\n"a.py" = ["W1"]')
    result = run("scan", "src")
    assert result.exit_code == 2
    assert result.stderr.endswith("Error: per-file-ignores: no diagnostic begins with `W1`.\n")


def test_the_page_shows_every_setting(folder):
    page = (tree.ROOT / "docs/rewriter.md").read_text()
    (folder / "pyproject.toml").write_text(re.search(r"```toml\n(.*?)```", page, re.DOTALL)[1])
    said = dataclasses.asdict(read_file(folder / "pyproject.toml"))
    assert [name for name, value in said.items() if value in (None, ())] == []
    for pattern in DEFAULT[1:]:
        assert f"`{pattern.rstrip('/')}`" in page, pattern


def test_nothing_to_read_is_said(configured, run):
    configured('extend-exclude = ["src/"]')
    for command in ("scan", "plan", "rewrite"):
        result = run(command, ".")
        assert result.exit_code == 0
        assert result.stderr.startswith(
            "No Python file in . (hidden files, build outputs and files that git ignores are skipped; "
            "--no-gitignore also reads files that git ignores).\n"
        )
