"""Steps of JAX that need the number of a size, or that a loop body takes of a selection, under any trace."""

import array
import datetime
import decimal
import fractions
import heapq
import json
import struct

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import shims

X = jnp.array([1.5, -2.0, 0.5, 3.0, -0.25, 2.5])
SOME = X > 0
NONE = jnp.zeros(6, bool)
LEVELS = jnp.array([-1.0, 0.0, 1.0])


def padded_to_a_multiple(x, m):
    y = x[m]
    while y.shape[0] % 3:
        y = jnp.append(y, 0.0)
    return y.reshape(-1, 3).sum(1).sum()


def smallest(x, m):
    heap = []
    for i, v in enumerate((x[m], x[~m])):
        heapq.heappush(heap, (v.shape[0], i))
    return heap[0][0]


NUMBERS = {
    "partition": lambda x, m: jnp.partition(x, x[m].shape[0] // 2).sum(),
    "geomspace": lambda x, m: jnp.geomspace(1, 16, x[m].shape[0] + 1).sum(),
    "indices": lambda x, m: jnp.indices((x[m].shape[0], 2)).sum(),
    "diag_indices": lambda x, m: jnp.diag_indices(x[m].shape[0])[0].sum(),
    "a product of two selections": lambda x, m: x[m] @ x[m & (jnp.arange(6) < 6)],
    "a sum with a selection of one": lambda x, m: (x[:1] * x[m & (jnp.arange(6) < 1)] + x[m]).sum(),
    "padded to a multiple": padded_to_a_multiple,
    "smallest": smallest,
    # `np.max` of sizes is asked for an attribute: it gives a size, or the 2.
    "matrix_rank": lambda x, m: jnp.linalg.matrix_rank(jnp.stack([x, x * x], 1)[m | (x > 2)]),
}
"""Programs that are staged for each number of a size under somebody else's `jit`."""


@pytest.mark.parametrize("mask", [SOME, NONE], ids=["some", "none"])
@pytest.mark.parametrize("name", NUMBERS)
def test_a_program_for_each_number(name, mask):
    f = NUMBERS[name]
    np.testing.assert_allclose(jax.jit(shims.dynamic(f))(X, mask), f(X, mask), rtol=1e-6)


def of_a_scan(x, m):
    def step(c, i):
        return c + x[m & (jnp.arange(6) >= i)].max(), i

    return lax.scan(step, jnp.float32(0), jnp.arange(3))[0]


def of_a_branch_in_a_scan(x, m):
    def step(c, i):
        y = x[m & (jnp.arange(6) >= i)]
        r = shims.cond(shims.size(y) > 1, lambda: y.max(), lambda: jnp.float32(0))
        return c + r, r

    return lax.scan(step, jnp.float32(0), jnp.arange(6))[0]


EXACT = {
    of_a_scan: 9.0,
    of_a_branch_in_a_scan: 12.0,
    lambda x, m: jax.vmap(lambda t: x[m & (x > t)].max())(LEVELS): [3.0, 3.0, 3.0],
    lambda x, m: jax.vmap(lambda t: x[m & (x > t)].argmax())(LEVELS): [2, 2, 1],
    lambda x, m: shims.map_fn(lambda t: jnp.max(x[m & (x > t)]), LEVELS): [3.0, 3.0, 3.0],
}
"""Maxima of selections that a loop body makes, and their values."""


@pytest.mark.parametrize(
    "lane", [shims.function, shims.dynamic, lambda f: jax.jit(shims.dynamic(f))]
)
@pytest.mark.parametrize("program", EXACT)
def test_maxima_in_loop_bodies(program, lane):
    np.testing.assert_allclose(lane(program)(X, SOME), EXACT[program])


def test_a_maximum_of_nothing_in_a_loop_body_is_an_error():
    with pytest.raises(shims.errors.InvalidArgumentError, match="too few elements"):
        shims.function(of_a_scan)(X, NONE)


# The standard library accepts no symbol where it checks for a number itself, also in a list or a dictionary.
STANDARD_LIBRARY = {
    "json": lambda n: json.dumps({"n": n, "all": [n, {"twice": 2 * n}]}),
    "json-indented": lambda n: json.dumps([n, 1.5], indent=1),
    "decimal": lambda n: decimal.Decimal(n) / 4,
    "decimal-product": lambda n: decimal.Decimal(1) * n + n * decimal.Decimal(2),
    "fraction-product": lambda n: fractions.Fraction(1, 3) * n,
    "days": lambda n: datetime.timedelta(days=n),
    "packed": lambda n: struct.pack("ih", n, 2 * n),
    "array": lambda n: array.array("i", [n, 1]),
}


@pytest.mark.parametrize("autograph", [True, False], ids=["converted", "as-written"])
@pytest.mark.parametrize("name", STANDARD_LIBRARY)
def test_the_standard_library_gets_the_number(name, autograph):
    def program(x):
        y = x[x > 0]
        text = str(STANDARD_LIBRARY[name](y.shape[0]))
        return y.sum() * (sum(map(ord, text)) % 97)

    run = jax.jit(shims.dynamic(program, autograph=autograph))
    for x in ([1.0, -2.0, 3.0], [1.0, 2.0, 3.0], [-1.0, -2.0, -3.0]):
        assert run(jnp.array(x)) == program(jnp.array(x))


def test_a_handler_of_the_program_gets_the_errors_of_the_numbers_alone():
    def program(x):
        y = x[x > 0]
        try:
            return y.sum() * len(json.dumps({"n": y.shape[0]}))
        except TypeError:
            return y.sum() - 100

    run = jax.jit(shims.dynamic(program))
    for x in ([1.0, -2.0, 3.0], [-1.0, -2.0, -3.0]):
        assert run(jnp.array(x)) == program(jnp.array(x))
