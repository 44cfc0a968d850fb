"""Numbers of Python where JAX takes arrays, functions applied at positions, and reductions from a start."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import shims


def filled(x, n):
    return jnp.full(n + 1, 9.0)


def _affine(a, b):
    return a[0] * b[0], a[1] * b[0] + b[1]  # neither symmetric nor with zeros as a neutral element


PROGRAMS = {
    "set": lambda x, n: filled(x, n).at[0].set(1.0),
    "add": lambda x, n: filled(x, n).at[0].add(1.0),
    "min": lambda x, n: filled(x, n).at[0].min(1.0),
    "of a row": lambda x, n: jnp.full((n + 1, 2), 9.0).at[0, 1].set(1.0),
    "of a traced position": lambda x, n: filled(x, n).at[(x > 9).sum()].set(1.0),
    "of integers": lambda x, n: jnp.full(n + 1, 9).at[0].set(1),
    "of complex numbers": lambda x, n: jnp.full(n + 1, 1j).at[0].set(2j),
    "apply": lambda x, n: filled(x, n).at[0].apply(lambda v: v * 2.0),
    "apply to positions": lambda x, n: x[x > 0].at[jnp.array([0, 2])].apply(jnp.exp),
    "apply to a part": lambda x, n: x[x > 0].at[1:].apply(lambda v: jnp.where(v > 2, v, -v)),
    "apply to all": lambda x, n: x[x > 0].at[:].apply(jnp.square),
    "reduce": lambda x, n: lax.reduce(jnp.append(x[x > 0], 1.0), 0.5, lax.add, (0,)),
    "reduce by a product": lambda x, n: lax.reduce(jnp.append(x[x > 0], 2.0), 0.5, lax.mul, (0,)),
    "reduce by a maximum": lambda x, n: lax.reduce(x[x > 0], 2.5, lax.max, (0,)),
    "reduce by a part": lambda x, n: lax.reduce(
        x[x > 0], 2.5, lambda a, b: lax.max(b, np.float32(2)), (0,)
    ),
    "reduce in pairs": lambda x, n: lax.reduce(
        (x[x > 0] + 1, x[x > 0]), (np.float32(1.5), np.float32(3)), _affine, (0,)
    ),
    "intersection": lambda x, n: jnp.intersect1d(
        x[x > 2], x[(x > 0) & (x < 2)], size=3, fill_value=-1
    ),
    "reduce rows": lambda x, n: lax.reduce(
        jnp.outer(x[x > 0], jnp.arange(3.0)), 0.5, lambda a, b: a * 0.5 + b * 0.5, (1,)
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_exact_arrays(name):
    f = lambda x: PROGRAMS[name](x, x[x > 0].shape[0])
    for run in (shims.function(f), jax.jit(shims.dynamic(f))):
        for x in (np.array([1, 2, -2, 3], np.float32), np.array([-1, 4, -1, 2], np.float32)):
            got = jax.tree.map(
                lambda r: r.unpad() if isinstance(r, shims.Padded) else r,
                run(x),
                is_leaf=lambda r: isinstance(r, shims.Padded),
            )
            for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(f(jnp.asarray(x))), strict=True):
                assert a.dtype == b.dtype
                np.testing.assert_allclose(a, b, rtol=1e-6)


def test_a_reduction_of_nothing_is_its_start():
    for combine in (lax.add, lambda a, b: a * b + 1):
        f = lambda x, combine=combine: lax.reduce(x[x > 0], 0.5, combine, (0,))
        assert jax.jit(shims.dynamic(f))(-jnp.ones(3)) == 0.5
