"""`jnp.unique` along an axis of unknown size."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

ROWS = np.array([[1, 2], [1, 2], [3, 4], [np.nan, 1], [0, 1], [np.nan, 1]], np.float32)
EXTRAS = {"return_index": True, "return_inverse": True, "return_counts": True}
PROGRAMS = {
    "rows": lambda v: (jnp.unique(v, axis=0),),
    "all results": lambda v: jnp.unique(v, axis=0, **EXTRAS),
    "columns": lambda v: jnp.unique(v.T, axis=-1, return_inverse=True),
    "each NaN differs": lambda v: (jnp.unique(v, axis=0, equal_nan=False),),
    "matrices": lambda v: jnp.unique(jnp.stack([v, v], 2), axis=0, return_counts=True),
    "integers": lambda v: jnp.unique(jnp.nan_to_num(v).astype(int), axis=0, **EXTRAS),
    "numbers": lambda v: (jnp.unique(v, equal_nan=False),),
    "all results of numbers": lambda v: jnp.unique(v, equal_nan=False, **EXTRAS),
    "inverse": lambda v: jnp.unique(v, return_inverse=True, equal_nan=False),
    "counts": lambda v: tuple(jnp.unique_counts(v[:, 0])),
    "of a size": lambda v: (jnp.unique(v, equal_nan=False, size=v.shape[0] + 1, fill_value=9),),
}


def _exact(result):
    is_padded = lambda p: isinstance(p, shims.Padded)
    leaves = jax.tree.leaves(result, is_leaf=is_padded)
    return [np.asarray(p.unpad() if is_padded(p) else p) for p in leaves]


@pytest.mark.parametrize("lane", [shims.function, lambda f: jax.jit(shims.dynamic(f))])
@pytest.mark.parametrize("name", PROGRAMS)
def test_distinct_rows(name, lane):
    run = lane(lambda x, m: PROGRAMS[name](x[m]))
    for kept in (0, 1, 3, 6):
        got = _exact(run(ROWS, np.arange(6) < kept))
        want = _exact(PROGRAMS[name](jnp.asarray(ROWS[:kept])))
        for a, b in zip(got, want, strict=True):
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a, b)
