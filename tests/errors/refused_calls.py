"""Calls that need a data-dependent size while they are traced, one per kind of message."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import shims as tf

X = np.array([3, 1, 2, 1, 5, 0], np.float32)
M = np.array([True, False, True, True, False, True])


def selected(body):
    """A call of a function that hands `x[m]` to `body`."""

    def f(x, m):
        y = x[m]
        return body(y)

    return lambda: tf.function(f)(X, M)


def under_jit(body):
    """A call of that function under a foreign `jax.jit`, where no data decide."""

    def f(x, m):
        y = x[m]
        return body(y)

    return lambda: jax.jit(tf.dynamic(f))(X, M)


def of_many(body):
    """A call of that function whose sizes may be many numbers."""

    def f(x, m):
        y = x[m]
        return body(y)

    x = jnp.linspace(-1.0, 1.0, 40)
    return lambda: jax.jit(tf.dynamic(f))(x, x > 0)


def unsupported_primitive(y):
    return lax.linalg.hessenberg(jnp.outer(y, y))[0]


def unstack(y):
    return tf.unstack(y)


def bincount(y):
    return jnp.bincount(y.astype(int))


def numpy_random(y):
    return np.random.rand(*y.shape)


def sizes_in_a_stack(y):
    return jnp.stack([y, y[y > 1]])


def sizes_in_a_product(y):
    return y @ jnp.ones(3)


def sizes_of_branches(y):
    return lax.cond(y.sum() > 1, lambda: y[y > 1], lambda: y)


def size_of_a_carry(y):
    return lax.while_loop(lambda c: c.sum() > 5, lambda c: c[c < 5], y)


def rows_of_a_map(y):
    return lax.map(lambda t: y[y > t], y)


def rows_of_a_vmap(y):
    return jax.vmap(lambda t: y[y > t])(y)
