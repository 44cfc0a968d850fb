"""Scans that JAX's own rules have not marked as linear, transposed."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

X = np.array([1.5, -2.0, 3.0, 0.5], np.float32)


@jax.custom_jvp
def _run(x, weights):
    def step(total, element):
        return total * weights[0] + element, total

    return jax.lax.scan(step, 0.0, x)[1]


@_run.defjvp
def _run_jvp(primals, tangents):
    _, out = jax.jvp(_run.fun, primals, tangents)
    return _run(*primals), out


@pytest.mark.parametrize("by", [0, 1], ids=["elements", "constants"])
def test_in_the_rule_of_a_lowered_function(by):
    """The rule of a function is lowered, and its scan with it, before it is transposed."""

    def slope(x, run):
        y = x[x > 0]
        loss = lambda *operands: (run(*operands) ** 2).sum()
        return jax.grad(loss, by)(y, jnp.flip(y) / 4).sum()

    got = jax.jit(jax.grad(shims.dynamic(lambda x: (_run(x[x > 0], x) ** 2).sum())))(X)
    want = jax.grad(lambda x: (_run.fun(x[np.array([0, 2, 3])], x) ** 2).sum())(X)
    np.testing.assert_allclose(got, want, rtol=1e-5)
    found = jax.jit(shims.dynamic(lambda x: slope(x, _run)))(X)
    np.testing.assert_allclose(found, slope(X, _run.fun), rtol=1e-5)
