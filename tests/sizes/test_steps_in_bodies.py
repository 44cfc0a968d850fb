"""Steps that need some elements, in the bodies of statements that do not run where nothing is selected."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import shims


def while_on_data(step, y):
    total, left = jnp.float32(0), y
    while jnp.any(left > 1):
        total = total + step(y)
        left = left / 2
    return total


def while_on_a_mask(step, y):
    alive, total = jnp.ones(y.shape[0], bool), jnp.float32(0)
    while jnp.any(alive):
        total = total + step(jnp.where(alive, y, -1))
        alive = alive & False
    return total


def for_of_a_size(step, y):
    total = jnp.float32(0)
    for _ in range(y.shape[0]):
        total = total + step(y)
    return total


def branch(step, y):
    total = jnp.float32(0)
    if jnp.sum(y) > 0:
        total = total + step(y)
    return total


def branch_in_a_loop(step, y):
    total, count = jnp.float32(0), 0
    while count < 2:
        if jnp.any(y > 0):
            total = total + step(y)
        count = count + 1
    return total


def shims_cond(step, y):
    return shims.cond(jnp.sum(y) > 0, lambda: step(y) + jnp.float32(0), lambda: jnp.float32(0))


def shims_while_loop(step, y):
    goes_on = lambda i, _: i < shims.size(y)
    return shims.while_loop(goes_on, lambda i, t: (i + 1, t + step(y)), (0, jnp.float32(0)))[1]


STATEMENTS = [
    *(while_on_data, while_on_a_mask, for_of_a_size, branch, branch_in_a_loop),
    *(shims_cond, shims_while_loop),
]
STEPS = {
    "argmax": jnp.argmax,
    "argmin": jnp.argmin,
    "nanargmax": jnp.nanargmax,
    "max": jnp.max,
    "median": jnp.median,
    "first": lambda y: y[0],
    "last": lambda y: y[-1],
    "take": lambda y: jnp.take(y, 0),
    "slice": lambda y: lax.slice(y, (0,), (1,))[0],
    "dynamic_slice": lambda y: lax.dynamic_slice(y, (0,), (1,))[0],
    "top_k": lambda y: lax.top_k(y, 1)[0][0],
    "argsort": lambda y: jnp.argsort(y)[0],
    "cummax": lambda y: lax.cummax(y)[-1],
    "tf.argmax": shims.argmax,
    "tf.gather": lambda y: shims.gather(y, 0),
}
NONE, ONE, SOME = (np.float32(x) for x in ([-1, -2, -3], [-1, 3, -2], [5, -1, 2]))


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda f: f.__name__)
def test_only_bodies_that_run_need_elements(statement, step):
    def program(x):
        return statement(STEPS[step], x[x > 0])

    exact = [np.float32(program(jnp.asarray(x))) for x in (NONE, ONE, SOME)]
    dynamic = shims.dynamic(program)
    jitted = jax.jit(dynamic)
    np.testing.assert_allclose([jitted(x) for x in (NONE, ONE, SOME)], exact)
    np.testing.assert_allclose(jax.jit(jax.vmap(dynamic))(np.stack([NONE, ONE, SOME])), exact)
