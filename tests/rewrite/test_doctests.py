"""Examples in docstrings: text, unless `--doctests` is given; then they run to equal values."""

import doctest

import pytest

from tests.rewrite import running
from tf2jax_port.rewrite import State, rewrite
from tf2jax_port.rewrite.options import Options

ASKED = Options(doctests=True)


def docstring(*lines, head="import tensorflow as tf\n\n\n"):
    body = "".join(f"    {line}".rstrip() + "\n" for line in lines)
    return f'{head}def f(x):\n    """Says something.\n\n{body}    """\n    return x\n'


CASES = {
    "names of the module": (
        docstring(">>> y = tf.square(2.0)"),
        docstring(">>> import jax.numpy as jnp", ">>> y = jnp.square(2.0)"),
    ),
    "an import of its own": (
        docstring(">>> import tensorflow as tf", ">>> y = tf.square(2.0)", head=""),
        docstring(">>> import jax.numpy as jnp", ">>> y = jnp.square(2.0)", head=""),
    ),
    "an import that is needed still": (
        docstring(">>> import tensorflow as tf", ">>> y = tf.square(tf.foo(x))", head=""),
        docstring(
            ">>> import tensorflow as tf",
            ">>> import jax.numpy as jnp",
            ">>> y = jnp.square(tf.foo(x))",
            head="",
        ),
    ),
    "several lines": (
        docstring(
            ">>> import tensorflow as tf",
            ">>> @tf.custom_gradient",
            "... def g(x):",
            "...     # why",
            "...     return tf.exp(",
            "...         x)",
            "...",
            ">>> for n in range(3):",
            "...     print(g(n))",
            head="",
        ),
        docstring(
            ">>> import jax.numpy as jnp",
            ">>> import shims",
            ">>> @shims.custom_gradient",
            "... def g(x):",
            "...     # why",
            "...     return jnp.exp(",
            "...         x)",
            "...",
            ">>> for n in range(3):",
            "...     print(g(n))",
            head="",
        ),
    ),
    "text around": (
        docstring("Before tf.square.", "", ">>> y = tf.exp(2.0)", "", "After tf.square."),
        docstring(
            "Before tf.square.",
            "",
            ">>> import jax.numpy as jnp",
            ">>> y = jnp.exp(2.0)",
            "",
            "After tf.square.",
        ),
    ),
    "pseudo code": (
        docstring(">>> tf.square(...", ">>> y = tf.exp(2.0)"),
        docstring(">>> tf.square(...", ">>> y = tf.exp(2.0)"),
    ),
    "escapes": (
        docstring(r">>> y = tf.square('\n')"),
        docstring(r">>> y = tf.square('\n')"),
    ),
    "a comment that keeps it": (
        docstring(">>> y = tf.square(2.0)  # tf2jax: ignore"),
        docstring(">>> y = tf.square(2.0)  # tf2jax: ignore"),
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_examples(before, after, end):
    outcome = rewrite(before.replace("\n", end).encode(), ASKED)
    assert outcome.data.decode() == after.replace("\n", end)
    assert rewrite(outcome.data, ASKED).data == outcome.data
    assert rewrite(before.encode()).data == before.encode()


def test_examples_run(tmp_path):
    """What the examples assign in TensorFlow is what they assign in JAX."""
    lines = [
        ">>> import tensorflow as tf",
        ">>> a = tf.reduce_sum(tf.square(x), axis=1)",
        ">>> b = tf.boolean_mask(x, x > 0)",
        ">>> def g(y):",
        "...     return tf.exp(y)",
        ">>> c = g(x)",
    ]
    before = docstring(*lines, head="")
    after = rewrite(before.encode(), ASKED).data.decode()
    programs = [
        "".join(
            example.source
            for example in doctest.DocTestParser().get_examples(text.partition('"""')[2])
        )
        for text in (before, after)
    ]
    assert "tensorflow" in programs[0]
    assert "tensorflow" not in programs[1]
    running.assert_same(*running.both(*programs, tmp_path))


WITH_OUTPUT = docstring(">>> tf.square(2.0)", "<tf.Tensor: 4.0>", ">>> y = tf.exp(1.0)")


def test_output_is_to_be_looked_at():
    outcome = rewrite(WITH_OUTPUT.encode(), ASKED)
    assert [(f.line, f.column, f.state, f.code) for f in outcome.findings] == [
        (7, 9, State.REVIEW, "TJ204"),
        (9, 13, State.REWRITTEN, "TJ101"),
    ]
    assert outcome.findings[0].message == "the output below the example was written for TensorFlow"
    assert b"<tf.Tensor: 4.0>" in outcome.data


LEFT = [
    (Options(doctests=True, safe_only=True), State.MANUAL, "TJ313"),
    (Options(doctests=True, ignore=("TJ204",)), State.KEPT, "TJ503"),
]


@pytest.mark.parametrize(("options", "state", "code"), LEFT)
def test_output_that_may_not_be_touched(options, state, code):
    outcome = rewrite(WITH_OUTPUT.encode(), options)
    assert outcome.data == WITH_OUTPUT.encode()
    assert [(f.state, f.code, f.message) for f in outcome.findings] == [
        (state, code, "TJ101, in an example of a docstring")
    ] * 2


def test_no_marker_in_a_docstring():
    code = docstring(">>> y = tf.foo(2.0)", ">>> z = tf.exp(y)")
    outcome = rewrite(code.encode(), ASKED)
    assert b"# TJ" not in outcome.data
    assert [f.code for f in outcome.findings] == ["TJ301", "TJ101"]


def test_version_1_without_its_name_is_left_alone():
    lines = [">>> a = tf.train.Checkpoint(x)", ">>> b = tf.to_float(x)"]
    outcome = rewrite(docstring(*lines).encode(), ASKED)
    assert outcome.data.decode() == docstring(*lines)
    assert {f.code for f in outcome.findings} == {"TJ308"}


def test_lines_are_those_of_the_old_text():
    """The code above the docstring gets shorter and longer; findings count the lines of the file."""
    code = (
        "import tensorflow as tf\n\ny = tf.foo(\n    1,\n    name='s')\nz = tf.reduce_sum(\n    y,\n"
        "    name='s',\n)\n\n\n" + docstring(">>> a = tf.exp(1.0)", head="")
    )
    outcome = rewrite(code.encode(), ASKED)
    (finding,) = [f for f in outcome.findings if f.symbol == "tf.exp"]
    assert code.splitlines()[finding.line - 1][finding.column - 1 :] == "tf.exp(1.0)"


def test_every_docstring():
    parts = [
        '"""Module.\n\n>>> import tensorflow as tf\n>>> a = tf.exp(1.0)\n"""\n',
        'class A:\n    """Class.\n\n    >>> import tensorflow as tf\n    >>> b = tf.exp(1.0)\n    """\n\n',
        '    async def f(self):\n        """Method.\n\n        >>> import tensorflow as tf\n'
        '        >>> c = tf.exp(1.0)\n        """\n\n\n',
        's = """\n>>> tf.exp(1.0)\n"""\n',
    ]
    outcome = rewrite("".join(parts).encode(), ASKED)
    assert outcome.data.count(b"jnp.exp(1.0)") == 3
    assert outcome.data.endswith(parts[3].encode())  # an ordinary string
