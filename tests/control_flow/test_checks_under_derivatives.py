"""What is checked while a program runs is checked where only its derivative is wanted, too."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

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
