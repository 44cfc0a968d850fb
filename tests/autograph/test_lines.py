"""Errors, notes and tracebacks name the lines that the user wrote."""

import traceback

import jax
import jax.numpy as jnp
import pytest

from shims._src.autograph import convert
from shims._src.errors import errors


def lines_of(error):
    """The lines of this file in a traceback."""
    frames = traceback.extract_tb(error.__traceback__)
    return [(f.name, f.line) for f in frames if f.filename == __file__]


def below(x):
    if x > 1:
        return x @ x
    return x


def above(x):
    total = 0.0
    for value in x:
        while total < 10:
            total = total + below(value)
    return total


def test_a_traceback_through_staged_code():
    with pytest.raises(ValueError, match="matmul") as caught:
        jax.jit(convert(above))(jnp.ones(3))
    own = [line for _, line in lines_of(caught.value)]
    assert own[-5:] == [
        "for value in x:",
        "while total < 10:",
        "total = total + below(value)",
        "if x > 1:",
        "return x @ x",
    ]


def fails_on_a_condition(x):
    y = [1, 2]
    if x > 0 and y[5]:
        return x
    return x


def fails_in_a_lambda(x):
    return (lambda v: v if v > 0 else missing(v))(x)  # noqa: F821, the mistake


def fails_over_lines(x):
    return below(
        x,
        x,
    )


def fails_in_a_decorated_function(x):
    @convert
    def inner(v):
        value = v * 2
        return value.no_such_attribute

    return inner(x)


MISTAKES = {
    fails_on_a_condition: (IndexError, "if x > 0 and y[5]:"),
    fails_in_a_lambda: (
        NameError,
        "return (lambda v: v if v > 0 else missing(v))(x)  # noqa: F821, the mistake",
    ),
    fails_over_lines: (TypeError, "return below("),
    fails_in_a_decorated_function: (AttributeError, "return value.no_such_attribute"),
}


@pytest.mark.parametrize("f", MISTAKES, ids=lambda f: f.__name__)
def test_mistakes(f):
    error, line = MISTAKES[f]
    with pytest.raises(error) as caught:
        jax.jit(convert(f))(1.0)
    assert lines_of(caught.value)[-1][1] == line


def test_positions_within_a_line():
    with pytest.raises(ValueError, match="matmul") as caught:
        jax.jit(convert(above))(jnp.ones(3))
    frame = next(
        f
        for f in traceback.extract_tb(caught.value.__traceback__)
        if f.filename == __file__ and f.line == "return x @ x"
    )
    assert frame.line[frame.colno - 8 : frame.end_colno - 8] == "x @ x"


def test_messages_name_the_line():
    seen = []

    def note():
        seen.append(errors.user_line())

    def f(x):
        if x > 0:
            for _ in range(1):
                note()
        return x

    jax.jit(convert(f))(1.0)
    line = test_messages_name_the_line.__code__.co_firstlineno + 4
    assert seen == [f"test_lines.py:{line}  seen.append(errors.user_line())"]


def test_jax_knows_the_lines():
    def f(x):
        if x > 0:
            x = jnp.sin(x)
        return x

    jaxpr = jax.make_jaxpr(convert(f))(1.0)
    inner = jaxpr.eqns[-1].params["branches"][1].eqns[0]
    frames = [f for f in inner.source_info.traceback.frames if f.file_name == __file__]
    first = f.__code__.co_firstlineno
    assert frames[0].line_num == first + 2
