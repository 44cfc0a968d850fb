"""A mistake on the command line is shown with a caret and with what was meant."""

import pytest

from tf2jax_port.cli import main
from tf2jax_port.cli.mistakes import find_word
from tf2jax_port.diff.functions.loading import DiffError
from tf2jax_port.diff.inputs.generated import parse
from tf2jax_port.messages.near_path import near_path
from tf2jax_port.messages.spot import Spot

MISTAKES = [
    ("scn src", "scn", "Did you mean 'scan'?"),
    ("scan src --formt json", "--formt", "'--format'"),
    ("scan src --format jsn", "jsn", "Did you mean 'json'?"),
    ("scan src --format=jsn", "jsn", "Did you mean 'json'?"),
    ("scan src --select TJ1,TJ9x", "TJ9x", "no diagnostic begins with `TJ9X`."),
    ("scan srcc", "srcc", "did you mean `src`?"),
    ("explain TJ999", "TJ999", "Nearest: TJ909."),
    ("import-graph src/modle.pb", "src/modle.pb", "did you mean `src/model.pb`?"),
    ("prove src/modle.pb src", "src/modle.pb", "did you mean `src/model.pb`?"),
    ("diff src/od.py:f src/old.py:f --inputs x", "src/od.py", "did you mean `src/old.py`?"),
]


@pytest.mark.parametrize(("line", "word", "meant"), MISTAKES)
def test_mistakes(folder, run, line, word, meant):
    (folder / "src").mkdir()
    (folder / "src" / "old.py").write_text("")
    (folder / "src" / "model.pb").write_text("")
    result = run(*line.split(), *(["--no-isolate"] if line.startswith("diff") else []))
    assert result.exit_code == 2
    assert meant in result.stderr
    lines = result.stderr.splitlines()
    at = next(n for n, each in enumerate(lines) if set(each.strip()) == {"^"})
    start = lines[at].index("^")
    assert lines[at - 1][start:].upper().startswith(word.upper())
    assert lines[at].count("^") == len(word)
    assert all(len(each) <= 80 for each in lines[at - 1 : at + 1])


def test_a_type_of_a_signature():
    with pytest.raises(
        DiffError, match="there is no type `flaot32`; did you mean `float32`"
    ) as error:
        parse("x: float32[n]; y: flaot32[n]")
    found = find_word(["--inputs", error.value.word], error.value.word, error.value.part)
    text, carets = found.lines()
    assert text[carets.index("^") :].startswith("flaot32[n]")


def test_a_long_line_is_cut_around_the_word():
    words = [*(f"word{n}" for n in range(40)), "wrong", *(f"more{n}" for n in range(40))]
    text, carets = find_word(words, "wrong").lines()
    assert len(text) <= 80
    assert text[carets.index("^") :].startswith("wrong ")


def test_wide_characters_take_two_columns():
    assert Spot("変x = 1", 2, 1).lines() == ("  変x = 1", "    ^")


def test_near_paths(folder):
    (folder / "models").mkdir()
    (folder / "models" / "encoder.py").write_text("")
    assert near_path("model/encodr.py") == "models/encoder.py"
    assert near_path("models/encoder.py") == ""
    assert near_path("zebra") == ""


@pytest.mark.parametrize("name", [None, *main.commands])
def test_every_command_has_the_common_options(run, name):
    words = [] if name is None else [name]
    assert run(*words, "--version").stdout.startswith("tf2jax-port, version ")
    page = run(*words, "--help").stdout
    assert all(option in page for option in ("-v, --verbose", "-q, --quiet", "--version"))
    assert max(map(len, page.splitlines())) <= 80


def test_verbose(folder, run):
    (folder / "a.py").write_text("")
    said = run("scan", "-v", "a.py").stderr
    assert "configuration: none\n1 files to read\n" in said
    assert "tf2jax-port " in said.splitlines()[-1]
    both = run("scan", "-v", "-q", "a.py")
    assert (
        both.exit_code,
        "-v and -q cannot be combined: remove one of the two options." in both.stderr,
    ) == (2, True)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(run, shell):
    assert "_TF2JAX_PORT_COMPLETE" in run("--show-completion", shell).stdout
    assert run("--show-completion", "cmd").exit_code == 2
