"""`psum` and the like over the rows of a `vmap` whose rows select different numbers of elements."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import shims

X = jnp.outer(jnp.arange(4.0) - 1, jnp.arange(3.0) + 1)


def of_constants(r, chosen):
    return chosen(r, r > 0).sum() / lax.psum(1.0, "i") + lax.axis_index("i")


def of_selections(r, chosen):
    total = chosen(r, r > 1).sum()
    return total / lax.psum(total, "i") + lax.pmax(lax.stop_gradient(total), "i")


def of_whole_rows(r, chosen):
    return chosen(r, r > 0).sum() + lax.all_gather(r, "i").sum() + lax.pmean(jnp.max(r), "i")


@pytest.mark.parametrize(
    "program", [of_constants, of_selections, of_whole_rows], ids=lambda f: f.__name__
)
def test_as_with_masks(program):
    def selected(x):
        return jax.vmap(lambda r: program(r, lambda a, m: a[m]), axis_name="i")(x)

    def masked(x):
        return jax.vmap(lambda r: program(r, lambda a, m: jnp.where(m, a, 0)), axis_name="i")(x)

    for lane in (shims.function, lambda f: jax.jit(shims.dynamic(f))):
        np.testing.assert_allclose(lane(selected)(X), masked(X), rtol=1e-6)
    gradients = [jax.grad(lambda x, f=f: f(x).sum())(X) for f in (shims.dynamic(selected), masked)]
    np.testing.assert_allclose(*gradients, rtol=1e-5)


def test_a_collective_in_a_loop_is_refused():
    def row(r):
        step = lambda c, t: (c + lax.psum(t[t > 0].sum(), "i"), None)
        return lax.scan(step, 0.0, r[:, None])[0]

    with pytest.raises(shims.errors.UnimplementedError, match="outside of loops, branches"):
        shims.dynamic(lambda x: jax.vmap(row, axis_name="i")(x))(X)
