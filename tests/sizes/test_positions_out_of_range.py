"""Read and write single positions of selections, in range and out of it, in every mode: as on exact arrays."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims as tf

X = jnp.array([0.5, 1.5, -2.0, 3.0, -1.0, 4.0])
ROWS = jnp.stack([X, X * 10, X * 100], 1)
MASKS = {"four": X > 0, "one": X > 3, "none": X > 9, "all": X > -9}
FILL = {"mode": "fill", "fill_value": -1.0}
# Functions of a selected vector, and of selected rows.
PROGRAMS = {
    "far": lambda y, m: y.at[10].get(**FILL),
    "far from the end": lambda y, m: y.at[-10].get(**FILL),
    "perhaps": lambda y, m: y.at[2].get(**FILL),
    "last": lambda y, m: y.at[-1].get(**FILL),
    "size": lambda y, m: y.at[y.shape[0]].get(**FILL),
    "before the first": lambda y, m: y.at[-y.shape[0] - 1].get(**FILL),
    "array": lambda y, m: y.at[jnp.int32(3)].get(**FILL),
    "default": lambda y, m: y.at[7].get(mode="fill"),
    "integers": lambda y, m: (y * 2).astype(int).at[9].get(mode="fill"),
    "bytes": lambda y, m: (y * 2).astype(jnp.uint8).at[9].get(mode="fill"),
    "bools": lambda y, m: (y > 1).at[9].get(mode="fill"),
    "take": lambda y, m: jnp.take(y, 3, mode="fill"),
    "take from the end": lambda y, m: jnp.take(y, -3),
    "clipped": lambda y, m: y.at[10].get(mode="clip"),
    "promised": lambda y, m: y.at[0].get(mode="promise_in_bounds"),
    "vector": lambda y, m: y.at[jnp.array([1, 9])].get(**FILL),
    "row": lambda y, m: m.at[9].get(mode="fill"),
    "row in range": lambda y, m: m.at[0].get(mode="fill"),
    "column": lambda y, m: m.at[:, 5].get(mode="fill"),
    "column in range": lambda y, m: m.at[:, 1].get(mode="fill"),
    "computed column": lambda y, m: m.at[:, jnp.argmax(m[0]) + 3].get(mode="fill"),
    "row and column": lambda y, m: m.at[8, 1].get(**FILL),
    "arrays": lambda y, m: m.at[jnp.array(1), jnp.array(9)].get(**FILL),
    "set": lambda y, m: y.at[10].set(5.0),
    "added": lambda y, m: y.at[jnp.int32(10)].add(5.0, mode="drop"),
    "set, clipped": lambda y, m: y.at[10].set(5.0, mode="clip"),
    "multiplied": lambda y, m: y.at[7].multiply(3.0),
    "column set": lambda y, m: m.at[:, 5].set(3.0),
}


def exact(f, mask):
    try:
        return f(X, mask)
    except Exception as error:  # noqa: BLE001 - any error of the exact arrays counts as one
        return error


@pytest.mark.parametrize(
    ("lane", "name"),
    [
        pytest.param(lane, name, marks=[pytest.mark.long] if lane == "function" else [])
        for lane in ("jit", "function")
        for name in PROGRAMS
    ],
)
def test_values_and_gradients(lane, name):
    def f(x, mask):
        return PROGRAMS[name](x[mask], ROWS[mask])

    def total(x, mask):
        return jnp.sum(jnp.nan_to_num(f(x, mask)))

    lanes = {"jit": lambda f: jax.jit(tf.dynamic(f)), "function": tf.function}
    run = lanes[lane](f)
    differentiated = jax.jit(jax.grad(tf.dynamic(total)))
    for mask in MASKS.values():
        want = exact(f, mask)
        if isinstance(want, Exception):
            continue
        got = run(X, mask)
        got = got.unpad() if isinstance(got, tf.Padded) else got
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got, want)
        if jnp.issubdtype(want.dtype, jnp.floating):
            np.testing.assert_array_equal(differentiated(X, mask), jax.grad(total)(X, mask))
