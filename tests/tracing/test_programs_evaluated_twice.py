"""A traced program that is evaluated twice in a dynamic function has one name for the sizes of both times."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

X = jnp.asarray(np.random.default_rng(0).normal(size=6), jnp.float32)


def selected(x):
    y = x[x > 0]
    return y.sum() * y.shape[0]


def repeated(x):
    return shims.range(jnp.sum(x > 0)).sum() * 1.0


LANES = {
    "function": shims.function,
    "dynamic": shims.dynamic,
    "jit": lambda f: jax.jit(shims.dynamic(f)),
}


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("f", [selected, repeated])
def test_other_values_are_refused(f, lane):
    def program(x):
        closed = jax.make_jaxpr(f)(x)
        return [jax.core.eval_jaxpr(closed.jaxpr, closed.consts, y)[0] for y in (x, x - 0.5)]

    with pytest.raises(shims.errors.FreshSizeError, match="two numbers here") as raised:
        LANES[lane](program)(X)
    assert "call the function itself" in str(raised.value)


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("f", [selected, repeated])
def test_equal_values_are_computed_again(f, lane):
    def program(x):
        closed = jax.make_jaxpr(f)(x)
        return [jax.core.eval_jaxpr(closed.jaxpr, closed.consts, y)[0] for y in (x, x)]

    made = LANES[lane](program)(X)
    np.testing.assert_allclose(made, [exactly(f, X)] * 2, rtol=1e-6)


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("f", [selected, repeated])
def test_the_remedy(f, lane):
    made = LANES[lane](lambda x: [f(x), f(x - 0.5)])(X)
    np.testing.assert_allclose(made, [exactly(f, X), exactly(f, X - 0.5)], rtol=1e-6)


def exactly(f, x):
    """The number of the exact arrays."""
    y = x[x > 0]
    return y.sum() * len(y) if f is selected else np.arange(len(y)).sum() * 1.0
