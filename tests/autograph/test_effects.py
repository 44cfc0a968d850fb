"""What a statement on which sizes decide does to objects of Python, it does as with exact sizes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims
from tests.autograph.programs_with_effects import PROGRAMS

X = jnp.array([1.5, -2.0, 0.5, 3.0, -0.25, 2.5])
MASKS = {
    "some": X > 0,
    "none": jnp.zeros(6, bool),
    "all": jnp.ones(6, bool),
    "one": jnp.arange(6) == 2,
}
LANES = {
    "function": shims.function,
    "jit": lambda f: jax.jit(shims.dynamic(f)),
    "as written": lambda f: shims.function(f, autograph=False),
    "dynamic": shims.dynamic,
    "jit as written": lambda f: jax.jit(shims.dynamic(f, autograph=False)),
}
CASES = [
    pytest.param(lane, program, marks=[pytest.mark.long] if lane not in ("function", "jit") else [])
    for lane in LANES
    for program in PROGRAMS
]


@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
@pytest.mark.parametrize(("lane", "program"), CASES)
def test_effects_are_those_of_exact_sizes(lane, program):
    run = LANES[lane](program)
    for mask in MASKS.values():
        try:
            want = program(X, mask)
        except (RuntimeError, AssertionError) as error:
            _assert_fails(run, mask, error, lane)
        else:
            for a, b in zip(jax.tree.leaves(run(X, mask)), jax.tree.leaves(want), strict=True):
                np.testing.assert_allclose(np.asarray(a, float), np.asarray(b, float), rtol=1e-6)


def _assert_fails(run, mask, error, lane):
    """Under somebody else's jit, the value of an error is NaN."""
    if "jit" in lane:
        assert np.isnan(run(X, mask))
    else:
        with pytest.raises(type(error), match=str(error)):
            run(X, mask)


@pytest.mark.parametrize("lane", ["function", "jit", "as written"])
def test_an_answer_beside_an_array_of_bools_is_a_bool(lane):
    def f(x, m):
        n = x[m].shape[0]
        return (n > 0) + m, (n > 2) * m, m + (n > 1), (n > 0) + (n > 1)

    for got, want in zip(LANES[lane](f)(X, X > 0), f(X, X > 0), strict=True):
        assert np.asarray(got).dtype.kind == np.asarray(want).dtype.kind
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("divide", [lambda i: 6 / i, lambda i: 6 // (i - 1), lambda i: i % (i - 2)])
def test_a_divisor_that_a_staged_loop_counts_is_not_0(divide):
    def f(x, m):
        total = 0.0
        for i in range(x[m].shape[0]):
            total += divide(i)
        return total

    with pytest.raises(ZeroDivisionError):
        shims.function(f)(X, MASKS["some"])
    assert np.isnan(jax.jit(shims.dynamic(f))(X, MASKS["some"]))
    assert shims.function(f)(X, MASKS["none"]) == 0


def test_quotients_of_a_counter_that_is_not_0_are_staged():
    def f(x, m):
        y, mean = x[m], 0.0
        for i in range(y.shape[0]):
            mean += (y[i] - mean) / (i + 1) + 1 // (i + 1)
        return mean

    run = shims.function(f)
    for mask in MASKS.values():
        np.testing.assert_allclose(run(X, mask), f(X, mask), rtol=1e-6)
    assert run.stats().traces == 1


def test_the_gradient_of_a_mapped_branch_over_a_size():
    def f(x):
        def row(k):
            y = x[x > k]
            return y[-1] if y.shape[0] > 0 else jnp.float32(0)

        return jax.lax.map(row, jnp.array([0.0, 2.0, 4.0])).sum()

    np.testing.assert_array_equal(jax.jit(jax.grad(shims.dynamic(f)))(X), [0, 0, 0, 0, 0, 2])


def test_a_counter_that_is_tested_before_the_step_needs_no_handler():
    def f(x, m):
        y, total = x[m], 0.0
        for i in range(y.shape[0]):
            total += 6 / i if i > 0 else y[i]
        return total

    for lane in (shims.function(f), jax.jit(shims.dynamic(f))):
        for mask in MASKS.values():
            np.testing.assert_allclose(lane(X, mask), f(X, mask), rtol=1e-6)
