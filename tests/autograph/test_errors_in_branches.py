"""Branches that the data choose and that end in an error: the error, and what the other branches assign and return."""

import linecache
import textwrap

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

DATA = ([1.0, 2.0], [-1.0, -2.0], [4.0, 5.0], [1.0, -3.0], [-3.0, 9.0])


def one(x):
    if x.sum() > 5:
        return x
    else:
        raise ValueError("small")


def guard(x):
    if x.sum() > 5:
        return x
    raise ValueError("small")


def guards(x):
    if x.sum() < 0:
        raise KeyError("negative")
    if x.sum() > 5:
        return x
    if x[0] > 0:
        raise ValueError("small")
    return x * 2


def chain(x):
    if x.sum() > 5:
        k = 1
    elif x.sum() > 0:
        raise ValueError("small")
    else:
        raise KeyError("negative")
    return x * k


def chain_returns(x):
    if x.sum() <= 0:
        raise ValueError("negative")
    elif x.sum() > 5:
        return x
    else:
        raise KeyError("small")


def nested(x):
    if x[0] > 0:
        if x.sum() > 0:
            raise ValueError("positive")
        else:
            raise KeyError("negative")
    return x * 2


def nested_flags(x):
    if x[0] > 0:
        y = x * 2
    else:
        if x.sum() > 0:
            y = x * 3
        elif x[1] > -5:
            raise ValueError("above")
        else:
            raise KeyError("below")
    return y


def collects(x):
    parts = [x]
    if x.sum() > 5:
        parts.append(x * 2)
    else:
        raise ValueError("small")
    return sum(parts)


def caught(x):
    try:
        if x.sum() > 0:
            raise ValueError("positive")
        else:
            raise KeyError("negative")
    except KeyError:
        return x * 0
    except ValueError:
        return x * 3


def of_a_selection(x):
    y = x[x > 0]
    if y.shape[0] > 1:
        if y.sum() > 5:
            raise ValueError("large")
        else:
            raise KeyError("small")
    return y.sum()


PROGRAMS = (
    *(one, guard, guards, chain, chain_returns, nested, nested_flags, collects, caught),
    of_a_selection,
)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_as_for_the_branch_that_the_data_take(program):
    at_top, under_jit = shims.function(program), jax.jit(shims.dynamic(program))
    for data in map(jnp.array, DATA):
        want = outcome(program, data)
        if isinstance(want, str):
            assert outcome(at_top, data).removeprefix("InvalidArgumentError: ").startswith(want)
            assert np.isnan(under_jit(data)).all()  # here the values tell
        else:
            np.testing.assert_array_equal(at_top(data), want)
            np.testing.assert_array_equal(under_jit(data), want)


def outcome(call, data):
    try:
        return call(data)
    except (ValueError, KeyError, shims.errors.InvalidArgumentError) as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("wrap", [shims.function, lambda f: jax.jit(shims.dynamic(f))])
def test_an_error_for_all_data_names_all(wrap):
    def program(x):
        if x.sum() > 5:
            raise OSError("large")
        elif x.sum() > 0:
            raise ValueError("positive")
        else:
            raise KeyError("negative")
        return x.nothing

    with pytest.raises(shims.errors.InvalidArgumentError, match="in every branch") as raised:
        wrap(program)(jnp.ones(2))
    assert "OSError: large; or ValueError: positive; or KeyError: 'negative'" in str(raised.value)


