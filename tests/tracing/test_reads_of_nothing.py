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
        with pytest.raises(Exception, match="for which this operation has no result"):
            np.asarray(run(NONE))


def test_a_read_in_a_branch_that_does_not_run():
    def first(x):
        y = x[x > 0]
        return jax.lax.cond(y.sum() > 0, lambda: y[0].astype(int), lambda: 0)

    run = jax.jit(shims.dynamic(first))
    assert [run(SOME), run(NONE)] == [1, 0]
