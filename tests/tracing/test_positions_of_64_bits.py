"""With `jax_enable_x64`, positions and counts have 64 bits, as in JAX: arithmetic on them does not wrap around."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

LARGE = 100_000  # twice: one number would be too large for 32 bits
X = np.array([3.0, -1.0, 4.0, 4.0, -1.5])
PROGRAMS = {
    "nonzero": lambda x: jnp.nonzero(x > 0)[0] * LARGE * LARGE,
    "flatnonzero": lambda x: jnp.flatnonzero(x > 0) * LARGE * LARGE,
    "argwhere": lambda x: jnp.argwhere(x > 0) * LARGE * LARGE,
    "where": lambda x: jnp.where(x > 0)[0] * LARGE * LARGE,
    "a fill value": lambda x: jnp.nonzero(x > 0, size=4, fill_value=-1)[0] * LARGE * LARGE,
    "first indices": lambda x: jnp.unique(x[x > 0], return_index=True)[1] * LARGE * LARGE,
    "inverse": lambda x: jnp.unique(x[x > 0], return_inverse=True)[1] * LARGE * LARGE,
    "counts": lambda x: jnp.unique(x[x > 0], return_counts=True)[1] * LARGE * LARGE,
    "all of unique": lambda x: [a * LARGE * LARGE for a in jnp.unique_all(x[x > 0])],
    "common ones": lambda x: [
        a * LARGE * LARGE for a in jnp.intersect1d(x[x > 0], x, return_indices=True)
    ],
    "argsort": lambda x: jnp.argsort(x[x > 0]) * LARGE * LARGE,
    "argmax": lambda x: jnp.argmax(x[x > 0]) * LARGE * LARGE,
    "searchsorted": lambda x: jnp.searchsorted(jnp.sort(x[x > 0]), x) * LARGE * LARGE,
    "bincount": lambda x: jnp.bincount(x[x > 0].astype(int), length=5) * LARGE * LARGE,
    "a count": lambda x: jnp.count_nonzero(x[x > 0]) * LARGE * LARGE,
    "arange": lambda x: jnp.arange(x[x > 0].shape[0]) * LARGE * LARGE,
    "cumsum": lambda x: jnp.cumsum(x[x > 0] > 3) * LARGE * LARGE,
    "digitize": lambda x: jnp.digitize(x[x > 0], jnp.array([0.0, 3.5])) * LARGE * LARGE,
    "top_k": lambda x: jax.lax.top_k(x[x > 0], 1)[1].astype(int) * LARGE * LARGE,
}


@pytest.mark.parametrize("wide", [True, False])
@pytest.mark.parametrize("name", PROGRAMS)
def test_dtypes_and_values_are_those_of_jax(name, wide):
    f = PROGRAMS[name]
    with jax.enable_x64(wide):
        want = jax.tree.leaves(f(jnp.asarray(X)))
        padded = jax.jit(shims.dynamic(f))(jnp.asarray(X))
        exact = jax.tree.map(
            lambda v: v.unpad() if isinstance(v, shims.Padded) else v,
            padded,
            is_leaf=lambda v: isinstance(v, shims.Padded),
        )
        for found in (shims.function(f)(jnp.asarray(X)), shims.dynamic(f)(jnp.asarray(X)), exact):
            found = jax.tree.leaves(found)
            assert [a.dtype for a in found] == [a.dtype for a in want]
            for a, b in zip(found, want, strict=True):
                np.testing.assert_array_equal(a, b)
