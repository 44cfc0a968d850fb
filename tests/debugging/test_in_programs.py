"""Statements inside of functions raise after the call; in somebody else's trace `checkify` tells."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf
from jax.experimental import checkify

import shims

UNKNOWN = [shims.TensorSpec([None])]
LATER = "  (the values are not available inside a compiled function)"


def both(m, x):
    m.debugging.assert_less(x, 3.0, message="all")
    return x


def selected(m, x):
    chosen = m.boolean_mask(x, x > 0)
    m.debugging.assert_less(chosen, 3.0)
    return chosen


def sizes(m, x):
    m.debugging.assert_equal(m.shape(m.boolean_mask(x, x > 0))[0], m.shape(x)[0] - 1)
    return x


def condition(m, x):
    m.debugging.Assert(m.reduce_all(x < 3.0), ["text", x])
    return x


def loop(m, x):
    def body(i, total):
        m.debugging.assert_less(x[i], 3.0)
        return i + 1, total + x[i]

    start = (m.constant(0), m.constant(0.0))
    return m.while_loop(lambda i, _: i < m.size(x), body, start)[1]


def branch(m, x):
    def checked():
        m.debugging.assert_less(x, 3.0)
        return m.identity(x)

    return m.cond(m.size(x) > 3, checked, lambda: m.identity(x))


def shapes(m, x):
    m.debugging.assert_shapes([(x, ("N",)), (m.boolean_mask(x, x < 3.0), ("N",))])
    return x


def shape(m, x):
    return m.ensure_shape(x, [3])


def any_shape(m, x):
    m.debugging.assert_rank(x, 1)
    return m.ensure_shape(x, [None])[:3]


def numerics(m, x):
    return m.debugging.check_numerics(m.math.log(3.0 - x), "cn")


def order(m, x):
    with m.control_dependencies([m.debugging.assert_less(x, 3.0)]):
        y = m.identity(x)
        m.group(m.no_op(), y)
    return m.tuple([y, y])[0]


PROGRAMS = (
    both,
    selected,
    sizes,
    condition,
    loop,
    branch,
    shapes,
    shape,
    any_shape,
    numerics,
    order,
)
INPUTS = ([0, 1, 2], [0, 1, 2, 3, 4], [0])


def run(m, program, values):
    spec = [m.TensorSpec([None], m.float32)]
    try:
        return np.asarray(
            m.function(lambda x: program(m, x), input_signature=spec)(np.float32(values))
        ), None
    except Exception as error:  # noqa: BLE001 - which one is what the test is about
        return None, error


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("values", INPUTS, ids=len)
def test_functions_of_unknown_sizes(program, values):
    theirs, their_error = run(tf, program, values)
    ours, our_error = run(shims, program, values)
    assert (our_error is None) == (their_error is None), our_error or their_error
    if their_error is not None:
        assert isinstance(our_error, getattr(shims.errors, type(their_error).__name__))
    else:
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


# Statement, values of which it holds, and values of which it does not.
STATEMENTS = {
    "assert_none_equal": (lambda m, x: m.debugging.assert_none_equal(x, 0.0), [1], [1, 0]),
    "assert_less_equal": (lambda m, x: m.debugging.assert_less_equal(x, 2.0), [2, 1], [2, 3]),
    "assert_greater": (lambda m, x: m.debugging.assert_greater(x, x[0] - 1.0), [2, 3], [2, 1]),
    "assert_greater_equal": (lambda m, x: m.debugging.assert_greater_equal(x, 1.0), [1], [1, 0]),
    "assert_near": (lambda m, x: m.debugging.assert_near(x, x[0]), [1, 1], [1, 2]),
    "assert_negative": (lambda m, x: m.debugging.assert_negative(x), [-1], [-1, 0]),
    "assert_non_negative": (lambda m, x: m.debugging.assert_non_negative(x), [0, 1], [0, -1]),
    "assert_non_positive": (lambda m, x: m.debugging.assert_non_positive(x), [0, -1], [0, 1]),
}


@pytest.mark.symbols("debugging.{name}", lanes=("function",))
@pytest.mark.parametrize("name", STATEMENTS)
def test_statements_about_values_of_any_number(name):
    statement, held, broken = STATEMENTS[name]

    def program(m, x):
        statement(m, x)
        return x

    for m in (tf, shims):
        assert run(m, program, held)[0].tolist() == held
        assert isinstance(run(m, program, broken)[1], m.errors.InvalidArgumentError)


# What is known while tracing: what holds, what does not, and the error of that.
KNOWN = {
    "assert_rank_at_least": (lambda m, x, n: m.debugging.assert_rank_at_least(x, n), 1, 2),
    "assert_rank_in": (lambda m, x, n: m.debugging.assert_rank_in(x, (0, n)), 1, 2),
    "assert_type": (lambda m, x, n: m.debugging.assert_type(x, getattr(m, n)), "float32", "int32"),
    "assert_integer": (
        lambda m, x, n: m.debugging.assert_integer(m.cast(x, n)),
        "int32",
        "float32",
    ),
    "assert_scalar": (lambda m, x, n: m.debugging.assert_scalar(x[:n][0] if n else x), 1, 0),
    "assert_same_float_dtype": (
        lambda m, x, n: m.debugging.assert_same_float_dtype([x, m.cast(x, n)]),
        *("float32", "float16"),
    ),
    "assert_proper_iterable": (
        lambda m, x, n: m.debugging.assert_proper_iterable([x] if n else x),
        *(True, False),
    ),
}


@pytest.mark.symbols("debugging.{name}", lanes=("function",))
@pytest.mark.parametrize("name", KNOWN)
def test_statements_about_what_is_known_while_tracing(name):
    statement, held, broken = KNOWN[name]
    for m in (tf, shims):
        for given, fails in ((held, False), (broken, True)):

            def program(m, x, given=given):
                statement(m, x, given)
                assert m.debugging.is_numeric_tensor(x)
                return x

            error = run(m, program, [1, 2])[1]
            assert isinstance(error, (TypeError, ValueError)) if fails else error is None


def test_the_message_of_a_function():
    _, error = run(shims, both, [5.0])
    head, _, place = str(error).partition("\n  At:       ")
    assert head == f"all\nCondition x < y did not hold element-wise:\n{LATER}"
    assert place.startswith("test_in_programs.py:")
    _, error = run(shims, condition, [5.0])
    head, _, _ = str(error).partition("\n  At:       ")
    assert head == f"assertion failed: [text] [...]\n{LATER}"


STATIC = {
    "numbers": lambda m, x: m.debugging.assert_equal([1, 2], [1, 3]),
    "sizes": lambda m, x: m.debugging.assert_less(m.shape(x), 2),
    "signs": lambda m, x: m.debugging.assert_positive(m.constant([1.0, 0.0])),
}


@pytest.mark.parametrize("name", STATIC)
def test_what_arguments_cannot_change_raises_while_tracing(name):
    for m in (tf, shims):

        def f(x, m=m):
            STATIC[name](m, x)
            return x

        with pytest.raises(m.errors.InvalidArgumentError, match="did not hold element-wise"):
            str(m.function(f).get_concrete_function(m.TensorSpec([3])).structured_outputs)


@pytest.mark.parametrize("taken", [True, False])
def test_a_false_assertion_in_a_branch_waits_until_it_is_taken(taken):
    for m in (tf, shims):

        def fails(m=m):
            m.debugging.Assert(False, ["no"])
            return m.constant(0.0)

        f = m.function(lambda x, m=m, fails=fails: m.cond(x > 0, fails, lambda: x))
        if taken:
            with pytest.raises(m.errors.InvalidArgumentError):
                f(m.constant(1.0))
        else:
            assert float(f(m.constant(-1.0))) == -1


def test_somebody_elses_trace_has_a_flag():
    def f(x):
        shims.debugging.assert_positive(x, message="{x}")
        return x + 1

    with pytest.warns(shims.errors.UncheckedAssertionWarning, match="no effect") as caught:
        assert float(jax.jit(f)(-1.0)) == 0
    assert [w.filename for w in caught] == [__file__]
    error, _ = checkify.checkify(jax.jit(f))(1.0)
    assert error.get() is None
    error, _ = checkify.checkify(jax.jit(f))(-1.0)
    assert error.get().startswith("{x}.\nCondition x > 0 did not hold element-wise:")
    with pytest.warns(shims.errors.UncheckedAssertionWarning):
        np.testing.assert_array_equal(jax.jit(jax.vmap(jax.grad(f)))(jnp.zeros(2)), [1, 1])
    assert np.isnan(jax.jit(shims.dynamic(f))(-1.0))  # warns not: what it returns tells


def test_a_padded_value_is_looked_at_without_its_padding():
    def f(x, limit):
        shims.debugging.assert_less(shims.boolean_mask(x, x > 0), limit)
        shims.debugging.assert_positive(shims.boolean_mask(x, x > 0))
        return x

    for limit, fails in ((3.0, False), (1.5, True)):
        error, _ = checkify.checkify(jax.jit(f))(jnp.arange(3.0), limit)
        assert (error.get() is not None) == fails


def finite(m):
    def f(x):
        with m.GradientTape() as tape:
            tape.watch(x)
            y = m.reduce_sum(m.sqrt(m.debugging.check_numerics(x, "cn")))
        return tape.gradient(y, x)

    return f


@pytest.mark.parametrize("values", [[1.0, 4.0], [0.0, 1.0], [np.nan]], ids=str)
@pytest.mark.parametrize("compiled", [False, True])
def test_gradients_must_be_finite(values, compiled):
    outcomes = []
    for m in (tf, shims):
        f = m.function(finite(m)) if compiled else finite(m)
        try:
            outcomes.append(np.asarray(f(m.constant(values))).tolist())
        except m.errors.InvalidArgumentError as error:
            outcomes.append("in gradient" if "detected in gradient" in str(error) else "in values")
    assert outcomes[0] == outcomes[1]


def test_transforms_of_check_numerics():
    f = lambda x: shims.sqrt(shims.debugging.assert_all_finite(x, "af"))
    assert [float(v) for v in jax.jvp(f, (4.0,), (1.0,))] == [2.0, 0.25]
    with pytest.warns(shims.errors.UncheckedAssertionWarning):
        np.testing.assert_allclose(jax.vmap(jax.grad(f))(jnp.float32([1, 4])), [0.5, 0.25])
    with pytest.raises(shims.errors.InvalidArgumentError, match=r"detected in gradient\. af"):
        jax.grad(f)(0.0)
    error, _ = checkify.checkify(jax.jit(jax.grad(f)))(0.0)
    assert "detected in gradient. af" in error.get()


@pytest.mark.parametrize("stack", [list, jnp.stack], ids=["list", "array"])
def test_a_size_from_data_is_checked_while_running(stack):
    f = shims.function(lambda x, n: shims.ensure_shape(x, stack([n, jnp.int32(3)])))
    x = jnp.ones((2, 3))
    assert f(x, jnp.int32(2)).shape == (2, 3)
    with pytest.raises(shims.errors.InvalidArgumentError, match="the size of axis 0 differs"):
        f(x, jnp.int32(5))
