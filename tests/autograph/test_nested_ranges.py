"""Ranges in loops over a selection are bounded by its size, also under an enclosing `jax.jit`."""

import jax
import jax.numpy as jnp
import pytest

import shims

X = jnp.array([3.0, -2.0, 1.0, 5.0, 2.0, -1.0, 4.0])


def inversions(x):
    y = x[x > 0]
    n, count = y.shape[0], 0
    for i in range(n):
        for j in range(i + 1, n):
            if y[i] > y[j]:
                count += 1
    return count


def smallest_after(x):
    y = x[x > 0]
    n, total = y.shape[0], 0
    for i in range(n - 1):
        best = i
        for j in range(i + 1, n):
            if y[j] < y[best]:
                best = j
        total += best
    return total


def of_a_count(x):
    n, total = jnp.sum(x > 0), 0.0
    for i in range(n):
        for j in range(i + 1, n):
            total += x[i] * x[j]
    return total


def in_steps(x):
    y = x[x > 0]
    n, total = y.shape[0], 0
    for i in range(n):
        for j in range(i, n, 2):
            if y[j] > y[0]:
                total = total + j + 1
    return total


def backwards(x):
    y = x[x > 0]
    n, total = y.shape[0], 0
    for i in range(n):
        for j in range(n - 1, i, -2):
            if y[j] > y[0]:
                total = total + j + 1
    return total


@pytest.mark.parametrize("program", [inversions, smallest_after, of_a_count, in_steps, backwards])
def test_the_result_is_that_of_exact_arrays(program):
    run = jax.jit(shims.dynamic(program))
    for x in (X, -X, -jnp.abs(X)):
        assert run(x) == program(x)


def test_a_step_of_zero_is_the_error_of_python():
    def endless(x):
        for i in range(jnp.sum(x > 0)):
            for _ in range(i, 5, 0):
                x = x + 1
        return x

    with pytest.raises(ValueError, match="must not be zero"):
        shims.function(endless)(X)
