"""Notebooks: the code of cells is rewritten, and no other byte changes."""

import json

import pytest

from tf2jax_port.files import code_base, runs
from tf2jax_port.rewrite import UnreadableError
from tf2jax_port.rewrite.notebooks.notebook import rewrite_notebook
from tf2jax_port.rewrite.options import Options

# Written by hand: odd spaces, an escape, a number that would be printed otherwise, keys out of order.
NOTEBOOK = r"""{
 "cells": [
  {"cell_type": "markdown", "metadata": {}, "source": ["# tf.square in text\n"]},
  {
   "cell_type": "code",
   "execution_count":  1,
   "metadata": {"tags": ["\u00e9"]},
   "outputs": [{"text": ["import tensorflow as tf\n"], "score": 1.0E-05}],
   "source": [
    "!pip install tensorflow\n",
    "%matplotlib inline\n",
    "import tensorflow as tf"
   ]
  },
  {"source": "x = tf.square(y)\nfiles = !ls\nz = tf.foo(x)  # \u00e9",
   "cell_type": "code", "outputs": [], "metadata": {}},
  {"cell_type": "code", "source": ["%%bash\n", "tf.square"], "outputs": [], "metadata": {}},
  {"cell_type": "code", "source": [], "outputs": [], "metadata": {}},
  {
   "cell_type": "code", "metadata": {}, "outputs": [],
   "source": ["%%time\n","def f(a):\n","    %ls\n","    return tf.abs(a)\n"]
  }
 ],
 "metadata": {"kernelspec": {"language": "python", "name": "python3"}},
 "nbformat": 4, "nbformat_minor": 2
}

"""
AFTER = (
    NOTEBOOK.replace(
        '"import tensorflow as tf"\n',
        '"import tensorflow as tf\\n",\n    "import jax.numpy as jnp"\n',
    )
    .replace(
        r'"x = tf.square(y)\nfiles = !ls\nz = tf.foo(x)  # \u00e9"',
        r'"x = jnp.square(y)\nfiles = !ls\n# TJ301: tf.foo: TensorFlow has no such name\nz = tf.foo(x)  # \u00e9"',
    )
    .replace('"    return tf.abs(a)\\n"', '"    return jnp.abs(a)\\n"')
)


def notebook(*cells, **metadata):
    """The text of a notebook with some cells of code."""
    made = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": cell} for cell in cells]
    return json.dumps({"cells": made, "metadata": metadata}, indent=1)


def sources(raw):
    return ["".join(cell["source"]) for cell in json.loads(raw)["cells"]]


def after(*cells):
    """The code of cells after a rewrite; a second one changes nothing."""
    once = rewrite_notebook(notebook(*cells).encode())
    assert rewrite_notebook(once.data).data == once.data
    return sources(once.data)


def test_everything_but_code_keeps_its_bytes():
    outcome = rewrite_notebook(NOTEBOOK.encode())
    assert outcome.data.decode() == AFTER
    assert rewrite_notebook(outcome.data).data == outcome.data


def test_findings_carry_cell_and_line():
    outcome = rewrite_notebook(NOTEBOOK.encode())
    assert [(f.cell, f.line, f.column, f.symbol) for f in outcome.findings] == [
        (3, 1, 5, "tf.square"),
        (3, 3, 5, "tf.foo"),
        (6, 4, 12, "tf.abs"),
    ]
    assert outcome.findings[1].place == "cell 3:3:5"


def test_a_notebook_without_tensorflow_is_not_touched():
    raw = notebook("x = 1\n").encode()
    assert rewrite_notebook(raw).data is raw


def test_an_import_that_nobody_needs_goes():
    assert after("import tensorflow as tf\n", "y = tf.square(x)\n") == [
        "import jax.numpy as jnp\n",
        "y = jnp.square(x)\n",
    ]


def test_a_marker_goes_with_its_cause():
    marked = (
        "import tensorflow as tf\n# TJ301: tf.foo: TensorFlow has no such name\ny = tf.square(x)"
    )
    assert after(marked) == ["import jax.numpy as jnp\ny = jnp.square(x)"]


HEAD = "import tensorflow as tf\n"
KEPT = {
    "a remainder on a line of its own": "y = (x\n  % tf.square(x))",
    "a text with a magic in it": 's = """\n%magic\n!shell\n"""\ny = tf.square(x)',
    "a shell line": "!echo {tf.square}\ny = tf.square(x)",
    "a question": "tf.square?\ny = tf.square(x)",
    "an indented shell line": "if x:\n    !ls tf.square\n    y = tf.square(x)",
    "an assigned magic": "t = %timeit -o f(x)\ny = tf.square(x)",
    "a semicolon at the end": "y = tf.square(x);",
    "an await": "y = await f(tf.square(x))",
}


