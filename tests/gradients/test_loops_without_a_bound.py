"""Reverse mode through a loop without a bound: the user's line and remedies, which work."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import shims

X = jnp.array([1.0, 2.0])


def ours(x, **options):
    double = lambda s: (s * 2.0,)
    goes_on = lambda s: shims.reduce_sum(s) < 100.0
    return shims.reduce_sum(shims.while_loop(goes_on, double, [x], **options)[0])


def of_jax(x):
    return jnp.sum(lax.while_loop(lambda s: jnp.sum(s) < 100.0, lambda s: s * 2.0, x))


def converted(x):
    while shims.reduce_sum(x) < 100.0:
        x = x * 2.0
    return shims.reduce_sum(x)


def over_a_selection(x):
    return ours(x[x > 0])


def taped(f):
    def gradient(x):
        with shims.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    return gradient


LANES = {
    "grad of function": lambda f: jax.grad(shims.function(f)),
    "grad of dynamic": lambda f: jax.grad(shims.dynamic(f)),
    "jit of grad": lambda f: jax.jit(jax.grad(shims.dynamic(f))),
    "grad of jit": lambda f: jax.grad(jax.jit(shims.dynamic(f))),
    "jacrev": lambda f: jax.jacrev(shims.function(f)),
    "tape in jit": lambda f: jax.jit(taped(shims.dynamic(f))),
}


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("f", [ours, of_jax, converted, over_a_selection])
def test_the_error_names_the_line_and_remedies(lane, f):
    with pytest.raises(shims.errors.UnimplementedError) as raised:
        LANES[lane](f)(X)
    text = str(raised.value)
    assert "test_loops_without_a_bound.py:" in text
    assert "maximum_iterations=" in text
    assert "shims.GradientTape" in text


@pytest.mark.parametrize("lane", LANES)
def test_a_bound_is_a_remedy(lane):
    f = lambda x: ours(x, maximum_iterations=9)
    np.testing.assert_array_equal(LANES[lane](f)(X), [64.0, 64.0])


@pytest.mark.parametrize("f", [ours, converted, over_a_selection])
def test_a_tape_is_a_remedy(f):
    np.testing.assert_array_equal(taped(shims.function(f))(X), [64.0, 64.0])


@pytest.mark.parametrize("f", [ours, of_jax, converted, over_a_selection])
def test_forward_mode_needs_no_bound(f):
    for g in (shims.function(f), shims.dynamic(f), jax.jit(shims.dynamic(f))):
        assert [float(v) for v in jax.jvp(g, (X,), (X,))] == [192.0, 192.0]
        np.testing.assert_array_equal(jax.jacfwd(g)(X), [64.0, 64.0])
