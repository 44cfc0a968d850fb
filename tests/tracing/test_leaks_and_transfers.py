"""Programs leave no tracers behind, and move data between host and devices only explicitly."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import shims

X = jnp.array([3.0, -2.0, 1.0, 5.0])
V = shims.Variable(2.0)
OFFSETS = jnp.arange(5.0)


def assigned(x):
    V.assign(jnp.sum(x[x > 0]))
    return V * x


def branch(x):
    y = x[x > 0]
    if shims.reduce_sum(y) > 3:
        z = y * V
    else:
        z = y + 1
    return z


def lists_in_branches(x):
    found = []
    if shims.reduce_sum(x) > 3:
        found.append(x)
    else:
        found.append(-x)
    return found[0]


def loop(x):
    y = x[x > 0]
    total = 0.0
    for i in shims.range(shims.shape(y)[0]):
        total += y[i]
    return total


def scanned_variable(x):
    def body(carry, a):
        V.assign(a)
        return carry + V, a

    return lax.scan(body, 0.0, x[x > 0])[0]


def question(x):
    y = x[x > 0]
    return jnp.sum(y) / (y.shape[0] or 1)


PROGRAMS = {
    "assigned": assigned,
    "branch": branch,
    "lists_in_branches": lists_in_branches,
    "loop": loop,
    "scanned_variable": scanned_variable,
    "question": question,
    "gradient": lambda x: jax.grad(lambda y: jnp.sum(y[y > 1] ** 2))(x[x > 0]),
    "mapped": lambda x: jax.vmap(lambda r: jnp.sum(r[r > 0]))(jnp.stack([x, -x])),
    "padded": lambda x: jnp.pad(x[x > 0], [[0, 8 - jnp.shape(x[x > 0])[0]]]),
    "interpolated": lambda x: jnp.interp(x[x > 0], OFFSETS, OFFSETS),
    "condition": lambda x: lax.cond(x[x > 0].shape[0] > 0, lambda: 1.0, lambda: 2.0),
}
CHECKS = {
    "leaks": jax.checking_leaks,
    "transfers": lambda: jax.transfer_guard("disallow"),
}


# Without its caches, JAX takes most of a minute for them.
SLOW = ("interpolated", "scanned_variable", "branch", "assigned")
CASES = [
    pytest.param(n, c, marks=[pytest.mark.long] if n in SLOW and c == "leaks" else [])
    for n in PROGRAMS
    for c in CHECKS
]


@pytest.mark.parametrize(("name", "check"), CASES)
def test_functions_pass_the_checks_of_jax(name, check):
    V.assign(2.0)
    expected = shims.function(PROGRAMS[name])(X)
    V.assign(2.0)
    with CHECKS[check]():
        got = shims.function(PROGRAMS[name])(X)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("check", CHECKS)
def test_padded_values_pass_the_checks_of_jax(check):
    with CHECKS[check]():
        y = jax.jit(lambda x: shims.boolean_mask(x, x > 0))(X)
        exact = [y.unpad(), shims.function(lambda a: a)(y), shims.dynamic(lambda a: a)(y)]
        padded = jax.jit(shims.dynamic(lambda x: jnp.pad(x[x > 0], [[0, 3]])))(X)
        size = int(y.sizes[0])
    for values in exact:
        np.testing.assert_array_equal(values, [3, 1, 5])
    assert size == 3
    np.testing.assert_array_equal(padded.unpad(), [3, 1, 5, 0, 0, 0])


@pytest.mark.long
@pytest.mark.parametrize("check", CHECKS)
def test_programs_of_several_lengths_pass_the_checks_of_jax(check):
    mean = shims.dynamic(question)
    with CHECKS[check]():
        inputs = [jax.device_put(np.arange(n, dtype=np.float32)) for n in range(3, 9)]
        means = [float(jax.device_get(mean(x))) for x in inputs]
    assert means == [n / 2 for n in range(3, 9)]
