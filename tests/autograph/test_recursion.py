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


def test_a_number_beyond_int32_beside_floats_is_a_float():
    def f(x):
        return x.sum() * (x[x > 0].shape[0] * 10**12)

    for run in (shims.function(f), jax.jit(shims.dynamic(f))):
        assert jnp.allclose(run(jnp.ones(40)), 40 * 40e12)
