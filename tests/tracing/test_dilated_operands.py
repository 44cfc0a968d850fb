"""Operands that are padded between their elements, of which there may be none: JAX's formula for the size changes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import shims

ONES = jnp.ones((1, 1, 2))
STEPS = {
    "pad": lambda v: lax.pad(v, np.float32(2), [(1, 1, 1)]).sum(),
    "size": lambda v: lax.pad(v, np.float32(2), [(1, 1, 1)]).shape[0] * 1.0,
    "reduce_window": lambda v: lax.reduce_window(
        v, 0.0, lax.add, (2,), (1,), ((2, 2),), base_dilation=(2,)
    ).sum(),
    "conv": lambda v: lax.conv_general_dilated(
        v[None, None], ONES, (1,), ((2, 2),), lhs_dilation=(2,)
    ).sum(),
    "conv_transpose": lambda v: lax.conv_transpose(
        v[None, :, None], ONES.reshape(2, 1, 1), (2,), "SAME"
    ).sum(),
}


@pytest.mark.parametrize("name", STEPS)
def test_as_exact_arrays(name):
    f = lambda x: STEPS[name](x[x > 0]) + x.sum()
    for run in (shims.function(f), jax.jit(shims.dynamic(f))):
        for row in ([0.0, 0, -1], [1.0, 2, 3], [-1.0, -3, 1]):
            x = np.array(row, np.float32)
            np.testing.assert_allclose(run(x), f(jnp.asarray(x)), rtol=1e-6)
