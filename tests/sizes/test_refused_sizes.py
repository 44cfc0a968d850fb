"""What a person reads where a step needs a size that only the run knows: each message whole."""

from __future__ import annotations

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims as tf
from tests.errors import refused_calls as calls

CASES = (
    (
        calls.unsupported_primitive,
        tf.errors.UnsupportedPrimitiveError,
        (
            "`shims` has no rule for the JAX primitive `hessenberg` on arrays of unknown size.\n  Received: "
            "float32[u0,u0]\n  Size:     u0: refused_calls.py:N  y = x[m]\n  At:       refused_calls.py:N  return "
            "lax.linalg.hessenberg(jnp.outer(y, y))[0]\n  Do:       copy the array into an array of static size, "
            "`jnp.zeros(8).at[jnp.arange(n)].set(y)` with `n = y.shape[0]`, or keep the size of `x` and fill the "
            "other elements with 0: `jnp.where(mask, x, 0)` in place of `x[mask]`"
        ),
    ),
    (
        calls.unstack,
        tf.errors.FreshSizeError,
        (
            "tf.unstack: this step needs a data-dependent size as a number while the program is traced.\n  "
            "Received: Cannot infer argument `num` from shape (u0,)\n  Size:     u0: refused_calls.py:N  y = "
            "x[m]\n  At:       refused_calls.py:N  return tf.unstack(y)\n  Do:       pass the number of slices, "
            "which is checked at run time: `shims.unstack(y, num=3)`"
        ),
    ),
    (
        calls.bincount,
        tf.errors.CapacityError,
        "jnp.bincount: this data-dependent size has no bound, and inside an enclosing trace its capacity cannot "
        "grow.\n  Required: a count with a bound that follows from the inputs\n  At:       refused_calls.py:N  "
        "return jnp.bincount(y.astype(int))\n  Do:       write `shims.bounded(k, max=...)` for the count, or call "
        "the function through `shims.function` at the top level",
    ),
    (
        calls.numpy_random,
        tf.errors.FreshSizeError,
        (
            "np.random.rand: this step needs a data-dependent size as a number while the program is traced.\n  "
            "Received: '_DimExpr' object cannot be interpreted as an integer\n  Size:     u0: refused_calls.py:N  y "
            "= x[m]\n  At:       refused_calls.py:N  return np.random.rand(*y.shape)\n  Do:       copy the array "
            "into an array of static size, `jnp.zeros(8).at[jnp.arange(n)].set(y)` with `n = y.shape[0]`, or keep "
            "the size of `x` and fill the other elements with 0: `jnp.where(mask, x, 0)` in place of `x[mask]`"
        ),
    ),
    (
        calls.sizes_in_a_stack,
        tf.errors.FreshSizeError,
        (
            "jnp.stack: two sizes must be equal, but their equality is unknown while the program is traced.\n  "
            "Received: All input arrays must have the same shape. Got (u0,), (u1,).\n  Size:     u0: "
            "refused_calls.py:N  y = x[m]\n  Size:     u1: refused_calls.py:N  return jnp.stack([y, y[y > 1]])\n  "
            "At:       refused_calls.py:N  return jnp.stack([y, y[y > 1]])\n  Do:       declare the two sizes "
            "equal: `shims.same_size(a, b)` returns `a` with the size of `b` and checks at run time that the sizes "
            "are equal"
        ),
    ),
    (
        calls.sizes_in_a_product,
        tf.errors.FreshSizeError,
        (
            "two sizes must be equal, but their equality is unknown while the program is traced.\n  Received: "
            "dot_general requires contracting dimensions to have the same shape, got (u0,) and (3,).\n  Size:     "
            "u0: refused_calls.py:N  y = x[m]\n  At:       refused_calls.py:N  return y @ jnp.ones(3)\n  Do:       "
            "declare the two sizes equal: `shims.same_size(a, b)` returns `a` with the size of `b` and checks at "
            "run time that the sizes are equal"
        ),
    ),
    (
        calls.sizes_of_branches,
        tf.errors.FreshSizeError,
        (
            "lax.cond: two sizes must be equal, but their equality is unknown while the "
            "program is traced.\n"
            "  Received: cond branches must have equal output types but they differ.\n"
            "  Size:     u0: refused_calls.py:N  y = x[m]\n"
            "  Size:     u1: refused_calls.py:N  return lax.cond(y.sum() > 1, lambda: y[y > 1], "
            "lambda: y)\n"
            "  At:       refused_calls.py:N  return lax.cond(y.sum() > 1, lambda: y[y > 1], "
            "lambda: y)\n"
            "  Do:       write `shims.cond` or `shims.switch_case`, whose branches may return "
            "different sizes"
        ),
    ),
    (
        calls.size_of_a_carry,
        tf.errors.FreshSizeError,
        (
            "lax.while_loop: two sizes must be equal, but their equality is unknown while "
            "the program is traced.\n"
            "  Received: while_loop body function carry input and carry output must have equal "
            "types, but they differ:\n"
            "  Size:     u0: refused_calls.py:N  y = x[m]\n"
            "  Size:     u1: refused_calls.py:N  return lax.while_loop(lambda c: c.sum() > 5, "
            "lambda c: c[c < 5], y)\n"
            "  At:       refused_calls.py:N  return lax.while_loop(lambda c: c.sum() > 5, lambda "
            "c: c[c < 5], y)\n"
            "  Do:       write `shims.while_loop`, and name the sizes that change in "
            "`shape_invariants`"
        ),
    ),
    (
        calls.rows_of_a_map,
        tf.errors.FreshSizeError,
        "the data-dependent size `u1` differs from row to row, and an array cannot contain such rows.\n  Size:     "
        "u1: refused_calls.py:N  return lax.map(lambda t: y[y > t], y)\n  At:       refused_calls.py:N  return "
        "lax.map(lambda t: y[y > t], y)\n  Do:       reduce or pad each row inside the mapped function",
    ),
    (
        calls.rows_of_a_vmap,
        tf.errors.FreshSizeError,
        "vmap: the data-dependent size `u1` of the result differs from row to row.\n  Required: rows of the same "
        "size\n  Size:     u1: refused_calls.py:N  return jax.vmap(lambda t: y[y > t])(y)\n  At:       "
        "refused_calls.py:N  return jax.vmap(lambda t: y[y > t])(y)\n  Do:       reduce or pad each row inside the "
        "mapped function, or apply `jax.vmap` outside of the function; the result is then a `Padded` in which each "
        "row has its own size",
    ),
)


