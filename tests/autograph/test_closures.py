"""A closure reads the variable that a converted statement has assigned, wherever the statement stands."""

import functools
import linecache
import textwrap

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

X = jnp.array([3.0, -1.0, 1.0, 2.0])

# How a closure over `k` is made, and how it is called.
CLOSURES = {
    "lambda": ("h = lambda z: z * k", "h(x)"),
    "in a dict": ("d = {'h': lambda z: z * k}", "d['h'](x)"),
    "appended": ("l = []\nl.append(lambda z: z * k)", "l[-1](x)"),
    "partial": ("p = functools.partial(lambda y, z: z * k + y, 0.0)", "p(x)"),
    "default": ("def w(z, g=lambda z: z * k): return g(z)", "w(x)"),
    "of a comprehension": ("l = [lambda z: z * k for _ in range(2)]", "l[1](x)"),
    "in a lambda": ("h = lambda: lambda z: z * k", "h()(x)"),
    "def": ("def h(z): return z * k", "h(x)"),
    "def in def": (
        "def o():\n    def h(z): return z * k\n    return h\nh = o()",
        "h(x)",
    ),
    "nonlocal": ("def h(z):\n    nonlocal k\n    k = k + 0.0\n    return z * k", "h(x)"),
    "generator": ("g = (k * one for one in [1.0])", "next(g) * x"),
    "map": ("g = map(lambda one: k * one, [1.0])", "list(g)[0] * x"),
}
STATEMENTS = {
    "if": "if x.shape[0] > 2:\n    k = 5.0",
    "else": "if x.shape[0] > 9:\n    k = 5.0\nelse:\n    k = 6.0",
    "if by size": "if s.shape[0] > 2:\n    k = 5.0",
    "if by data": "if x[0] > 2:\n    k = 5.0",
    "nested if": "if s.shape[0] > 1:\n    if x[0] > 2:\n        k = 5.0",
    "for": "for i in range(3):\n    k = i * 2.0",
    "target": "for k in range(3):\n    u = u + 1.0",
    "for by size": "for i in range(s.shape[0]):\n    k = i * 2.0",
    "for over items": "for v in s:\n    k = v * 2.0",
    "break": "for v in s:\n    k = v * 2.0\n    if v > 2: break",
    "while": "n = 0\nwhile n < 3:\n    n = n + 1\n    k = n * 2.0",
    "while by size": "n = 0\nwhile n < s.shape[0]:\n    n = n + 1\n    k = n * 2.0",
    "while by data": "n = x[3]\nwhile n < 5:\n    n = n + 1\n    k = n * 2.0",
    "with": "with jax.named_scope('a'):\n    if s.shape[0] > 2:\n        k = 5.0",
    "try": "try:\n    if s.shape[0] > 2:\n        k = 5.0\nfinally:\n    pass",
    "walrus": "if s.shape[0] > 2:\n    u = u + (k := 5.0)",
    "walrus in a list": "if x.shape[0] > 2:\n    u = u + sum([(k := q) for q in (1.0, 2.0)])",
    "augmented": "for i in range(s.shape[0]):\n    k += 4.0",
    "deleted": "if x.shape[0] > 2:\n    del k\n    k = 5.0",
    "tuple": "if s.shape[0] > 2:\n    (k, _), u = (5.0, 1.0), 6.0",
}


def loaded(name: str, body: str):
    """Compile a function of `x` whose source text can be found."""
    text = "def f(x):\n    s = x[x > 0]\n    k, u = 1.0, 0.0\n"
    text += textwrap.indent(body, "    ") + "\n    return t + 0 * u\n"
    file = f"<closure: {name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    space = {"jax": jax, "functools": functools, "__name__": "closures"}
    exec(compile(text, file, "exec"), space)
    return space["f"]


def check(f, *lanes):
    expected = np.asarray(f(X))
    for lane in lanes or (shims.function, lambda f: jax.jit(shims.function(f))):
        np.testing.assert_allclose(np.asarray(lane(f)(X)), expected, rtol=1e-6)


@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize("closure", ["lambda", "generator"])
def test_statements(closure, statement):
    make, use = CLOSURES[closure]
    body = f"{make}\n{STATEMENTS[statement]}\nt = {use}"
    check(loaded(f"{closure}, {statement}", body))


@pytest.mark.parametrize("closure", CLOSURES)
@pytest.mark.parametrize("statement", ["if", "for over items", "while by size"])
def test_closures(closure, statement):
    make, use = CLOSURES[closure]
    body = f"{make}\n{STATEMENTS[statement]}\nt = {use}"
    check(loaded(f"{closure}, {statement}", body), shims.function)


