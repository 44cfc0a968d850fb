"""Padding ranks below all numbers of a selection, also below NaNs with a sign, which `lax.top_k` tells apart."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import shims

PROGRAMS = {
    "top_k": lambda y: lax.top_k(y, y.shape[0]),
    "smallest": lambda y: -lax.top_k(-y, y.shape[0])[0],
    "partition": lambda y: (jnp.partition(y, 0), jnp.partition(y, y.shape[0] - 1)),
    "argpartition": lambda y: y[jnp.argpartition(y, 0)],
    "operator": lambda y: shims.math.top_k(y, 1),
}
DATA = [
    [-np.nan, 1.0, np.nan, -np.inf, 0.0, -0.0, 7.0],
    [np.inf, -np.inf, -np.nan, -np.nan, np.nan, 2.0, 3.0],
]
MASKS = [[1, 0, 1, 1, 0, 1, 0], [1, 1, 1, 1, 1, 1, 1], [0, 0, 1, 0, 0, 0, 0]]


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_numbers_that_are_no_numbers(program, dtype):
    f = PROGRAMS[program]
    run = jax.jit(shims.dynamic(lambda x, mask: f(x[mask])))
    for data in DATA:
        for chosen in MASKS:
            x, mask = jnp.array(data, dtype), jnp.array(chosen, bool)
            got = jax.tree.leaves(run(x, mask), is_leaf=lambda a: isinstance(a, shims.Padded))
            got = [a.unpad() if isinstance(a, shims.Padded) else a for a in got]
            for a, b in zip(got, jax.tree.leaves(f(x[mask])), strict=True):
                np.testing.assert_array_equal(np.asarray(a, np.float64), np.asarray(b, np.float64))