def rendered(error):
    """A message, with the numbers of lines left open."""
    return re.sub(r"(\w+\.py):\d+", r"\1:N", str(error))


# These are staged for each number that a size may be, where these are few.
FOR_EACH_NUMBER = (calls.numpy_random, calls.sizes_in_a_stack, calls.sizes_in_a_product)


@pytest.mark.parametrize(("body", "error", "text"), CASES, ids=[c[0].__name__ for c in CASES])
def test_message(body, error, text):
    with pytest.raises(error) as raised:
        (calls.of_many if body in FOR_EACH_NUMBER else calls.under_jit)(body)()
    assert type(raised.value) is error
    assert rendered(raised.value) == text


@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
@pytest.mark.parametrize("body", [c[0] for c in CASES], ids=[c[0].__name__ for c in CASES])
def test_at_the_top_level_the_call_decides(body):
    """What is refused for any size has the result or the error of exact arrays where there are data."""
    try:
        want = body(jnp.asarray(calls.X[calls.M]))
    except Exception as error:  # noqa: BLE001 - exact arrays have no result either
        with pytest.raises((type(error), tf.errors.OpError, tf.errors.FreshSizeError)):
            calls.selected(body)()
        return
    try:
        got = calls.selected(body)()
    except Exception as error:
        text = "\n".join([str(error), *getattr(error, "__notes__", ())])
        if "  Do:  " not in text:
            raise
        return
    if body is not calls.numpy_random:  # NumPy's own numbers
        jax.tree.map(np.testing.assert_array_equal, got, want)


def test_the_table_has_every_call():
    bodies = {f for f in vars(calls).values() if callable(f) and f.__module__ == calls.__name__}
    assert bodies - {calls.selected, calls.under_jit, calls.of_many} == {c[0] for c in CASES}


