"""Every diagnostic carries examples; here they are rewritten, run and compared."""

import pathlib

import pytest

from tests.rewrite import running
from tf2jax_port.rewrite import State, rewrite
from tf2jax_port.rewrite.options import Options
from tf2jax_port.rewrite.rules import pages
from tf2jax_port.rewrite.rules.codes import RULES, UnknownCodeError, find_rule
from tf2jax_port.rewrite.rules.rule import Instead, Leaves, Rewrites
from tf2jax_port.table import ROWS, Manual

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "rules"
REWRITES = [
    pytest.param(rule, example, id=f"{rule.code}-{index}")
    for rule in RULES
    for index, example in enumerate(rule.examples)
    if isinstance(example, Rewrites)
]
INSTEAD = [
    pytest.param(example, id=f"{rule.code}-instead")
    for rule in RULES
    for example in rule.examples
    if isinstance(example, Instead)
]
LEAVES = [
    pytest.param(rule, example.code, id=f"{rule.code}-{example.because}")
    for rule in RULES
    for example in rule.examples
    if isinstance(example, Leaves)
]


@pytest.mark.parametrize(("rule", "example"), REWRITES)
def test_rewrites(rule, example):
    outcome = rewrite(example.before.encode(), example.options)
    assert outcome.data.decode() == example.after
    assert (rule.code, rule.state) in [(f.code, f.state) for f in outcome.findings]
    assert rewrite(outcome.data, example.options).data == outcome.data


def runs_here(example):
    """Whether a program runs in this process: those of Keras do in test_keras_programs.py."""
    return example.runs and "keras" not in example.after


@pytest.mark.parametrize(("rule", "example"), [p for p in REWRITES if runs_here(p.values[1])])
def test_runs_to_equal_values(rule, example, tmp_path):
    del rule
    running.assert_same(*running.both(example.before, example.after, tmp_path))


@pytest.mark.parametrize("example", INSTEAD)
def test_what_a_person_writes_gives_equal_values(example, tmp_path):
    old, new = running.both(example.before, example.after, tmp_path)
    running.assert_same(old, new)


@pytest.mark.parametrize(("rule", "code"), LEAVES)
def test_leaves(rule, code):
    outcome = rewrite(code.encode())
    assert rule.code not in [finding.code for finding in outcome.findings]


def test_numbers_are_unique_and_in_order():
    codes = [rule.code for rule in RULES]
    assert codes == sorted(set(codes))


def test_a_state_begins_with_its_figure():
    figures = {
        State.REWRITTEN: "1",
        State.REVIEW: "2",
        State.MANUAL: "3",
        State.SHIM: "4",
        State.KEPT: "5",
        None: "9",
    }
    assert [rule.code for rule in RULES if rule.code[2] != figures[rule.state]] == []


def test_every_state_that_edits_has_an_example_that_runs():
    edited = [r for r in RULES if r.state in (State.REWRITTEN, State.REVIEW, State.SHIM)]
    silent = [
        r.code for r in edited if not any(isinstance(e, Rewrites) and e.runs for e in r.examples)
    ]
    assert silent == []


def test_codes_of_the_table_exist():
    codes = {rule.code for rule in RULES}
    wrong = [r.name for r in ROWS if isinstance(r.target, Manual) and r.target.code not in codes]
    assert wrong == []


def test_an_unknown_code_names_the_nearest():
    with pytest.raises(UnknownCodeError) as error:
        find_rule("TJ199")
    assert str(error.value) == "There is no diagnostic `TJ199`. Nearest: TJ909, TJ109."
    assert find_rule("tj101").name == "operator-call"


def test_a_page_links_what_it_names_and_a_terminal_shows_plain_text():
    written, shown = pages.pages()["TJ501.md"], pages.page(find_rule("TJ501"))
    for name in ("TJ338", "TJ407"):
        assert f"[{name}]({name}.md)" in written
        assert name in shown
    assert "[docs/ragged_and_sparse.md](../ragged_and_sparse.md)" in written
    assert "](" not in shown
    assert "# TJ326: tf.distribute" in pages.pages()["TJ326.md"]  # code is not changed


def test_an_example_says_which_options_it_needs():
    assert pages.flags(Options(data="shims")) == "--data shims"
    assert pages.flags(Options(target="shims")) == "--target shims"
    assert "With `--target shims`:" in pages.pages()["TJ407.md"]


def test_pages_are_fresh():
    written = {path.name: path.read_text() for path in DOCS.glob("*.md")}
    assert written == pages.pages(), "run: python -m tools.rule_pages"
