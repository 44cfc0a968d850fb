"""The reference of operators is fresh, complete, and says what the table, docstrings and the rewriter say."""

import functools
import json
import re
import subprocess
import sys

import pytest

from tests.meta import tree
from tf2jax_port.rewrite import rewrite
from tf2jax_port.table import ROWS, Native
from tools.operator_pages import docstrings, rewriting
from tools.operator_pages.layout import PAGES, page_of
from tools.operator_pages.subjects import Subject, spell

FOLDER = tree.ROOT / "docs" / "operators"
_GENERATE = (
    "import json; from tools.operator_pages.pages import generate; print(json.dumps(generate()))"
)


@functools.cache
def entries():
    """The text of each entry, by its heading."""
    found = {}
    for path in FOLDER.glob("*.md"):
        if path.name != "index.md":
            parts = re.split(r"^## (.*)$", path.read_text(), flags=re.MULTILINE)[1:]
            for name, text in zip(parts[::2], parts[1::2], strict=True):
                assert name not in found, f"{name} has two entries"
                found[name] = text
    return found


def test_the_pages_are_fresh():
    """In a process of its own, in which no test has changed a setting of `shims`."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _GENERATE],
        cwd=tree.ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    wanted = json.loads(done.stdout.splitlines()[-1])
    found = {str(path.relative_to(tree.ROOT)) for path in FOLDER.glob("*.md")}
    assert found == set(wanted), "run `python -m tools.operator_pages`"
    for path, text in wanted.items():
        assert (tree.ROOT / path).read_text() == text, "run `python -m tools.operator_pages`"


def test_every_row_of_the_table_has_an_entry():
    assert [row.name for row in ROWS if spell(row.name) not in entries()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_page_is_enormous(page):
    assert 0 < (FOLDER / f"{page.stem}.md").stat().st_size < 100_000


def test_a_name_without_a_page_is_an_error():
    assert page_of(Subject("nn.unheard_of")).stem == "nn"
    with pytest.raises(LookupError, match=r"no page describes `v2\.unheard_of`"):
        page_of(Subject("v2.unheard_of"))


def test_what_an_entry_says_of_the_rewriter_is_what_it_does():
    """The edits, of which the pages show the expressions."""
    shown = dict(
        re.findall(r"^- \*\*Rewriter:.*?`(tf\..*?)` becomes `(.*?)`", text, re.MULTILINE)[0]
        for text in entries().values()
        if re.search(r"^- \*\*Rewriter:.*` becomes `", text, re.MULTILINE)
    )
    assert len(shown) > 500
    for before, after in list(shown.items())[::25]:
        names = ", ".join(dict.fromkeys(re.findall(r"(?<![.\w])(?!tf\b)[a-z]\w*(?!\w|=)", before)))
        program = f"import tensorflow as tf\n\n\ndef compute({names}):\n    return {before}\n"
        new = " ".join(rewrite(program.encode()).data.decode().split())
        assert f"return {after}" in new


def test_arguments_that_jax_lacks():
    params = "params, indices, validate_indices=None, axis=None, batch_dims=0, name=None"
    left = rewriting.parameters_left_to("shims.gather", "tf.gather", params)
    assert left == ["validate_indices", "batch_dims"]
    assert rewriting.parameters_left_to("shims.sort", "tf.gather", params) == []


def test_every_expression_of_the_table_is_shown():
    for row in ROWS:
        if isinstance(row.target, Native) and row.target.fields:
            text = row.target.expression.replace("{", "").replace("}", "")
            assert f"`{text}`" in entries()[spell(row.name)]


DOCSTRING = """\
Return the sum
of [x].

Args:
  x: an array,
    or numbers.
  *rest: more.

Raises:
  ValueError: `x` is `<0`.

Differs from TensorFlow: nothing.

Example:
  >>> f(1)

https://www.tensorflow.org/api_docs/python/tf/f
"""


def test_docstrings_are_read():
    told = docstrings.parse(DOCSTRING)
    assert told.summary == "Return the sum of [x]."
    assert docstrings.line(told.text) == "Return the sum of \\[x\\]."
    assert docstrings.entries(told.sections["Args"]) == [
        ("x", "an array, or numbers."),
        ("*rest", "more."),
    ]
    assert docstrings.entries(told.sections["Raises"]) == [("ValueError", "`x` is `<0`.")]
    assert docstrings.sentence(told.sections["Differs from TensorFlow"]) == "Nothing."
    assert docstrings.line("a < b, `a < b` | [c]") == "a &lt; b, `a < b` \\| \\[c\\]"


def test_an_entry_without_a_row_says_what_becomes_of_a_call():
    """A name that is passed on, and a use that decides, are told apart from the call."""
    text = entries()["tf.compat.v1.train.exponential_decay"]
    assert "becomes `keras.optimizers.schedules.ExponentialDecay(" in text
    assert "**Rewriter, if the name is passed on as a value:** [TJ306]" in text
    assert "**Depends on the use:**" in text
    assert "**Depends on the use:**" in entries()["tf.compat.v1.train.AdamOptimizer"]
    assert not re.search(
        r"^- \*\*Rewriter.*argument .* is not given", "".join(entries().values()), re.MULTILINE
    )
