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


NESTED = {
    "jit": jax.jit,
    "checkpoint": jax.checkpoint,
    "cond": lambda f: lambda x: jax.lax.cond(x.sum() > -99, f, lambda x: [x.sum()] * 2, x),
    "scan": lambda f: (
        lambda x: [y[0] for y in jax.lax.scan(lambda c, _: (c, f(x)), 0.0, jnp.arange(1))[1]]
    ),
    "vmap": lambda f: lambda x: [y[0] for y in jax.vmap(f)(x[None])],
}


@pytest.mark.parametrize("shift", [0.0, 0.5])
@pytest.mark.parametrize("nested", NESTED)
def test_inside_of_nested_programs(nested, shift):
    """There equality may be known only at run time: other values are NaN under `jit`, and an error otherwise."""

    def program(x):
        closed = jax.make_jaxpr(selected)(x)
        values = (x, x - jnp.float32(shift) * jnp.sign(x + 99))
        return [jax.core.eval_jaxpr(closed.jaxpr, closed.consts, y)[0] for y in values]

    f = shims.dynamic(NESTED[nested](program), autograph=False)
    if shift:
        assert np.isnan(jax.jit(f)(X)).all()
        with pytest.raises(shims.errors.InvalidArgumentError, match="two numbers here"):
            f(X)
    else:
        np.testing.assert_allclose(jax.jit(f)(X), [exactly(selected, X)] * 2, rtol=1e-6)
