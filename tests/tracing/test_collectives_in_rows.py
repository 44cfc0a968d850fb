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


COLLECTIVES = {
    "psum": lambda v: v * lax.psum(v, "i"),
    "pmean": lambda v: v - lax.pmean(v, "i"),
    "pmax": lambda v: v - lax.pmax(lax.stop_gradient(v), "i"),
    "pmin": lambda v: v + lax.pmin(lax.stop_gradient(v), "i"),
    "several": lambda v: sum(lax.psum((v, v**2), "i")) * v,
    "all_gather": lambda v: v * lax.all_gather(v, "i").sum(),
}
ROWS = jnp.array([3.0, -jnp.inf, 1.0, jnp.nan, 2.0])


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.int32], ids=["float", "int"])
@pytest.mark.parametrize("name", COLLECTIVES)
def test_over_the_elements_of_a_selection(name, dtype):
    over = jax.vmap(COLLECTIVES[name], axis_name="i")

    def program(x, least):
        return over(x[x > least].astype(dtype))

    run = jax.jit(shims.dynamic(program))
    kind = over(jnp.ones(1, dtype)).dtype
    for least in (0.0, 1.5, 2.5, 9.0):
        want = over(ROWS[least < ROWS].astype(dtype)) if least < 9 else jnp.zeros(0, kind)
        got = run(ROWS, least).unpad()
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got, want, rtol=1e-6)
        if dtype == jnp.float32 and least < 9:
            slope = jax.jit(jax.grad(shims.dynamic(lambda x, t: program(x, t).sum())))(ROWS, least)
            exact = jax.grad(lambda x, t=least: over(x[x > t]).sum())(ROWS)
            np.testing.assert_allclose(slope, exact, rtol=1e-5)


def test_over_the_devices_of_a_mesh_it_is_refused():
    mesh = jax.make_mesh((1,), ("i",))
    rows = jax.P()

    def program(x):
        summed = jax.shard_map(lambda y: lax.psum(y, "i"), mesh=mesh, in_specs=rows, out_specs=rows)
        return summed(x[x > 0])

    with pytest.raises(shims.errors.OpError, match=r"shard_map|psum"):
        jax.jit(shims.dynamic(program))(X[3])
