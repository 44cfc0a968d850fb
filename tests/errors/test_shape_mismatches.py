"""JAX's errors for operands that cannot be broadcast are marked, inside and outside of traces."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims
from shims._src.errors import shape_mismatches
from shims._src.tracing import hooks


def raised(f):
    hooks.install()
    with pytest.raises(Exception) as info:  # noqa: PT011 - the class is not what is tested
        f()
    return info.value


@pytest.mark.parametrize(
    "f",
    [
        lambda: jnp.ones(3) + jnp.ones(4),
        lambda: jax.jit(lambda x: x * jnp.ones(5))(jnp.ones(2)),
        lambda: jax.make_jaxpr(lambda: jnp.ones((2, 3)) - jnp.ones((2, 4)))(),
        lambda: shims.function(lambda x: x + jnp.ones(4))(np.ones(3, np.float32)),
    ],
    ids=["eager", "jit", "trace", "function"],
)
def test_different_sizes(f):
    assert shape_mismatches.is_marked(raised(f))


@pytest.mark.parametrize(
    "f",
    [
        lambda: jax.lax.add(jnp.ones(3), jnp.ones((3, 1))),
        lambda: jax.lax.add(jnp.ones(3), jnp.ones(3, int)),
        lambda: jnp.add(jnp.ones(3), "a"),
        lambda: jnp.sum(jnp.ones(3), axis=4),
    ],
    ids=["ranks", "dtypes", "no array", "axis"],
)
def test_other_faults(f):
    assert not shape_mismatches.is_marked(raised(f))
