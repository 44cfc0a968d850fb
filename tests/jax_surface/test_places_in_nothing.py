"""Positions in a selection with a stated number of them: JAX fills with 0 where it selects nothing, whatever is stated."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

FUNCTIONS = {
    "nonzero": lambda y: jnp.nonzero(y > 1, size=3, fill_value=-1),
    "nonzero of rows": lambda y: jnp.nonzero(jnp.outer(y, y) > 1, size=3, fill_value=(-1, 7)),
    "where": lambda y: jnp.where(y > 1, size=3, fill_value=-1),
    "argwhere": lambda y: jnp.argwhere(y > 1, size=3, fill_value=-1),
    "flatnonzero": lambda y: jnp.flatnonzero(y > 1, size=3, fill_value=-1),
    "without a fill value": lambda y: jnp.nonzero(y > 1, size=3),
}


@pytest.mark.parametrize("wrap", [shims.function, lambda f: jax.jit(shims.dynamic(f))])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_as_exact_arrays(name, wrap):
    run = wrap(lambda x: FUNCTIONS[name](x[x > 0]))
    for data in ([1.0, 2.0, 3.0], [1.0, -2.0, -3.0], [-1.0, -1.0, -1.0], [-1.0, 2.0, 3.0]):
        x = np.float32(data)
        want = FUNCTIONS[name](jnp.asarray(x[x > 0]))
        for a, b in zip(jax.tree.leaves(run(x)), jax.tree.leaves(want), strict=True):
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a, b)
