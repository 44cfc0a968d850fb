"""What is checked while a program runs is checked where only its derivative is wanted, too."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims

X = np.float32([1, 2, 3])
NUMBER = shims.TensorSpec([], shims.int32)


def read(x, k):
    return shims.gather(x, k) ** 2


def in_a_scan(x, k):
    return jax.lax.scan(lambda c, i: (c + read(x, i + k), None), jnp.float32(0), jnp.arange(3))[0]


def in_a_branch(x, k):
    return jax.lax.cond(k > 0, lambda: read(x, k), lambda: x[0] ** 2)


def tape(x, k):
    with shims.GradientTape() as recorder:
        recorder.watch(x)
        y = in_a_scan(x, k)
    return recorder.gradient(y, x)


PROGRAMS = {
    "scan": lambda x, k: jax.grad(in_a_scan)(x, k),
    "scan, value too": lambda x, k: jax.value_and_grad(in_a_scan)(x, k)[1],
    "scan, forwards": lambda x, k: jax.jacfwd(in_a_scan)(x, k),
    "branch": lambda x, k: jax.grad(in_a_branch)(x, k),
    "jit": lambda x, k: jax.grad(jax.jit(lambda v: read(v, k)))(x),
    "checkpoint": lambda x, k: jax.grad(jax.checkpoint(lambda v: read(v, k)))(x),
    "second order": lambda x, k: jax.hessian(in_a_scan)(x, k),
    "tape": tape,
}


@pytest.mark.parametrize("size", [None, 3])
@pytest.mark.parametrize("name", PROGRAMS)
def test_out_of_range(name, size):
    f = shims.function(
        PROGRAMS[name], input_signature=[shims.TensorSpec([size]), NUMBER], autograph=False
    )
    assert np.isfinite(f(X, np.int32(0))).all()
    with pytest.raises(shims.errors.InvalidArgumentError, match="out of range"):
        f(X, np.int32(5))


def by_the_first(t, x):
    step = lambda i, s: (i + 1, s * x[0])
    return t.while_loop(lambda i, s: i < t.size(x), step, (0, t.reduce_sum(x)))[1]


def by_the_least_of_the_positive(t, x):
    kept = t.gather(x, t.where(x > 0)[:, 0])
    step = lambda i, s: (i + 1, s * t.gather(kept, t.argmin(kept)))
    return t.while_loop(lambda i, s: i < t.size(kept), step, (0, t.reduce_sum(x)))[1]


def by_the_first_in_a_branch(t, x):
    step = lambda i, s: (i + 1, t.cond(t.reduce_sum(x) > -9.0, lambda: s * x[0], lambda: s))
    return t.while_loop(lambda i, s: i < t.size(x), step, (0, t.reduce_sum(x)))[1]


def by_the_first_in_a_loop(t, x):
    inner = lambda s: t.while_loop(lambda j, s: j < 2, lambda j, s: (j + 1, s * x[0]), (0, s))[1]
    step = lambda i, s: (i + 1, inner(s))
    return t.while_loop(lambda i, s: i < t.size(x), step, (0, t.reduce_sum(x)))[1]


@pytest.mark.parametrize(
    "program",
    [by_the_first, by_the_least_of_the_positive, by_the_first_in_a_branch, by_the_first_in_a_loop],
)
def test_a_loop_without_an_iteration_checks_nothing(program):
    def differentiated(t):
        def run(x):
            with t.GradientTape() as recorder:
                recorder.watch(x)
                y = program(t, x)
            return y, t.convert_to_tensor(recorder.gradient(y, x))

        return t.function(run, [t.TensorSpec([None], t.float32)], autograph=False)

    ours, theirs = differentiated(shims), differentiated(tf)
    for x in map(np.float32, ([], [-1], [2], [2, 0.5, 1])):
        for got, want in zip(ours(x), theirs(tf.constant(x)), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-5)
