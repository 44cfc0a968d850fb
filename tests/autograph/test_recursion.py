"""A recursion that a size ends: its numbers decide at the top level, and it is refused where there are none."""

import warnings

import jax
import jax.numpy as jnp
import pytest

import shims

X = jnp.array([3.0, -2.0, 1.0, 5.0, 7.0])


def as_statement(y):
    if y.shape[0] <= 1:
        return y.sum()
    half = y.shape[0] // 2
    return as_statement(y[:half]) * 2 + as_statement(y[half:])


def as_expression(y):
    half = y.shape[0] // 2
    return y.sum() if half == 0 else as_expression(y[:half]) * 2 + as_expression(y[half:])


@pytest.mark.parametrize("tree", [as_statement, as_expression])
def test_recursion_over_halves(tree):
    def f(x):
        return tree(x[x > 0])

    unknown = [shims.TensorSpec([None])]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shims.errors.SpecializationWarning)
        for x in (X, -X):
            assert shims.function(f)(x) == f(x)
            assert shims.function(f, input_signature=unknown)(x) == f(x)
            assert shims.dynamic(f)(x) == f(x)
            assert jax.jit(shims.dynamic(f))(x) == f(x)
    if tree is as_statement:
        with pytest.raises(shims.errors.FreshSizeError, match="recursion"):
            jax.jit(shims.dynamic(f))(jnp.ones(1000))  # the size may be one of many


def by_array(y):
    n = shims.shape(y)[0]
    if n <= 1:
        return y
    return shims.concat([by_array(y[n // 2 :]), by_array(y[: n // 2])], 0)


def by_cond(y):
    n = shims.shape(y)[0]
    pair = lambda: shims.concat([by_cond(y[n // 2 :]), by_cond(y[: n // 2])], 0)
    return shims.cond(n <= 1, lambda: y, pair)


@pytest.mark.parametrize("tree", [by_array, by_cond])
def test_recursion_over_an_input_ends(tree):
    unknown = [shims.TensorSpec([None])]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shims.errors.SpecializationWarning)
        for f in (shims.function(tree, input_signature=unknown), jax.jit(shims.dynamic(tree))):
            assert f(X).tolist() == X[::-1].tolist()


def factorial(n):
    if n <= 1:
        return shims.constant(1)
    return n * factorial(n - 1)


def test_data_decide_on_a_recursion_at_the_top_level_only():
    count = shims.function(lambda x: factorial(shims.cast(shims.reduce_sum(x), "int32")))
    assert [int(count(jnp.float32(n))) for n in (4, 1)] == [24, 1]
    with pytest.raises(RecursionError, match=r"n <= 1[\s\S]*write a loop"):
        jax.jit(lambda x: count(x))(jnp.float32(4))


def test_a_comparison_of_constants_decides_an_if():
    def f(x):
        y = x[x > 9]
        if shims.size(y) > 0:
            return y
        return shims.constant(1.0)

    assert float(shims.dynamic(f)(X)) == 1


def test_a_number_beyond_int32_beside_floats_is_a_float():
    def f(x):
        return x.sum() * (x[x > 0].shape[0] * 10**12)

    for run in (shims.function(f), jax.jit(shims.dynamic(f))):
        assert jnp.allclose(run(jnp.ones(40)), 40 * 40e12)