@pytest.mark.parametrize("code", KEPT.values(), ids=KEPT)
def test_what_is_no_python_stays(code):
    new = "jnp.square(x)".join(code.rsplit("tf.square(x)", 1))
    assert after(HEAD, code)[1] == new


def test_a_cell_that_is_no_python_is_told_and_left():
    outcome = rewrite_notebook(notebook(HEAD, "y = tf.square(\n", "print 1", "tf.abs(x)").encode())
    assert sources(outcome.data)[1:] == ["y = tf.square(\n", "print 1", "jnp.abs(x)"]
    first = outcome.findings[0]
    assert (first.cell, first.code) == (2, "TJ315")
    assert first.message == "the cell is not valid Python: line 1: '(' was never closed"
    assert [f.symbol for f in outcome.findings] == ["cell", "tf.abs"]


@pytest.mark.parametrize(
    "metadata",
    [
        {"language_info": {"name": "python", "version": "2.7.13"}},
        {"kernelspec": {"language": "python", "name": "python2"}},
    ],
)
def test_python_2_is_told(metadata):
    with pytest.raises(UnreadableError) as error:
        rewrite_notebook(notebook(HEAD, "print 3", **metadata).encode())
    assert error.value.code == "TJ904"
    assert error.value.reason.startswith("the notebook's kernel is Python 2")


def test_cells_that_parse_are_read_whatever_python_the_metadata_name():
    metadata = {"kernelspec": {"language": "python", "name": "python2"}}
    outcome = rewrite_notebook(notebook(HEAD, "y = tf.abs(x)", **metadata).encode())
    assert [finding.symbol for finding in outcome.findings] == ["tf.abs"]


def test_a_shell_line_goes_on_in_the_next():
    cell = "import tensorflow as tf\n! pip install \\\\\n  einops \\\\\n  absl-py\ny = tf.abs(x)"
    outcome = rewrite_notebook(notebook(cell.replace("\\\\", "\\")).encode())
    assert [finding.symbol for finding in outcome.findings] == ["tf.abs"]
    text = "".join(json.loads(outcome.data)["cells"][0]["source"])
    assert "! pip install \\\n  einops \\\n  absl-py\n" in text
    assert "y = jnp.abs(x)" in text


def test_other_languages_are_not_meant():
    raw = notebook("tensorflow <- 1", kernelspec={"language": "R", "name": "ir"}).encode()
    assert rewrite_notebook(raw).data is raw


def test_version_3_of_the_format():
    cell = {"cell_type": "code", "input": [HEAD, "y = tf.square(x)"], "outputs": []}
    raw = json.dumps({"worksheets": [{"cells": [cell]}], "nbformat": 3}).encode()
    new = json.loads(rewrite_notebook(raw).data)
    assert new["worksheets"][0]["cells"][0]["input"] == [
        "import jax.numpy as jnp\n",
        "y = jnp.square(x)",
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("tensorflow", "the file is not a notebook: Expecting value: line 1 column 1 (char 0)"),
        ('["tensorflow"]', "the file is not a notebook: there are no cells"),
    ],
)
def test_what_is_no_notebook_is_told(text, reason):
    with pytest.raises(UnreadableError) as error:
        rewrite_notebook(text.encode())
    assert (error.value.code, error.value.reason) == ("TJ901", reason)


@pytest.mark.parametrize(
    "text",
    ['{"tensorflow": 1}', '{"cells": 1, "a": "tensorflow"}', '{"cells": ["tensorflow", {}]}'],
)
def test_odd_notebooks_are_left(text):
    assert rewrite_notebook(text.encode()).data == text.encode()


def test_notebooks_are_part_of_a_code_base(tmp_path):
    (tmp_path / "compat.py").write_text(HEAD + "y = tf.square(x)\n")
    book = notebook("from compat import tf\n", "y = tf.abs(x)\nz = tf.foo")
    (tmp_path / "a.ipynb").write_text(book)
    (tmp_path / ".ipynb_checkpoints").mkdir()
    (tmp_path / ".ipynb_checkpoints" / "a.ipynb").write_text(book)
    places = list(code_base.find_files([str(tmp_path)]))
    assert [path.name for path, _ in places] == ["a.ipynb", "compat.py"]
    first, second = runs.run_over(places, Options())
    assert [f.symbol for f in first.outcome.findings] == ["tf.abs", "tf.foo"]
    assert second.outcome.data.decode().startswith(HEAD), "the notebook takes it from there"
