"""Rows' expressions, cut into pieces and put together for one call."""

import pytest

from tf2jax_port.rewrite import rewrite
from tf2jax_port.rewrite.knowledge import known as knowledge
from tf2jax_port.table import Native, Row

# Rows of forms that the table may have: operators, methods, several uses, optional ends.
ROWS = (
    Row("plus", "x, y, name=None", Native("{x} + {y}")),
    Row(
        "late",
        "x, start=0, stop=1, step=2",
        Native("jnp.f({x}, {start}, {stop}, {step})", ("stop", "step")),
    ),
    Row("twice", "x, y=1", Native("jnp.where({x} > 0, {x}, {y})")),
    Row("method", "x, dtype", Native("{x}.astype({dtype})")),
    Row("swapped", "x, y", Native("jnp.g({y}, {x})")),
    Row("fixed", "x", Native("jnp.h({x}, flag=True)")),
    Row("needy", "x, y=None", Native("jnp.k({x}, {y})", needs=("y",))),
    Row("spelled", "x, axis=None", Native("jnp.m({x}, axis={axis})", defaults=(("axis", "0"),))),
    Row("built", "x", Native("list({x})")),
    Row("item", "x, i", Native("{x}[{i}]")),
    Row(
        "part",
        "x, start=0, stop=1, step=2",
        Native("jnp.f({x}, {start}, {stop}, {step})[0]", ("stop", "step")),
    ),
)
AFTER = {
    "tf.plus(a, b)": "a + b",
    "z * tf.plus(a, b)": "z * (a + b)",
    "-tf.plus(a, b).T": "-(a + b).T",
    "f(tf.plus(a, b))": "f(a + b)",
    "tf.plus(a if c else d, b)": "(a if c else d) + b",
    "tf.plus(lambda: 1, b)": "(lambda: 1) + b",
    "tf.plus(-a, (b))": "(-a) + (b)",
    "tf.plus(1, a.b[c](d))": "(1) + a.b[c](d)",
    "tf.plus((a\n  .b), b)": "(a\n  .b) + b",
    "tf.plus(a\n  .b, b)": "(a\n  .b) + b",
    "tf.plus(y=b, x=a)": "a + b",
    "tf.plus(tf.plus(a, b), c)": "(a + b) + c",
    "tf.late(a)": "jnp.f(a, 0)",
    "tf.late(a, 5)": "jnp.f(a, 5)",
    "tf.late(a, 5, 6, 7)": "jnp.f(a, 5, 6, 7)",
    "tf.late(a, step=7)": "jnp.f(a, 0, 1, 7)",
    "tf.twice(a)": "jnp.where(a > 0, a, 1)",
    "tf.twice(a.b, c())": "jnp.where(a.b > 0, a.b, c())",
    "tf.twice(c())": "shims.twice(c())",
    "tf.method(a, d)": "a.astype(d)",
    "tf.method(3, d)": "(3).astype(d)",
    "tf.method(a + b, dtype=d)": "(a + b).astype(d)",
    "tf.method(await_, d)[0]": "await_.astype(d)[0]",
    "tf.swapped(a, b)": "jnp.g(b, a)",
    "tf.swapped((a := f()), a)": "shims.swapped((a := f()), a)",
    "tf.fixed(a)": "jnp.h(a, flag=True)",
    "tf.fixed(\n  a,  # why\n)": "jnp.h(\n  a, flag=True,  # why\n)",
    "tf.needy(a, b)": "jnp.k(a, b)",
    "tf.needy(a)": "shims.needy(a)",
    "tf.spelled(a)": "jnp.m(a, axis=0)",
    "tf.spelled(a, 2)": "jnp.m(a, axis=2)",
    "tf.spelled(a, axis=None)": "jnp.m(a, axis=0)",
    "tf.spelled(a, None)": "jnp.m(a, axis=0)",
    "tf.spelled(a, axis=b)": "jnp.m(a, axis=b)",
    "tf.needy(a, None)": "shims.needy(a, None)",
    "tf.built(a)": "list(a)",
    "tf.item(a, b\n  .c)": "a[b\n  .c]",
    "tf.item(a\n  .b, c)": "(a\n  .b)[c]",
    "tf.part(a)": "jnp.f(a, 0)[0]",
    "tf.part(a, 5)": "jnp.f(a, 5)[0]",
    "tf.part(a, stop=7)": "jnp.f(a, 0, 7)[0]",
    "tf.part(a, step=7)": "jnp.f(a, 0, 1, 7)[0]",
}


@pytest.fixture
def own_rows(monkeypatch):
    table = {row.name: row for row in ROWS}
    monkeypatch.setattr(knowledge, "rows", lambda: table)
    monkeypatch.setattr(knowledge, "_IN_THE_TABLE", frozenset(table))


@pytest.mark.parametrize(("before", "after"), AFTER.items(), ids=AFTER)
def test_calls(own_rows, before, after):
    code = f"import tensorflow as tf\nd = ({before})\n"
    text = rewrite(code.encode()).data.decode()
    assert text.partition("d = ")[2] == f"({after})\n"


def test_a_builtin_that_the_file_rebinds_is_not_used(own_rows):
    code = "import tensorflow as tf\nlist = 1\nd = tf.built(a)\n"
    assert rewrite(code.encode()).data.decode() == "import shims\nlist = 1\nd = shims.built(a)\n"
