"""Lists that a loop over a selection or a size fills: they behave as the list of the exact program."""

import functools
import itertools
import linecache
import types

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

LOOPS = {
    "selection": "for t in x[x > 0]:",
    "size": "s = x[x > 0]\n    for i in range(s.shape[0]):\n        t = s[i]",
    "while": "s = x[x > 0]; i = 0\n    while i < s.shape[0]:\n        t = s[i]; i += 1",
    "condition": "for t in x[x > 0]:\n      if t > 1.5:",
}
OF_NUMBERS = (
    *(
        "jnp.array(acc)",
        "jnp.stack(acc).sum()",
        "acc[1]",
        "acc[-1]",
        "len(acc)",
        "acc",
        "acc + acc",
    ),
    *("acc + [x[0]]", "jnp.array([x[0]] + acc)", "jnp.array(acc * 2)", "[a * 2 for a in acc]"),
    *(
        "sum(acc)",
        "sum(acc) / len(acc)",
        "tuple(acc)",
        "list(reversed(acc))",
        "acc[::-1]",
        "acc[:2]",
    ),
    *("[acc]", "{'a': acc}", "(lambda r: r)(acc)", "dict(enumerate(acc))", "jnp.hstack(acc)"),
    *("functools.reduce(lambda a, b: a * b, acc)", "jax.tree.map(lambda a: a + 1, acc)"),
    *("jax.tree.leaves(acc)", "bool(acc)", "not acc", "1 if acc else 2", "isinstance(acc, list)"),
    *("acc != []", "jnp.concatenate([jnp.stack(acc), x])", "jnp.asarray(acc, jnp.int32)"),
)
OF_ROWS = (
    *("jnp.array(acc)", "jnp.array(acc)[:, 1].sum()", "acc[0][1]", "acc[-1][0]", "len(acc)", "acc"),
    *("acc + acc", "jnp.array(acc + [[x[0], x[1]]])", "[a + b for a, b in acc]", "list(zip(*acc))"),
    *("jnp.stack([jnp.stack(a) for a in acc])", "sum(a * b for a, b in acc)", "rows(acc)"),
    *(
        "jax.tree.map(lambda v: v + 1, acc)",
        "jnp.max(jnp.array(acc), axis=0)",
        "jnp.array(acc[1:])",
    ),
    *("jnp.concatenate([jnp.asarray(a) for a in acc])", "acc.copy()"),
)
APPENDS = {"acc.append(t)": OF_NUMBERS, "acc.append([t, 2 * t])": OF_ROWS}
PROGRAMS = [
    (loop, append, use)
    for loop, (append, uses) in itertools.product(LOOPS, APPENDS.items())
    for use in uses
]
DATA = np.array([3.0, -1.0, 1.0, 2.0], np.float32)


def rows(acc):
    return sum(a * b for a, b in acc)


def program(loop, append, use):
    return written(
        f"def f(x):\n    acc = []\n    {LOOPS[loop]}\n        {append}\n    return {use}\n"
    )


def written(text):
    """The function `f` of a text, which autograph finds."""
    name = f"<program {len(linecache.cache)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names = {
        "__name__": "written_program",
        "jax": jax,
        "jnp": jnp,
        "functools": functools,
        "rows": rows,
    }
    exec(compile(text, name, "exec"), names)
    return names["f"]


@pytest.mark.parametrize(("loop", "append", "use"), PROGRAMS)
@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
def test_a_grown_list_is_that_of_the_exact_program(loop, append, use):
    f = program(loop, append, use)
    wanted, found = f(jnp.asarray(DATA)), shims.function(f)(DATA)
    assert jax.tree.structure(wanted) == jax.tree.structure(found)
    for one, other in zip(jax.tree.leaves(wanted), jax.tree.leaves(found), strict=True):
        assert np.shape(one) == np.shape(other)
        np.testing.assert_allclose(one, other, rtol=1e-6)


@pytest.mark.parametrize("loop", LOOPS)
def test_rows_inside_of_an_enclosing_jit(loop):
    f = program(loop, "acc.append([t, 2 * t])", "jnp.array(acc)[:, 1]")
    found = jax.jit(shims.function(f))(DATA).unpad()
    np.testing.assert_array_equal(found, f(jnp.asarray(DATA)))


def labelled(x):
    rows = []
    for t in x[x > 0]:
        rows.append([t, 0.0])
    rows[0][0] = jnp.float32(7)
    for r in rows:
        r[1] = r[0] * 2
    return rows


def shared_row(x):
    r, rows = {"n": 0}, []
    for _ in x[x > 0]:
        r["n"] += 1
        rows.append(r)
    return rows


def chained(x):
    root = {"v": x[0], "kids": []}
    current = root
    for t in x[x > 0]:
        node = {"v": t, "kids": []}
        current["kids"].append(node)
        current = node
    return root


def named_after(x):
    root = {"v": 0.0}
    current = root
    for t in x[x > 0]:
        current["v"] = current["v"] + t
        current = {"v": t}
    return root, current


def bound_append(x):
    acc = []
    push = acc.append
    for t in x[x > 0]:
        push(t)
    return acc


def group_sum(x):
    sums = {}
    for t in x[x > 0]:
        sums["s"] = sums.get("s", 0) + t
    return sums


def first_only(x):
    seen = {}
    for t in x:
        if "first" not in seen:
            seen["first"] = t
    return seen


def of_attributes(x):
    o = types.SimpleNamespace()
    for t in x[x > 0]:
        o.s = getattr(o, "s", 0) + t
    return o.s


@pytest.mark.parametrize(
    "f",
    [
        labelled,
        shared_row,
        chained,
        named_after,
        bound_append,
        group_sum,
        first_only,
        of_attributes,
    ],
)
@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
def test_containers_that_a_loop_makes_or_changes(f):
    wanted, found = f(jnp.asarray(DATA)), shims.function(f)(DATA)
    assert jax.tree.structure(wanted) == jax.tree.structure(found)
    for one, other in zip(jax.tree.leaves(wanted), jax.tree.leaves(found), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)


@pytest.mark.parametrize("change", ["rows[0][0] = t", "for r in rows:\n        r[1] = t"])
def test_changed_rows_inside_of_an_enclosing_jit(change):
    text = "def f(x):\n    rows = []\n    for t in x[x > 0]:\n        rows.append([t, t])\n"
    text += f"    t = 1.0\n    {change}\n    return sum(a + 2 * b for a, b in rows) * x[0]\n"
    f = written(text)
    np.testing.assert_allclose(jax.jit(shims.function(f))(DATA), f(jnp.asarray(DATA)), rtol=1e-6)
