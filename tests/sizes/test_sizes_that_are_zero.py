"""Python's operators on sizes for which integers have no result: its error, or NaN under an enclosing `jit`."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

NOTHING, SOME = jnp.array([-1.0, -2.0, -3.0]), jnp.array([4.0, -1.0, 9.0])
TOP_LEVEL = {
    "function": shims.function,
    "function, as written": lambda f: shims.function(f, autograph=False),
    "dynamic": shims.dynamic,
}
ENCLOSED = {
    "jit": lambda f: jax.jit(shims.dynamic(f)),
    "jit, as written": lambda f: jax.jit(shims.dynamic(f, autograph=False)),
}


def of_size(compute):
    """Return a program that computes with the number of positive elements."""
    return lambda x: compute(x[x > 0].shape[0])


FLOATS = {
    "/": lambda n: 7 / n,
    "size / size": lambda n: (n + 2) / n,
    "**": lambda n: n**-1,
    "log": lambda n: math.log(n) * 1.0,
    "fractional power": lambda n: (n - 1) ** 0.5,
    "in a condition": lambda n: 1.0 if n > 5 else 3.0 / n,
}
INTEGERS = {
    "//": lambda n: 7 // n,
    "%": lambda n: 7 % n,
    "divmod": lambda n: sum(divmod(7, n)),
    "0 // size": lambda n: 0 // n,
}


@pytest.mark.parametrize("lane", TOP_LEVEL)
@pytest.mark.parametrize("name", [*FLOATS, *INTEGERS])
def test_at_the_top_level_python_s_error_is_raised(name, lane):
    compute = {**FLOATS, **INTEGERS}[name]
    run = TOP_LEVEL[lane](of_size(compute))
    assert float(run(SOME)) == pytest.approx(compute(2))
    with pytest.raises((ZeroDivisionError, ValueError)) as raised:
        run(NOTHING)
    if type(raised.value).__module__ != "builtins":
        assert "test_sizes_that_are_zero.py" in str(raised.value)
        assert "\n  Do: " in str(raised.value)


@pytest.mark.parametrize("lane", ENCLOSED)
@pytest.mark.parametrize("name", FLOATS)
def test_under_jit_floats_are_nan(name, lane):
    run = ENCLOSED[lane](of_size(FLOATS[name]))
    assert float(run(SOME)) == pytest.approx(FLOATS[name](2))
    assert np.isnan(run(NOTHING))


@pytest.mark.parametrize("name", INTEGERS)
def test_under_jit_integers_raise_when_they_run(name):
    run = ENCLOSED["jit"](of_size(INTEGERS[name]))
    assert int(run(SOME)) == INTEGERS[name](2)
    with pytest.raises(Exception, match="division by zero"):
        run(NOTHING).block_until_ready()


def test_the_gradient_of_an_error_is_nan():
    loss = shims.dynamic(lambda x: x.sum() * (7 / x[x > 0].shape[0]))
    np.testing.assert_allclose(jax.jit(jax.grad(loss))(SOME), [3.5] * 3)
    assert np.isnan(jax.jit(jax.grad(loss))(NOTHING)).all()


def handled(x):
    n = x[x > 0].shape[0]
    try:
        return math.sqrt(n - 1) + 7 / n
    except ZeroDivisionError:
        return -1.0
    except ValueError:
        return -2.0


def handled_membership(x):
    n = x[x > 0].shape[0]
    try:
        r = 1.0 if n in (2,) else 1 / 0
    except ZeroDivisionError:
        r = 5.0
    return r


@pytest.mark.parametrize("lane", [*TOP_LEVEL, *ENCLOSED])
@pytest.mark.parametrize("program", [handled, handled_membership])
def test_handlers_see_the_error_of_these_data(program, lane):
    run = {**TOP_LEVEL, **ENCLOSED}[lane](program)
    for x in (NOTHING, SOME, jnp.abs(SOME)):
        assert float(run(x)) == pytest.approx(program(x))


REMEDIES = {
    "test the size": lambda n: 7 / n if n else 0.0,
    "a divisor of at least 1": lambda n: 7 / max(n, 1),
    "abs": lambda n: abs(n - 1) ** 0.5,
    "complex": lambda n: (jnp.asarray(n - 1, complex) ** 0.5).imag,
    "jnp": lambda n: jnp.where(n > 0, jnp.log(n), 0.0),
    "float base": lambda n: float(2) ** (n - 1),
    "no fraction of NumPy's objects": lambda n: jnp.array([n, 2]) * jnp.asarray(n),
    "elements": lambda n: jnp.minimum(n, jnp.array([0.5, 1.5])),
    "a row after another": lambda n: jax.lax.map(lambda t: t * n, jnp.arange(3.0)),
}


@pytest.mark.parametrize("lane", ["function", "jit"])
@pytest.mark.parametrize("name", REMEDIES)
def test_what_the_messages_advise_works(name, lane):
    run = {**TOP_LEVEL, **ENCLOSED}[lane](of_size(REMEDIES[name]))
    for x, n in ((NOTHING, 0), (SOME, 2)):
        want = jnp.log(2) if name == "jnp" and n else 0.0 if name == "jnp" else REMEDIES[name](n)
        np.testing.assert_allclose(run(x), want, rtol=1e-6)


@pytest.mark.parametrize("lane", [*TOP_LEVEL, *ENCLOSED])
def test_numpy_s_scalars_keep_numpy_s_rules(lane):
    compute = of_size(
        lambda n: (
            np.int32(1) >= n,
            np.int16(1) < n,
            np.int32(7) // n,
            np.array([1, 2]) % n,
            np.bool_(True) // n,
        )
    )
    run = {**TOP_LEVEL, **ENCLOSED}[lane](compute)
    for x in (NOTHING, SOME):
        with np.errstate(all="ignore"):
            want = compute(np.asarray(x))
        for got, right in zip(run(x), want, strict=True):
            np.testing.assert_array_equal(got, right)


def test_abs_of_a_size_is_a_size():
    run = jax.jit(shims.dynamic(of_size(lambda n: jnp.ones(abs(n - 1)).sum())))
    assert [float(run(x)) for x in (NOTHING, SOME, jnp.abs(SOME))] == [1.0, 1.0, 2.0]


def test_membership_is_computed_when_the_program_runs():
    def program(x, k):
        n = x[x > 0].shape[0]
        return n in (k, 5), k in (n, 3.0), k not in [1, 2]

    for k in (2, 3, 4):
        got = shims.function(program)(SOME, jnp.int32(k))
        assert [bool(g) for g in got] == list(program(np.asarray(SOME), k))


@pytest.mark.parametrize(
    ("compute", "error", "text"),
    [
        (lambda n: min(n, jnp.arange(2.0)), ValueError, "jnp.minimum"),
        (lambda n: max(n, 1j), TypeError, "complex"),
        (lambda n: math.gcd(n, 1.5), TypeError, "integer"),
        (lambda n: math.atan2(n, 1j), TypeError, "complex"),
    ],
)
def test_operands_that_python_refuses_are_refused(compute, error, text):
    with pytest.raises(error, match=text):
        shims.function(of_size(compute))(SOME)


def test_one_answer_without_results_is_no_result():
    with pytest.raises(shims.errors.FreshSizeError, match="differ in structure"):
        ENCLOSED["jit"](of_size(lambda n: n and None))(NOTHING)


def test_an_array_of_sizes_is_refused_with_a_remedy():
    with pytest.raises(TypeError) as raised:
        ENCLOSED["jit, as written"](of_size(lambda n: jnp.ones(3) * np.asarray(n)))(SOME)
    assert any("jnp.asarray(n)" in note for note in raised.value.__notes__)


def test_an_image_of_nothing_cannot_be_resized():
    resize = lambda x: jax.image.resize(x[x > 0], (4,), "linear")
    assert np.isnan(ENCLOSED["jit"](resize)(NOTHING)).all()
    with pytest.raises(ZeroDivisionError, match="resize"):
        shims.function(resize)(NOTHING)


def test_a_missing_batching_rule_names_the_line_and_a_way():
    def program(a, keep):
        return jax.lax.linalg.cholesky_update(a[keep][:, keep], jnp.ones(3)[keep]).sum()

    run = shims.dynamic(lambda keep: program(jnp.eye(3) * 2, keep))
    rows = jnp.array([[True, False, True], [True, True, True]])
    with pytest.raises(NotImplementedError) as raised:
        jax.jit(jax.vmap(run))(rows)
    assert any("`jax.lax.map(f, x)`" in note for note in raised.value.__notes__)
    want = [program(jnp.eye(3) * 2, np.asarray(keep)) for keep in rows]
    np.testing.assert_allclose(jax.jit(lambda r: jax.lax.map(run, r))(rows), want, rtol=1e-6)


def test_a_function_that_takes_numbers_only_names_the_one_of_jax():
    many = jnp.arange(40.0) - 36.0  # more sizes are possible than programs are staged
    with pytest.raises(TypeError) as raised:
        ENCLOSED["jit, as written"](of_size(lambda n: math.ldexp(1.0, n)))(many)
    assert any("write `jnp.ldexp`" in note for note in raised.value.__notes__)
    assert float(ENCLOSED["jit, as written"](of_size(lambda n: jnp.ldexp(1.0, n)))(many)) == 8.0
