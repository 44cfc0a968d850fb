"""Sizes of a `Padded` under somebody else's `jit` keep their bounds, also what is computed from them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

X = np.array([1.0, -1.0, 2.0, -3.0], np.float32)


def chosen(x):
    return shims.boolean_mask(x, x > 0)


def size(x):
    return shims.shape(chosen(x))[0]


CALLS = {
    "size": lambda x: shims.zeros([size(x), 3]),
    "shape": lambda x: shims.zeros(shims.shape(chosen(x))),
    "number of elements": lambda x: shims.ones([shims.size(chosen(x)) + 1]),
    "rest": lambda x: shims.ones([x.shape[0] - size(x)]),
    "clamped": lambda x: shims.ones([jnp.maximum(2 * size(x), 1)]),
    "joined": lambda x: shims.zeros(shims.concat([shims.shape(chosen(x)), [2]], 0)),
    "padding": lambda x: shims.pad(chosen(x), [[0, 4 - size(x)]]),
    "nothing": lambda x: shims.zeros([shims.size(shims.boolean_mask(x, x > 9))]),
}


@pytest.mark.parametrize("name", CALLS)
def test_shapes_are_bounded(name):
    want = CALLS[name](jnp.asarray(X))
    found = jax.jit(CALLS[name])(jnp.asarray(X))
    found = found.unpad() if isinstance(found, shims.Padded) else found
    np.testing.assert_array_equal(found, want)


def test_other_numbers_have_no_bound():
    with pytest.raises(shims.errors.CapacityError, match="no bound"):
        jax.jit(lambda n: shims.zeros([n + 1]))(jnp.int32(3))