X, Y = calls.X, calls.X[calls.M]
WAYS_OUT = (
    (lambda y: tf.math.bincount(tf.cast(y, tf.int32)), np.bincount(Y.astype(int))),
    (lambda y: jnp.bincount(y.astype(int), length=4), np.bincount(Y.astype(int))),
    (lambda y: tf.math.top_k(y, 2).values, np.sort(Y)[:-3:-1]),
    (lambda y: jnp.stack(tf.unstack(y, num=4)), Y),
    (lambda y: jnp.zeros(y.shape[0]), np.zeros(len(Y))),
    (lambda y: jnp.float32(y.shape[0]), len(Y)),
    (lambda y: tf.size(y), len(Y)),
    (lambda y: jnp.zeros(8).at[jnp.arange(y.shape[0])].set(y), np.pad(Y, (0, 8 - len(Y)))),
    (lambda y: jnp.stack([y, tf.same_size(y[y >= 0], y)]), np.stack([Y, Y])),
    (lambda y: tf.cond(y.sum() > 1, lambda: y[y > 1], lambda: y), Y[Y > 1]),
    (
        lambda y: tf.while_loop(
            lambda c: tf.reduce_sum(c) > 5,
            lambda c: [c[c < 3]],
            [y],
            shape_invariants=[tf.TensorShape([None])],
        )[0],
        Y[Y < 3],
    ),
    (lambda y: tf.map_fn(lambda t: t + 1, y), Y + 1),
)


@pytest.mark.parametrize("number", range(len(WAYS_OUT)))
def test_what_the_messages_advise_works(number):
    body, expected = WAYS_OUT[number]
    jax.tree.map(np.testing.assert_array_equal, calls.selected(body)(), expected)


OF_VALUES = (
    (
        lambda y: np.asarray(y),
        "write `jnp.asarray`: `np.asarray` needs numbers, which are known only at run time",
    ),
    (
        lambda y: y.sum().item(),
        "keep the value as an array; convert it to a Python number or a NumPy array after the call",
    ),
    (
        lambda y: y.tolist(),
        "keep the value as an array; convert it to a Python number or a NumPy array after the call",
    ),
    (lambda y: any(v > 3 for v in y), "write `jnp.any(y > 3)`, which returns an array"),
)


@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
@pytest.mark.parametrize("call", [calls.selected, calls.under_jit])
@pytest.mark.parametrize(("body", "do"), OF_VALUES)
def test_errors_about_values_have_a_line_and_a_remedy(body, do, call):
    with pytest.raises((tf.errors.TracedValueError, tf.errors.FreshSizeError)) as raised:
        call(body)()
    *_, place, said = rendered(raised.value).split("\n")
    assert re.match(r"  At: +test_refused_sizes\.py:N  \(?lambda y: ", place)
    if type(raised.value) is tf.errors.TracedValueError:
        assert said == f"  Do:       {do}"


def test_a_decision_without_autograph_says_what_to_write():
    def f(x):
        return x if x[x > 1].sum() > 2 else -x

    with pytest.raises(tf.errors.TracedValueError) as raised:
        tf.function(f, autograph=False)(X)
    assert rendered(raised.value) == (
        "Python needs the value of an array, but arrays have no values while the program is "
        "traced.\n"
        "  Received: Attempted boolean conversion of traced array with shape bool[].\n"
        "  At:       test_refused_sizes.py:N  return x if x[x > 1].sum() > 2 else -x\n"
        "  Do:       write `shims.cond` or `shims.where`, or set `autograph=True`, which "
        "converts `if`, `while`, `and`, `or`, `in`"
    )


def test_what_the_user_raises_is_left_alone():
    def refuse(y):
        raise ValueError(f"u0 is not mine: {y.ndim}")

    def misread(y):
        return int("five") + y

    for body, text in ((refuse, "u0 is not mine: 1"), (misread, "invalid literal for int()")):
        with pytest.raises(ValueError, match=re.escape(text)) as raised:
            calls.selected(body)()
        assert type(raised.value) is ValueError


@pytest.mark.parametrize("call", [jax.jit, jax.vmap], ids=["jit", "vmap"])
def test_the_line_is_found_under_every_transformation(call):
    def f(x):
        return x.sum() * np.zeros(x[x > 0].shape[0])

    many = np.tile(X, 5)
    with pytest.raises(tf.errors.FreshSizeError) as raised:
        call(tf.dynamic(f))(np.stack([many, many]) if call is jax.vmap else many)
    assert rendered(raised.value) == (
        "an index or a count needs a data-dependent size as a number while the program is traced.\n  Required: a "
        "size that the inputs determine\n  Received: the size `u0`\n  Size:     u0: test_refused_sizes.py:N  return "
        "x.sum() * np.zeros(x[x > 0].shape[0])\n  At:       test_refused_sizes.py:N  return x.sum() * np.zeros(x[x "
        "> 0].shape[0])\n  Do:       write `y.shape[0]` in place of `len(y)`, `jnp.take(table, n)`, "
        "`lax.fori_loop(0, n, ...)` in place of a loop, and `jnp.zeros(n)` or `jnp.arange(n)` in place of NumPy's"
    )


