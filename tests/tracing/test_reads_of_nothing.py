"""An element read from a selection of nothing under `jax.jit` is no number in any dtype: NaN, or an error."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

SOME, NONE = jnp.array([1.0, 2.0, -3.0, 5.0]), -jnp.ones(4)

DECIDING = {
    "converted": lambda y: y[0].astype(int),
    "stacked": lambda y: jnp.stack([y[0], y[-1]]).astype(int),
    "compared": lambda y: y[0] > 0,
    "rounded": lambda y: jnp.floor(y[-1]).astype(int) + 1,
    "inner program": lambda y: jax.jit(lambda y: y[0] * 2)(y).astype(int),
}
MARKED = {
    "float": lambda y: y[0] * 2,
    "chosen by": lambda y: jnp.where(y[0] > 0, 1.0, 2.0),
    "loop": lambda y: jax.lax.fori_loop(0, 3, lambda i, c: c + 1, y[0]),
}


@pytest.mark.parametrize("name", [*DECIDING, *MARKED])
def test_a_read_of_nothing_is_never_a_number(name):
    read = {**DECIDING, **MARKED}[name]
    run = jax.jit(shims.dynamic(lambda x: read(x[x > 0])))
    np.testing.assert_array_equal(run(SOME), read(SOME[SOME > 0]))
    if name in MARKED:
        assert np.isnan(run(NONE))
    else:
        with pytest.raises(Exception, match="this operation has no result for an empty array"):
            np.asarray(run(NONE))


def test_a_read_in_a_branch_that_does_not_run():
    def first(x):
        y = x[x > 0]
        return jax.lax.cond(y.sum() > 0, lambda: y[0].astype(int), lambda: 0)

    run = jax.jit(shims.dynamic(first))
    assert [run(SOME), run(NONE)] == [1, 0]


ROW_LANES = {
    "function": shims.function,
    "dynamic": shims.dynamic,
}
OF_ROWS = {
    "map_fn": lambda x: shims.map_fn(lambda row: shims.boolean_mask(row, row > 0)[0], x),
    "lax.map": lambda x: jax.lax.map(lambda row: shims.boolean_mask(row, row > 0)[-1], x),
}


@pytest.mark.parametrize("lane", ROW_LANES)
@pytest.mark.parametrize("name", OF_ROWS)
def test_a_read_of_a_row_of_nothing(name, lane):
    run = ROW_LANES[lane](OF_ROWS[name])
    np.testing.assert_array_equal(run(jnp.array([[4.0, -1], [2, -3]])), [4, 2])
    with pytest.raises(shims.errors.InvalidArgumentError, match=r"no (result|elements is read)"):
        run(jnp.array([[4.0, -1], [-2, -3]]))
    rows = jax.jit(shims.dynamic(OF_ROWS[name]))(jnp.array([[4.0, -1], [-2, -3]]))
    np.testing.assert_array_equal(rows, [4, np.nan])


@pytest.mark.parametrize("transform", [jnp.fft.irfft, jnp.fft.hfft], ids=lambda f: f.__name__)
@pytest.mark.parametrize("selected", [0, 1, 3])
def test_the_gradient_beside_a_transform_of_nothing(transform, selected):
    def f(x):
        y = shims.boolean_mask(x, x > 0)
        many = shims.size(y) > 1
        return shims.cond(many, lambda: (transform(y) ** 2).sum(), lambda: (x**2).sum())

    x = jnp.where(jnp.arange(4) < selected, 2.0, -1.0)
    exact = jax.grad(lambda y: (transform(y) ** 2).sum())
    want = jnp.zeros(4).at[:selected].set(exact(x[:selected])) if selected > 1 else 2 * x
    for lane in (shims.dynamic, lambda f: jax.jit(shims.dynamic(f))):
        np.testing.assert_allclose(lane(jax.grad(f))(x), want, rtol=1e-6)
