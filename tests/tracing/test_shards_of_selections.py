"""A selection in the body of `shard_map`: `shims.dynamic` belongs inside, and the error outside says so."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import Mesh, PartitionSpec

import shims

MESH = Mesh(np.array(jax.devices()[:1]), ("d",))
X = np.array([3.0, -1.0, 4.0, -1.5], np.float32)


def of_part(x):
    y = x[x > 0]
    return jnp.stack([y.sum(), jnp.float32(y.shape[0])])


def sharded(f):
    spec = PartitionSpec("d")
    return jax.shard_map(f, mesh=MESH, in_specs=spec, out_specs=spec)


@pytest.mark.parametrize(
    "around", [shims.function, shims.dynamic, lambda f: jax.jit(shims.dynamic(f))]
)
def test_the_error_says_where_dynamic_belongs(around):
    with pytest.raises(
        shims.errors.UnsupportedPrimitiveError, match="inside of `shard_map`"
    ) as caught:
        around(sharded(of_part))(X)
    assert "test_shards_of_selections.py" in str(caught.value)
    np.testing.assert_array_equal(jax.jit(sharded(shims.dynamic(of_part)))(X), [7.0, 2.0])