def test_a_number_among_few_is_found():
    def lengths(x, m):
        return [10, 20, 30, 40][x[m].shape[0]] + np.ones(x[m].shape[0]).sum()

    run = jax.jit(tf.dynamic(lengths))
    for m in ([True, True], [False, True], [False, False]):
        assert float(run(X[:2], np.array(m))) == [10.0, 21.0, 32.0][sum(m)]


def test_programs_for_the_numbers_of_several_sizes_are_few():
    table = [float(i) for i in range(20)]

    def both(x, second):
        return table[x[x > 0].shape[0]] + second(x[x > 1].shape[0])

    listed, taken = table.__getitem__, lambda n: jnp.take(jnp.array(table), n)
    for count, second in ((7, listed), (16, taken)):  # `taken` is what the message below advises
        x = np.linspace(-1, 2, count, dtype=np.float32)
        assert jax.jit(tf.dynamic(lambda x, f=second: both(x, f)))(x) == both(x, second)
    with pytest.raises(
        tf.errors.FreshSizeError, match="at most 64 combinations of values"
    ) as found:
        jax.jit(tf.dynamic(lambda x: both(x, listed)))(np.linspace(-1, 2, 16, dtype=np.float32))
    assert "jnp.take(table, n)" in str(found.value)


def test_operations_on_sizes_have_few_numbers():
    """Three sizes of up to 40 have too many numbers, what is asked of them has 27."""
    weights = {
        f"{i}{j}{k}": i + 10.0 * j + 100.0 * k for i in range(3) for j in range(3) for k in range(3)
    }

    def look_up(x):
        few, quarter, even = x[x > 0].shape[0], x[x > 1].shape[0], x[x > 2].shape[0]
        return weights[f"{min(few, 2)}{quarter // 14}{even % 3}"]

    run = jax.jit(tf.dynamic(look_up))
    for low, high in ((-1, 0), (-2, 0.1), (0, 3), (1, 9), (-8, 2.5)):
        x = np.linspace(low, high, 40, dtype=np.float32)
        assert float(run(x)) == look_up(x)


LOOK_UP = {
    "zeros": lambda p: np.zeros(p.shape[0]),
    "position in a list": lambda p: [10, 20, 30][p.shape[0]],
}


@pytest.mark.parametrize("name", LOOK_UP)
def test_a_number_that_may_be_one_of_many(name):
    with pytest.raises(tf.errors.FreshSizeError) as raised:
        jax.jit(tf.dynamic(LOOK_UP[name]))(tf.Padded.pad(X, 40))
    lines = rendered(raised.value).splitlines()
    at = lines.pop(-2)
    assert at.startswith("  At:       test_refused_sizes.py:N  ")
    assert lines == [
        "an index or a count needs a data-dependent size as a number while the program is traced.",
        "  Required: a size that the inputs determine",
        "  Received: the size `p0`",
        "  Size:     p0: axis 0 of a `Padded` argument",
        "  Do:       write `y.shape[0]` in place of `len(y)`, `jnp.take(table, n)`, `lax.fori_loop(0, n, ...)` in "
        "place of a loop, and `jnp.zeros(n)` or `jnp.arange(n)` in place of NumPy's",
    ]


def test_a_rate_that_data_decide():
    def widened(x):
        rate = tf.math.count_nonzero(x, dtype=tf.int32)
        kernel, image = np.ones((2, 2, 1, 1), np.float32), np.ones((1, 2, 2, 1), np.float32)
        return tf.nn.atrous_conv2d_transpose(image, kernel, [1, 3, 3, 1], rate, "SAME")

    for compiled in (jax.jit(widened), tf.function(widened)):
        with pytest.raises(tf.errors.FreshSizeError) as raised:
            compiled(np.ones(2, np.float32))
        lines = str(raised.value).splitlines()
        assert lines[0] == (
            "atrous_conv2d_transpose: an argument depends on data, but must be known while the program is traced."
        )
        assert lines[-1] == "  Do:       pass Python numbers"


def test_coordinates_of_as_many_axes_as_data_say():
    def taken(x):
        return tf.gather_nd(x, tf.where(x[0] > 0)[:, 0])

    with pytest.raises(tf.errors.FreshSizeError) as raised:
        jax.jit(tf.dynamic(taken))(np.ones((3, 2), np.float32))
    assert str(raised.value).startswith(
        "gather_nd: the number of coordinates per index depends on data.\n"
        "  Required: indices.shape[-1] known while the program is traced\n"
    )
