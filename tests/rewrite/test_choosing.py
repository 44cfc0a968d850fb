"""What was not asked for, or is forbidden by a comment, is left alone; the count adds up all the same."""

import pytest

from tf2jax_port import table
from tf2jax_port.rewrite import State, rewrite
from tf2jax_port.rewrite.knowledge.known import facade, has_exact_form
from tf2jax_port.rewrite.options import Options
from tf2jax_port.table import Native

HEAD = "import tensorflow as tf\n"
LEFT = {
    "a comment on the line": (
        HEAD + "y = tf.square(x)  # tf2jax: ignore\nz = tf.exp(y)\n",
        HEAD + "import jax.numpy as jnp\ny = tf.square(x)  # tf2jax: ignore\nz = jnp.exp(y)\n",
    ),
    "a comment on the last line of a call": (
        HEAD + "y = tf.square(\n    tf.exp(x),\n)  # tf2jax: ignore\n",
        HEAD + "import jax.numpy as jnp\ny = tf.square(\n    jnp.exp(x),\n)  # tf2jax: ignore\n",
    ),
    "a comment on a line of its own": (
        HEAD + "# tf2jax: ignore\n\n# why\ny = tf.square(x)\n",
        HEAD + "# tf2jax: ignore\n\n# why\ny = tf.square(x)\n",
    ),
    "a comment on the line of another": (
        HEAD + "f()  # tf2jax: ignore\ny = tf.square(x)\n",
        "import jax.numpy as jnp\nf()  # tf2jax: ignore\ny = jnp.square(x)\n",
    ),
    "a comment for some diagnostics": (
        HEAD + "y = tf.maximum(x, tf.square(x))  # tf2jax: ignore[TJ2, TJ301]\n",
        HEAD
        + "import jax.numpy as jnp\ny = tf.maximum(x, jnp.square(x))  # tf2jax: ignore[TJ2, TJ301]\n",
    ),
    "a comment for what is no diagnostic": (
        HEAD + "y = tf.square(x)  # tf2jax: ignore[E501]\nz = tf.exp(x)  # tf2jax: ignore[]\n",
        HEAD
        + "import jax.numpy as jnp\ny = jnp.square(x)  # tf2jax: ignore[E501]\nz = tf.exp(x)  # tf2jax: ignore[]\n",
    ),
    "a comment with a reason": (
        HEAD + "y = tf.foo(x)  # tf2jax: ignore[TJ301] our own build has it\n",
        HEAD + "y = tf.foo(x)  # tf2jax: ignore[TJ301] our own build has it\n",
    ),
    "no marker where a comment is": (
        HEAD
        + "# TJ301: tf.foo: TensorFlow has no such name\ny = tf.foo(x)  # tf2jax: ignore[TJ301]\n",
        HEAD + "y = tf.foo(x)  # tf2jax: ignore[TJ301]\n",
    ),
    "a file": (
        HEAD + "# tf2jax: ignore-file\n# TJ301: stays\ny = tf.square(x)\n",
        HEAD + "# tf2jax: ignore-file\n# TJ301: stays\ny = tf.square(x)\n",
    ),
    "some diagnostics of a file": (
        HEAD + "y = tf.abs(tf.square(x))\n# tf2jax: ignore-file[TJ2]\n",
        HEAD + "import jax.numpy as jnp\ny = tf.abs(jnp.square(x))\n# tf2jax: ignore-file[TJ2]\n",
    ),
    "an import": (
        "import tensorflow as tf  # tf2jax: ignore\ny = tf.square(x)\n",
        "import tensorflow as tf  # tf2jax: ignore\nimport jax.numpy as jnp\ny = jnp.square(x)\n",
    ),
    "an alias": (
        HEAD + "m = tf.math  # tf2jax: ignore\ny = m.log(x)\n",
        HEAD + "import jax.numpy as jnp\nm = tf.math  # tf2jax: ignore\ny = jnp.log(x)\n",
    ),
    "a star": (
        "from tensorflow import *  # tf2jax: ignore\n",
        "from tensorflow import *  # tf2jax: ignore\n",
    ),
    "a text that looks like a comment": (
        HEAD + "s = '# tf2jax: ignore'; y = tf.square(x)\n",
        "import jax.numpy as jnp\ns = '# tf2jax: ignore'; y = jnp.square(x)\n",
    ),
    "another word": (
        HEAD + "y = tf.square(x)  # tf2jax: ignored\n",
        "import jax.numpy as jnp\ny = jnp.square(x)  # tf2jax: ignored\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), LEFT.values(), ids=LEFT)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_comments(before, after, end):
    outcome = rewrite(before.replace("\n", end).encode())
    assert outcome.data.decode() == after.replace("\n", end)
    assert rewrite(outcome.data).data == outcome.data


def test_an_ignored_place_is_nobodys_work():
    outcome = rewrite((HEAD + "y = tf.foo(x)  # tf2jax: ignore\n").encode())
    (finding,) = outcome.findings
    assert (finding.state, finding.code) == (State.KEPT, "TJ502")
    assert finding.message == "a comment excludes TJ301 here"
    assert not outcome.needs_person


@pytest.mark.parametrize(
    ("comment", "clause"),
    [
        ("ignore[E501]", "`E501`"),
        ("ignore[TJ1, TF301, TJ777] a reason", "`TF301`, `TJ777`"),
        ("ignore[TJ1]", ""),
        ("ignore[tj201]", ""),
    ],
)
def test_a_name_that_is_no_diagnostic_excludes_nothing_and_is_reported(comment, clause):
    outcome = rewrite((HEAD + f"y = tf.foo(x)  # tf2jax: {comment}\n").encode())
    (finding,) = outcome.findings
    assert (finding.state, finding.code) == (State.MANUAL, "TJ301")
    says = f"; the comment `tf2jax: ignore` names {clause}: no diagnostic begins like this, so this excludes nothing"
    assert finding.message == "TensorFlow has no such name" + says * bool(clause)
    assert rewrite(outcome.data).data == outcome.data


PROGRAM = HEAD + "y = tf.maximum(x, tf.square(x))\nz = tf.foo(tf.unique(y))\n"
CHOSEN = [
    (Options(), ["TJ201", "TJ101", "TJ301", "TJ401"]),
    (Options(select=("TJ1",)), ["TJ503", "TJ101", "TJ503", "TJ503"]),
    (Options(ignore=("TJ1",)), ["TJ201", "TJ503", "TJ301", "TJ401"]),
    (Options(select=("TJ1", "TJ401"), ignore=("TJ4",)), ["TJ503", "TJ101", "TJ503", "TJ401"]),
    (Options(select=("TJ4",), ignore=("TJ401",)), ["TJ503", "TJ503", "TJ503", "TJ503"]),
    (Options(exact=True), ["TJ404", "TJ101", "TJ301", "TJ401"]),
    (Options(safe_only=True), ["TJ404", "TJ101", "TJ301", "TJ401"]),
    (Options(exact=True, ignore=("TJ404",)), ["TJ503", "TJ101", "TJ301", "TJ401"]),
]


@pytest.mark.parametrize(("options", "codes"), CHOSEN)
def test_select_and_ignore(options, codes):
    outcome = rewrite(PROGRAM.encode(), options)
    assert [finding.code for finding in outcome.findings] == codes
    assert rewrite(outcome.data, options).data == outcome.data


def test_safe_only_writes_nothing_that_could_differ():
    code = HEAD + "y = x.numpy()\nz = tf.maximum(y, 0.0)\nw = tf.square(y)\n"
    outcome = rewrite(code.encode(), Options(safe_only=True))
    assert outcome.data.decode() == (
        "import jax.numpy as jnp\nimport shims\n"
        "y = x.numpy()\nz = shims.maximum(y, 0.0)\nw = jnp.square(y)\n"
    )
    assert [(f.state, f.code, f.message) for f in outcome.findings] == [
        (State.MANUAL, "TJ313", "TJ202: the code nearby does not show that this is a tensor"),
        (
            State.SHIM,
            "TJ404",
            "`shims.maximum`; JAX's own function differs: at a tie, TensorFlow assigns the whole gradient to the "
            "first operand, and JAX assigns half of the gradient to each operand",
        ),
        (State.REWRITTEN, "TJ101", "JAX has the same operator"),
    ]


def test_what_was_read_as_version_1_is_remembered():
    """Without `to_float` nothing else would say that `boolean_mask` has the old order of arguments."""
    code = HEAD + "k = tf.to_float(x)\ny = tf.boolean_mask(x, m, 'n', 1)\n"
    first = rewrite(code.encode(), Options(ignore=("TJ401",)))
    assert b"# TJ503: tf.boolean_mask: TJ401 is not selected (read as TensorFlow 1)\n" in first.data
    assert b"shims.boolean_mask(x, m, name='n', axis=1)" in rewrite(first.data).data


@pytest.mark.parametrize("target", ["jax", "shims"])
def test_the_states_add_up_for_every_choice(target):
    for options in (o for o, _ in CHOSEN):
        asked = Options(target, options.exact, options.safe_only, options.select, options.ignore)
        outcome = rewrite(PROGRAM.encode(), asked)
        assert outcome.references == len(outcome.findings) == 4


REVIEWED = [
    row
    for row in (*table.ROWS, *table.CONSTRUCTS)
    if isinstance(row.target, Native) and row.differs
]


@pytest.mark.parametrize("row", REVIEWED, ids=lambda row: row.name)
def test_a_corner_has_an_exact_form(row):
    """A row without one has no function in `shims`, so that `--safe-only` leaves it alone."""
    assert has_exact_form(row) or facade(row) is None