# What an iteration does with its item, where an error is handled, and what the handler does.
STEPS = {
    "raise": "if v < 0:\n    raise ValueError('negative')\nout = out + v",
    "raise in else": "if v >= 0:\n    out = out + v\nelse:\n    raise ValueError('negative')",
    "assert": "assert v >= 0\nout = out + v",
    "assert, text": "assert v >= 0, 'negative'\nout = out + v",
    "function": "out = out + checked(v)",
    "math": "out = out + math.sqrt(v)",
}
LOOPS = {
    "array": "for v in x:",
    "selection": "for v in x[x < 50]:",
    "enumerate": "for i, v in enumerate(x):",
    "zip": "for v, w in zip(x, x):",
    "range": "for v in [x[i] for i in range(x.shape[0])]:",
    "list": "for v in [x[0], x[1]]:",
    "once": "for v in (x[1],):",
}
FORMS = {
    "inside": "{loop}\n    try:\n{step8}\n    except (ValueError, AssertionError):\n        out = out + 100.0\n",
    "outside": "try:\n{loop4}\n{step8}\nexcept (ValueError, AssertionError):\n    out = out + 100.0\n",
    "with": "with contextlib.suppress(ValueError, AssertionError):\n{loop4}\n{step8}\n    out = out + 1.0\n",
    "named": "{loop}\n    try:\n{step8}\n    except Exception as error:\n        out = out + len(type(error).__name__)\n",
    "else": "{loop}\n    try:\n{step8}\n    except Exception:\n        pass\n    else:\n        out = out + 5.0\n",
}
TEXT = """
import contextlib, math
import jax.numpy as jnp

def checked(v):
    if v < 0:
        raise ValueError("negative")
    return v

def f(x):
    out = 0.0
{body}    return out
"""


def with_handler(form, loop, step):
    """The program of one form, loop and step."""
    body = FORMS[form].format(
        loop=LOOPS[loop],
        loop4=textwrap.indent(LOOPS[loop], " " * 4),
        step8=textwrap.indent(STEPS[step], " " * 8),
    )
    text = TEXT.format(body=textwrap.indent(body, " " * 4))
    name = f"<handled {len(linecache.cache)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names = {"__name__": "written_program"}
    exec(compile(text, name, "exec"), names)
    return names["f"]


# Every loop with every step and form takes long; each step and each form meets all loops in any case.
_ALL = [pytest.param(f, s, tuple(LOOPS), marks=pytest.mark.long) for f in FORMS for s in STEPS]
_SOME = [
    (form, step, (list(LOOPS)[(i + j) % len(LOOPS)],))
    for i, form in enumerate(FORMS)
    for j, step in enumerate(STEPS)
]


@pytest.mark.parametrize(("form", "step", "loops"), [*_SOME, *_ALL])
@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
def test_handlers_of_errors_that_the_data_of_an_iteration_cause(form, step, loops):
    for loop in loops:
        f = with_handler(form, loop, step)
        for x in ([4.0, -1.0], [-4.0, -9.0]):
            x = jnp.asarray(x)
            wanted = f(x)
            np.testing.assert_allclose(shims.function(f)(x), wanted, rtol=1e-6, err_msg=loop)
            np.testing.assert_allclose(jax.jit(shims.function(f))(x), wanted, rtol=1e-6)


def in_a_loop_of_unknown_length(x):
    out, i = jnp.float32(0), jnp.int32(0)
    while i < jnp.sum(x > -50):
        try:
            if x[i] < 0:
                raise ValueError("negative")
            out = out + x[i]
        except ValueError:
            out = out + 100.0
        i = i + 1
    return out


def in_else_as_the_message_advises(x):
    out, i = jnp.float32(0), jnp.int32(0)
    while i < jnp.sum(x > -50):
        if x[i] >= 0:
            out = out + x[i]
        else:
            out = out + 100.0
        i = i + 1
    return out


@pytest.mark.parametrize("lane", [shims.function, lambda f: jax.jit(shims.function(f))])
def test_a_handler_in_a_loop_of_unknown_length_is_refused(lane):
    x = jnp.asarray([4.0, -1.0])
    with pytest.raises(shims.errors.FreshSizeError, match="data of one iteration") as raised:
        lane(in_a_loop_of_unknown_length)(x)
    assert "raise ValueError" in str(raised.value)
    assert lane(in_else_as_the_message_advises)(x) == in_a_loop_of_unknown_length(x)


def of_an_array(x, k, total):
    return total > 8


def of_the_counter(x, k, total):
    return k >= x[x > 0].shape[0]


def of_both(x, k, total):
    return k >= 2 and x[k] + total > 7


def with_a_handler_around(fails, x):
    total, k = jnp.float32(0), 0
    try:
        while total < 20:
            if fails(x, k, total):
                raise ValueError("end")
            total, k = total + jnp.abs(x[k]), k + 1
    except ValueError:
        total = total - 100
    return total


