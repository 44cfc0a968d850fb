"""Shapes of JAX's functions in which numbers are traced: `jnp.tile(x, [1, n])` inside of a function."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

X = np.arange(6.0, dtype=np.float32).reshape(2, 3)
CALLS = {
    "tile": lambda x, n: jnp.tile(x, [1, n]),
    "tile by an array": lambda x, n: jnp.tile(x, jnp.stack([1, n])),
    "tile by a number": lambda x, n: jnp.tile(x[0], n),
    "tile by keyword": lambda x, n: jnp.tile(x, reps=(n, 1)),
    "broadcast": lambda x, n: jnp.broadcast_to(x[0], [n, 3]),
    "broadcast by keyword": lambda x, n: jnp.broadcast_to(x[0, 0], shape=(3, n)),
    "one hot": lambda x, n: jax.nn.one_hot(jnp.arange(3), n, axis=0),
    "one hot by keyword": lambda x, n: jax.nn.one_hot(jnp.arange(3), num_classes=n),
    "linspace": lambda x, n: jnp.linspace(x[0, 0], 1.0, n),
    "linspace of rows": lambda x, n: jnp.linspace(x[0], x[1], num=n),
    "segments": lambda x, n: jax.ops.segment_sum(x[0], jnp.array([0, 4, 0]), num_segments=n),
    "reshape": lambda x, n: jnp.reshape(jnp.arange(2 * n), [n, 2]),
    "reshape to a rest": lambda x, n: jnp.reshape(jnp.repeat(x[0], n), (-1, n)),
}


@pytest.mark.filterwarnings("ignore:.*data-dependent sizes have become constants")
@pytest.mark.parametrize("name", CALLS)
def test_equal_to_exact_numbers(name):
    f = shims.function(CALLS[name])
    for n in (1, 2, 5):
        want = CALLS[name](jnp.asarray(X), n)
        np.testing.assert_allclose(f(jnp.asarray(X), jnp.int32(n)), want, rtol=1e-6)