@pytest.mark.parametrize("statement", ["if", "if by size", "for by size", "while by data"])
def test_a_call_in_the_statement_that_assigns(statement):
    last = STATEMENTS[statement].rpartition("\n")[2]
    indent = last[: len(last) - len(last.lstrip())]
    body = f"t = x\nh = lambda z: z * k\n{STATEMENTS[statement]}\n{indent}t = t + h(x)"
    check(loaded(f"call, {statement}", body))


def late(x):
    functions = []
    for i in range(4):
        functions.append(lambda z: z * i)  # noqa: B023 - that is what is tested
    return jnp.stack([jnp.float32(f(1.0)) for f in functions])


def late_by_size(x):
    functions = []
    for i in range(x[x > 0].shape[0]):
        functions.append(lambda z: z * i)  # noqa: B023 - that is what is tested
    return sum(f(1.0) for f in functions)


def early(x):
    functions = []
    for i in range(4):
        functions.append(lambda z, i=i: z * i)
    return jnp.stack([jnp.float32(f(1.0)) for f in functions])


def gradient(x):
    scale = 1.0
    loss = lambda w: jnp.sum((w * scale) ** 2)
    if x[x > 0].shape[0] > 2:
        scale = 0.1
    return jax.grad(loss)(x)


def other_temporaries_in_the_branches(x):
    s = x[x > 0]
    if s.shape[0] > 2:
        part = s[:2]
        y = jax.vmap(lambda v: v * part.sum())(x)
    else:
        part = (s[:1], "one")
        y = jax.vmap(lambda v: v * part[0].sum())(x)
    return y


def other_temporary_in_the_loop(x):
    part, total = "none", jnp.zeros(4)
    for v in x[x > 0]:
        part = v * 2
        total = total + jax.vmap(lambda w: w * part)(x)  # noqa: B023 - that is what is tested
    return total


def parts_of_an_object(x):
    table = {"k": 1.0}
    h = lambda z: z * table["k"]
    if x[x > 0].shape[0] > 2:
        table["k"] = 5.0
    return h(x)


@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
@pytest.mark.parametrize(
    "f",
    [
        late,
        late_by_size,
        early,
        gradient,
        other_temporaries_in_the_branches,
        other_temporary_in_the_loop,
        parts_of_an_object,
    ],
)
def test_programs(f):
    check(f)


KEPT = []
SCALE = 1.0


def test_a_closure_that_leaves_the_function():
    def f(x):
        k = 1.0
        KEPT.append(lambda z: z * k)
        if x.shape[0] > 2:
            k = 5.0

    shims.function(f)(X)
    assert KEPT.pop()(2.0) == 10.0


def test_a_global_that_only_other_code_reads():
    def f(x):
        global SCALE
        if x.shape[0] > 2:
            SCALE = 5.0
        return x

    shims.function(f)(X)
    assert SCALE == 5.0


def test_branches_whose_values_cannot_be_combined_are_refused_where_they_are_read():
    def f(x):
        k = 1.0
        h = lambda z: z * k
        if x[0] > 0:
            k = "text"
        return h(x[0])

    with pytest.raises(TypeError, match="`k` depends on a traced condition, but is not an array"):
        jax.jit(shims.function(f))(X)


def changed_in_a_branch(x):
    n = jnp.float32(1)
    if x[0] > 0:

        def add():
            nonlocal n
            n = n + x[0]

        add()
    return n


def changed_by_a_call(x):
    n, held = jnp.float32(0), [x[0]]

    def add(v):
        nonlocal n, held
        n = n + v
        held = [v]
        return v

    if x[0] > 2:
        add(x[0])
    else:
        add(add(x[1]) + 1)
    return n, held[0]


def changed_in_a_while(x):
    n, i = jnp.float32(0), jnp.int32(0)

    def add(v):
        nonlocal n
        n = n + v

    while i < jnp.sum(x > 0):
        add(x[i])
        i = i + 1
    return n


def changed_by_a_function_of_a_function(x):
    n = jnp.float32(0)

    def add(v):
        nonlocal n
        n = n + v

    def run(v):
        add(v * 2)

    for v in x:
        if v > 1:
            run(v)
    return n


@pytest.mark.parametrize(
    "f",
    [
        changed_in_a_branch,
        changed_by_a_call,
        changed_in_a_while,
        changed_by_a_function_of_a_function,
    ],
)
def test_nonlocal_variables_that_calls_in_statements_on_data_change(f):
    for x in (jnp.array([3.0, -1, 2]), jnp.array([-3.0, 1, 2])):
        wanted = jax.tree.leaves(f(x))
        for lane in (shims.function(f), jax.jit(shims.function(f))):
            for a, b in zip(jax.tree.leaves(lane(x)), wanted, strict=True):
                np.testing.assert_allclose(a, b)
