"""The second operand of `and` and `or` where it cannot be evaluated for no elements: it is evaluated only if needed."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims


def in_order(x):
    a = x[x > 0]
    if a.shape[0] > 1 and a[0] > a[1]:
        return jnp.float32(5)
    return x.sum()


def negated(x):
    a = x[x > 0]
    if not (a.shape[0] == 0 or a[0] > 2):
        return jnp.float32(5)
    return x.sum()


def kept(x):
    a = x[x > 0]
    ok = a.shape[0] > 0 and a[0] > 2
    return jnp.where(ok, 5.0, x.sum())


def the_last(x):
    a = x[x > 0]
    return x.sum() if not len(a) or a[-1] > 2 else jnp.float32(5)


def at_argmax(x):
    a = x[x > 0]
    return jnp.float32(5) if a.size and jnp.argmax(a) > 0 else x.sum()


def by_data(x):
    a = x[x > 0]
    if (x > 0).any() and a[0] > 2:
        result = x.sum() * 2
    else:
        result = x.sum()
    return result


def a_number(x):
    a = x[x > 0]
    return (a.shape[0] > 0 and a[0] * 2.0) + x.sum()


def three(x):
    a, b = x[x > 0], x[x < -2]
    if a.shape[0] > 0 and b.shape[0] > 0 and a[0] > -b[0]:
        return jnp.float32(5)
    return x.sum()


def in_while(x):
    a, i = x[x > 0], 0
    while i < a.shape[0] and a[i] > 1:
        i += 1
    return i + x.sum()


def divided_by_a_size(x):
    n = x[x > 0].shape[0]
    if n > 0 and 10 // n > 4:
        return jnp.float32(5)
    return x.sum()


def a_remainder_by_a_size(x):
    n = x[x > 0].shape[0]
    return jnp.float32(5) if n == 0 or 10 % n else x.sum()


PROGRAMS = [
    *(in_order, negated, kept, the_last, at_argmax, by_data, a_number, three, in_while),
    *(divided_by_a_size, a_remainder_by_a_size),
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_as_python_does(program):
    runs = [shims.function(program), jax.jit(shims.dynamic(program))]
    gradient = jax.jit(jax.grad(shims.dynamic(program)))
    for row in ([3.0, 1, -1, -5], [1.0, 3, -1, -2], [-1.0, 2.5, -3, 0], [-1.0, -1, -1, -1]):
        x = np.array(row, np.float32)
        for run in runs:
            np.testing.assert_allclose(run(x), program(jnp.asarray(x)), rtol=1e-6)
        np.testing.assert_allclose(gradient(x), jax.grad(program)(jnp.asarray(x)), rtol=1e-6)