def with_a_flag_as_the_message_advises(fails, x):
    total, k, failed = jnp.float32(0), 0, False
    while total < 20:
        if fails(x, k, total):
            failed = True
            break
        total, k = total + jnp.abs(x[k]), k + 1
    if failed:
        total = total - 100
    return total


@pytest.mark.parametrize("fails", [of_an_array, of_the_counter, of_both], ids=lambda f: f.__name__)
def test_a_handler_around_a_loop_of_unknown_length_is_refused(fails):
    x = jnp.asarray([4.0, -1.0, 3.5, 2.0, 30.0])
    run = jax.jit(shims.dynamic(lambda x: with_a_handler_around(fails, x)))
    with pytest.raises(shims.errors.FreshSizeError, match="test the flag after the loop") as raised:
        run(x)
    assert 'raise ValueError("end")' in str(raised.value)
    advised = jax.jit(shims.dynamic(lambda x: with_a_flag_as_the_message_advises(fails, x)))
    for data in (x, x * 9, x * 0.5):
        assert advised(data) == with_a_handler_around(fails, data)


# Errors of Python and JAX, in what the data choose, and the statements and operators that choose it.
FAULTS = {
    "key": "{1: 2.0}[5]",
    "index": "[1.0][3]",
    "attribute": "None.shape",
    "shapes": "(jnp.zeros(3) + jnp.zeros(2)).sum()",
    "raise": "checked(-1)",
    "division": "1 / 0",
    "unpacking": "(lambda a, b: a)(*[1.0])",
}
CHOSEN = {
    "if": "if ASK:\n    y = FAULT\nelse:\n    y = x[0]",
    "else": "if ASK_NOT:\n    y = x[0]\nelse:\n    y = FAULT",
    "expression": "y = FAULT if ASK else x[0]",
    "and": "y = jnp.where(ASK and FAULT > 0, 5.0, x[0])",
    "or": "y = jnp.where(ASK_NOT or FAULT > 0, 5.0, x[0])",
    "while": "i, y = jnp.int32(0), x[0]\nwhile ASK & (i < 2):\n    y = y + FAULT\n    i = i + 1",
    "range": "y = x[0]\nfor i in range(jnp.where(ASK, 2, 0)):\n    y = y + FAULT",
    "for": "y = x[0]\nfor v in x[x < -100 + 200 * ASK]:\n    y = y + FAULT",
    "nested": "y = x[0]\nif x[0] > -1000:\n    if ASK:\n        y = FAULT",
    "in a loop": "y = x[0]\nfor v in x:\n    if ASK:\n        z = FAULT\n    else:\n        z = v\n    y = y + z",
}
CAUGHT = """
import jax.numpy as jnp

def checked(v):
    if v < 0:
        raise ValueError("negative")
    return v

def f(x):
    try:
{body}
    except Exception:
        y = -10.0
    return y
"""


_EVERY = [pytest.param(f, tuple(CHOSEN), marks=pytest.mark.long) for f in FAULTS]
_PART = [(f, tuple(CHOSEN)[i % 3 :: 3]) for i, f in enumerate(FAULTS)]


@pytest.mark.parametrize(("fault", "ways"), [*_PART, *_EVERY])
@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
def test_a_handler_runs_only_for_the_data_that_choose_the_error(fault, ways):
    for chosen in ways:
        body = CHOSEN[chosen].replace("FAULT", FAULTS[fault])
        body = body.replace("ASK_NOT", "(x[0] <= 5)").replace("ASK", "(x[0] > 5)")
        text = CAUGHT.format(body=textwrap.indent(body, " " * 8))
        name = f"<caught {len(linecache.cache)}>"
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        names = {"__name__": "written_program"}
        exec(compile(text, name, "exec"), names)
        f = names["f"]
        for x in ([4.0, -1.0], [9.0, 1.0]):
            x = jnp.asarray(x)
            wanted = f(x)
            message = f"{chosen} {x}"
            np.testing.assert_allclose(shims.function(f)(x), wanted, err_msg=message)
            np.testing.assert_allclose(jax.jit(shims.function(f))(x), wanted, err_msg=message)
