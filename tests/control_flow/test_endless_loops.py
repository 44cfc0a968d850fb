"""Under an enclosing trace, a loop runs although nothing bounds the number of its iterations."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims


def _range(x, n):
    total = x[0] * 0
    for i in range(n):
        total = total + x[i % 3]
    return total


def _range_of_shims(x, n):
    total = x[0] * 0
    for i in shims.range(n):
        for j in shims.range(i):
            total = total + x[j % 3]
    return total


def _while(x, n):
    i, total = 0, x[0] * 0
    while i < n:
        total, i = total + x[i % 3], i + 1
    return total


def _while_loop(x, n):
    return shims.while_loop(lambda i, t: i < n, lambda i, t: (i + 1, t + x[i % 3]), [0, x[0] * 0])[
        1
    ]


def _left_early(x, n):
    total = x[0] * 0
    for i in shims.range(n):
        if total > 3:
            break
        total = total + x[i % 3]
    return total


def _beside_a_selection(x, n):
    kept = x[x > 0]
    total = x[0] * 0
    for _ in range(n):
        total = total + kept.sum()
    return total if kept.shape[0] > 1 else -total


PROGRAMS = [_range, _range_of_shims, _while, _while_loop, _left_early, _beside_a_selection]
X = np.array([2.0, -1.0, 3.0], np.float32)
LANES = {
    "dynamic": lambda f: jax.jit(shims.dynamic(f)),
    "function": lambda f: jax.jit(shims.function(f)),
    "rows": lambda f: (
        lambda x, n: jax.jit(jax.vmap(shims.dynamic(f)))(x[None], jnp.reshape(n, 1))[0]
    ),
}


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_as_python(program, lane):
    run = LANES[lane](program)
    for n in (0, 1, 5):
        np.testing.assert_allclose(run(X, jnp.int32(n)), program(X, n), rtol=1e-6)


@pytest.mark.parametrize("program", [_range, _while], ids=lambda f: f.__name__)
def test_a_bound_makes_the_reverse_mode_derivative_possible(program):
    slope = jax.jit(jax.grad(shims.dynamic(program)))
    with pytest.raises(shims.errors.UnimplementedError, match=r"bounded\(n, max") as raised:
        slope(X, jnp.int32(4))
    assert f"{program.__code__.co_filename.rpartition('/')[2]}:" in str(raised.value)
    bounded = shims.dynamic(lambda x, n: program(x, shims.bounded(n, max=9)))
    np.testing.assert_allclose(jax.jit(jax.grad(bounded))(X, jnp.int32(4)), [2, 1, 1])


def test_eagerly_the_number_of_iterations_is_known():
    slope = jax.grad(shims.dynamic(_range))(X, jnp.int32(4))
    np.testing.assert_allclose(slope, [2, 1, 1])


def test_a_list_that_grows_needs_a_bound():
    def rows(x, n):
        found = []
        for i in range(n):
            found.append(x[i % 3])
        return jnp.stack(found)

    with pytest.raises(shims.errors.CapacityError, match="bounded"):
        jax.jit(shims.dynamic(rows))(X, jnp.int32(4))


def test_loops_in_a_loop_need_no_memory_for_their_iterations():
    run = jax.jit(shims.dynamic(_range_of_shims))
    memory = run.lower(X, jnp.int32(5)).compile().memory_analysis()
    assert memory is None or memory.temp_size_in_bytes < 1e5
