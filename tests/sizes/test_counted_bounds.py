"""Sizes that are computed from what a loop counts have bounds, so that they can be used under `jax.jit`."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import shims

X = np.arange(-3.0, 5.0, dtype=np.float32)


def upwards(n):
    return lax.fori_loop(0, n, lambda i, c: c + jnp.arange(i + 1, n).sum(), 0)


def backwards(n):
    def body(state):
        i, c = state
        return i - 1, c + jnp.arange(i).sum()

    return lax.while_loop(lambda state: (state[0] >= 1) & (state[1] < 1000), body, (n, 0))[1]


def by_two_of_a_scan(n):
    def step(carry, _):
        i, c = carry
        return (i + 2, c + jnp.arange(i, 10).sum()), None

    return lax.scan(step, (n, 0), None, length=4)[0][1]


def of_a_constant_length(n):
    return lax.fori_loop(0, 6, lambda i, c: c + jnp.arange(i, n).sum(), 0)


def converted(n):
    total, i = 0, shims.constant(0)
    while i < n:
        total = total + shims.reduce_sum(shims.range(i + 1, n))
        i = i + 1
    return total


def of_floats(n):
    return shims.reduce_sum(shims.range(1, n + 1, dtype=shims.float32))


EXACT = {
    upwards: lambda n: sum(sum(range(i + 1, n)) for i in range(n)),
    backwards: lambda n: sum(sum(range(i)) for i in range(n + 1)),
    by_two_of_a_scan: lambda n: sum(sum(range(i, 10)) for i in range(n, n + 8, 2)),
    of_a_constant_length: lambda n: sum(sum(range(i, n)) for i in range(6)),
    converted: lambda n: sum(sum(range(i + 1, n)) for i in range(n)),
    of_floats: lambda n: sum(range(n + 1)),
}


@pytest.mark.parametrize("program", EXACT, ids=lambda f: f.__name__)
def test_a_size_by_a_counter(program):
    run = jax.jit(shims.dynamic(lambda x: program(x[x > 0].shape[0])))
    for selected in range(5):
        assert run(np.where(selected < X, -1, X)) == EXACT[program](selected)


@pytest.mark.parametrize("dtype", [jnp.int8, jnp.uint8])
def test_a_counter_that_wraps_around(dtype):
    def f(x):
        def step(carry, _):
            i, c = carry
            return (i + dtype(100), c + jnp.arange(i).sum()), None

        start = jnp.asarray(x[x > 0].shape[0], dtype)
        return lax.scan(step, (start, 0), None, length=4)[0][1]

    counted = [np.asarray(4 + 100 * k).astype(dtype) for k in range(4)]
    assert jax.jit(shims.dynamic(f))(X) == sum(sum(range(n)) for n in counted)


def test_a_slice_by_a_minimum_keeps_its_size():
    def f(x):
        y = shims.boolean_mask(x, x > 0)
        k = shims.minimum(2, shims.size(y))
        padded = shims.pad(y[:k], [[0, 2 - k]])
        assert padded.shape == (2,)
        return padded

    for lane in (shims.dynamic, lambda f: jax.jit(shims.dynamic(f))):
        for selected, want in ((0, [0, 0]), (1, [1, 0]), (3, [1, 2])):
            np.testing.assert_array_equal(lane(f)(np.where(selected < X, -1, X)), want)


def test_a_rounded_quotient_is_a_python_number():
    def f(x):
        half = round(x[x > 0].shape[0] / 2)
        return jnp.ones(1, jnp.int8) * half, jnp.zeros(1, jnp.float16) + half

    whole, broken = jax.jit(shims.dynamic(f))(X)
    assert (whole.dtype, broken.dtype) == (jnp.int8, jnp.float16)
    assert (whole.tolist(), broken.tolist()) == ([2], [2])


def test_no_question_is_asked_for_the_largest_of_a_vector():
    def layer(x, count):
        parts = [shims.boolean_mask(x, x > c) for c in range(count)]
        largest = [shims.nn.top_k(y, shims.minimum(2, shims.size(y)))[0] for y in parts]
        return shims.reduce_sum(shims.concat(largest, 0))

    def equations(count):
        program = jax.make_jaxpr(shims.dynamic(lambda x: layer(x, count)))(X)
        return str(program).count(" = ")

    assert jax.jit(shims.dynamic(lambda x: layer(x, 3)))(X) == 7 + 7 + 7
    assert equations(4) < 5 * equations(1)


def _draws_of_elements(x):
    key, total = jax.random.key(0), jnp.float32(0)
    for v in x[x > 0]:
        key, k = jax.random.split(key)
        total = total + v * jax.random.uniform(k)
    return total


def _draws_counted(x):
    y = x[x > 0]

    def step(i, state):
        key, total = state
        return jax.random.fold_in(key, i), total + y[i] * jax.random.uniform(key)

    return lax.fori_loop(0, y.shape[0], step, (jax.random.key(1), jnp.float32(0)))[1]


def _draws_while(x):
    y, total, key = x[x > 0], jnp.zeros(0), jax.random.key(2)
    while total.shape[0] < 3:
        key, k = jax.random.split(key)
        total = jnp.concatenate([total, y[jax.random.uniform(k, y.shape) > 0.3]])
    return total.sum()


@pytest.mark.parametrize("f", [_draws_of_elements, _draws_counted, _draws_while])
@pytest.mark.parametrize("lane", ["function", "dynamic", "jit"])
def test_a_key_with_a_dtype_of_its_own_is_carried(f, lane):
    lanes = {"function": shims.function, "dynamic": shims.dynamic}
    run = lanes.get(lane, lambda f: jax.jit(shims.dynamic(f)))(f)
    if f is _draws_while and lane == "jit":
        with pytest.raises(shims.errors.CapacityError):  # how often it draws has no bound
            run(X)
        return
    np.testing.assert_allclose(run(X), f(jnp.asarray(X)), rtol=1e-6)
