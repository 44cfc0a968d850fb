"""Arrays of random keys are arguments, results, operands and state, as any other array."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import shims as tf

KEY = jax.random.key(3)
KEYS = jax.random.split(KEY, 5)
X = jnp.arange(5.0) - 1
MASK = jnp.array([True, False, True, True, False])
data = jax.random.key_data


def chosen(key, keys, x, m):
    if tf.reduce_sum(x[m]) > 0:
        key = keys[1]
    return data(key)


def split_in_a_loop(key, keys, x, m):
    total = 0.0
    for value in x[m]:
        key, used = jax.random.split(key)
        total += jax.random.normal(used) * value
    return total


def loop_over_keys(key, keys, x, m):
    total = 0.0
    for one in keys[m]:
        total += jax.random.uniform(one)
    return total


def carried(i, key):
    return i + 1, jax.random.split(key)[1]


PROGRAMS = {
    "draws": lambda k, ks, x, m: jax.random.normal(k, (3,)) + x[m].sum(),
    "as many draws": lambda k, ks, x, m: jax.random.uniform(k, (x[m].shape[0],)),
    "split": lambda k, ks, x, m: data(jax.random.split(k)[0]),
    "folded": lambda k, ks, x, m: data(jax.random.fold_in(k, x[m].shape[0])),
    "selected": lambda k, ks, x, m: data(ks[m]),
    "a draw of each": lambda k, ks, x, m: jax.vmap(jax.random.uniform)(ks[m]),
    "set": lambda k, ks, x, m: data(ks.at[0].set(k)),
    "fori_loop": lambda k, ks, x, m: data(
        lax.fori_loop(0, x[m].shape[0], lambda i, key: jax.random.fold_in(key, i), k)
    ),
    "scan": lambda k, ks, x, m: lax.scan(
        lambda key, v: (jax.random.split(key)[0], jax.random.normal(key) * v), k, x[m]
    )[1],
    "if": chosen,
    "for": split_in_a_loop,
    "for each key": loop_over_keys,
    "shape": lambda k, ks, x, m: tf.shape(ks),
    "identity": lambda k, ks, x, m: data(tf.identity(k)),
    "stop_gradient": lambda k, ks, x, m: data(tf.stop_gradient(k)),
    "gather": lambda k, ks, x, m: data(tf.gather(ks, [1, 2])),
    "boolean_mask": lambda k, ks, x, m: data(tf.boolean_mask(ks, m)),
    "reshape": lambda k, ks, x, m: data(tf.reshape(ks, [5, 1])),
    "concat": lambda k, ks, x, m: data(tf.concat([ks, ks], 0)),
    "stack": lambda k, ks, x, m: data(tf.stack([k, k])),
    "reverse": lambda k, ks, x, m: data(tf.reverse(ks, [0])),
    "where": lambda k, ks, x, m: data(tf.where(m, ks, ks[::-1])),
    "cond": lambda k, ks, x, m: data(tf.cond(x[m].sum() > 0, lambda: ks[0], lambda: k)),
    "while_loop": lambda k, ks, x, m: data(tf.while_loop(lambda i, key: i < 3, carried, (0, k))[1]),
    "map_fn": lambda k, ks, x, m: tf.map_fn(jax.random.uniform, ks, fn_output_signature=tf.float32),
}
LANES = {
    "dynamic": tf.dynamic,
    "function": tf.function,
    "jit": lambda f: jax.jit(tf.dynamic(f)),
}


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_as_exact_arrays(name, lane):
    arguments = KEY, KEYS, X, MASK
    right = PROGRAMS[name](*arguments)
    made = LANES[lane](PROGRAMS[name])(*arguments)
    made = made.unpad() if isinstance(made, tf.Padded) else made
    assert (made.shape, made.dtype) == (right.shape, right.dtype)
    np.testing.assert_allclose(made, right, rtol=1e-6)


def test_a_key_is_returned():
    key, selected = tf.dynamic(lambda k, x, m: (k, x[m]))(KEY, X, MASK)
    assert key == KEY
    assert selected.shape == (3,)


def test_other_dtypes_are_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="key<fry>"):
        tf.concat([KEYS, X], 0)
