"""The text of a number that a staged loop counts is that of the number, never that of a tracer."""

import linecache
import textwrap

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

X = jnp.arange(1.0, 13.0) * jnp.where(jnp.arange(12) == 4, -1, 1)

TEXTS = {
    "str": "len(str(i))",
    "f-string": "len(f'{i}')",
    "width": "len(f'{i:03d}')",
    "conversion": "len(f'{i!r}')",
    "%d": "len('%d' % i)",
    "%s": "len('%s' % i)",
    "repr": "len(repr(i))",
    "format": "len(format(i, 'd'))",
    "str.format": "len('{}'.format(i))",
    "hex": "len(hex(i))",
    "int": "int(i)",
    "join": "len(','.join(map(str, [i, 1])))",
    "computed": "len(str(i * 2 + 1))",
    "in a tuple": "len(str((i, 1)))",
    "method": "len(i.__str__())",
    "key": "{'0': 1.0, '1': 2.0}.get(str(i), 3.0)",
}
LOOPS = {
    "range": "for i in range(y.shape[0]):\n    t = t + y[i] * W",
    "enumerate": "for i, v in enumerate(y):\n    t = t + v * W",
    "static": "for i, v in enumerate(x):\n    t = t + v * W",
    "zip": "for v, i in zip(y, range(y.shape[0])):\n    t = t + v * W",
    "while": "while i < y.shape[0]:\n    t = t + y[i] * W\n    i = i + 1",
    "break": "while True:\n    if i >= y.shape[0]: break\n    t = t + y[i] * W\n    i += 1",
    "counter": "for v in y:\n    t = t + v * W\n    i += 1",
    "after": "for _ in range(y.shape[0]):\n    i = i + 1\nt = t + W",
    "if": "for i in range(y.shape[0]):\n    if i > 1:\n        t = t + y[i] * W",
}
PAIRS = [
    (t, n) for t in TEXTS for n in LOOPS if t in ("str", "f-string") or n in ("range", "break")
]


def loaded(text: str, loop: str):
    source = "def f(x):\n    y, t, i = x[x > 0], 0.0, 0\n"
    source += textwrap.indent(LOOPS[loop].replace("W", TEXTS[text]), "    ") + "\n    return t\n"
    file = f"<text: {text}, {loop}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    space = {"__name__": "texts"}
    exec(compile(source, file, "exec"), space)
    return space["f"]


@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
@pytest.mark.parametrize(("text", "loop"), PAIRS)
def test_texts(text, loop):
    f = loaded(text, loop)
    np.testing.assert_allclose(float(shims.function(f)(X)), float(f(X)), rtol=1e-6)


@pytest.mark.parametrize("loop", ["range", "while", "after"])
def test_few_sizes_under_jit(loop):
    f = loaded("str", loop)
    few = X[:8]
    got = jax.jit(shims.function(f))(few)
    np.testing.assert_allclose(float(got), float(f(few)), rtol=1e-6)


def test_a_number_that_data_count_is_refused():
    def f(x):
        n, total = 0, x[0]
        while total < 6:
            n, total = n + 1, total + 1
        return len(str(n))

    with pytest.raises(shims.errors.TracedValueError, match="known only when the program runs"):
        shims.function(f)(X)

    def advised(x):
        n, total = 0, x[0]
        while total < 6:
            n, total = n + 1, total + 1
        return jnp.where(n > 9, 2, 1)

    assert int(shims.function(advised)(X)) == f(X) == 1


def test_a_message_shows_the_tracer(capsys):
    def f(x):
        t = 0.0
        for i in range(x[x > 0].shape[0]):
            print(i)  # noqa: T201 - a text for people
            t = t + i
        return t

    assert float(shims.function(f)(X)) == float(f(X))
    assert "Tracer" in capsys.readouterr().out
