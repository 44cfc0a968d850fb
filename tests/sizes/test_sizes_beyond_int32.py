"""Numbers computed from sizes that int32 cannot hold: exact on the way, as floats and in comparisons, else an error."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

LARGE = 100_000
PROGRAMS = {
    "pairs": lambda n, m: n * (n - 1) / 2,
    "half": lambda n, m: n * n * 0.5,
    "share": lambda n, m: n * m / 10**6,
    "remainder": lambda n, m: (n * n) % 1000,
    "quotient": lambda n, m: n * n // (n + 1),
    "divmod": lambda n, m: divmod(n * n, n + 7)[1],
    "bytes": lambda n, m: n * 4 * 8 * 1024 / 1e6,
    "root": lambda n, m: math.sqrt(n * (n + 1) * (2 * n + 1) / 6),
    "float32": lambda n, m: jnp.float32(n * n),
    "cut": lambda n, m: min(n * n, 5),
    "larger": lambda n, m: n**2 * 10**9 > n * 10**9,
    "smaller": lambda n, m: n * 2**31 > 2**31,
    "equal": lambda n, m: n * 2**20 == 2**40,
    "in where": lambda n, m: jnp.where(n * 2**20 > 2**32, 1.0, 2.0),
    "constant": lambda n, m: n < 2**40,
    "sum": lambda n, m: (2**31 - 1) + n > 0,
    "large divisor": lambda n, m: n % 2**33,
    "large dividend": lambda n, m: 2**40 // (n + 1) // 2**12,
}
LANES = {
    "function": shims.function,
    "jit": lambda f: jax.jit(shims.dynamic(f)),
}


def _program(of_sizes):
    def f(x):
        return of_sizes(x[x > 0].shape[0], x.shape[0])

    return f


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_numbers_are_those_of_python(name, lane):
    f = _program(PROGRAMS[name])
    run = LANES[lane](f)
    for kept in (80_000, 3, 1):
        x = np.where(np.arange(LARGE) < kept, 1, -1).astype(np.float32)
        np.testing.assert_allclose(run(x), f(x), rtol=1e-6)


REFUSED = {
    "product": lambda n, m: n * n,
    "in an array": lambda n, m: jnp.ones(3) * jnp.maximum(n * n, 0),
    "power": lambda n, m: 10 ** (n // 8_000) > 5,
    "shift": lambda n, m: (1 << (n // 2_000)) > 5,
    "shift of a size": lambda n, m: (n << (n // 4_000)) > 5,
    "many factors": lambda n, m: n**20 % 97,
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_integer_that_int32_cannot_hold_is_an_error(name):
    x = np.where(np.arange(LARGE) < 80_000, 1, -1).astype(np.float32)
    run = shims.function(_program(REFUSED[name]))
    with pytest.raises(shims.errors.OpError, match="outside the range of int32"):
        run(x)
    few = np.where(np.arange(LARGE) < 3, 1, -1).astype(np.float32)
    np.testing.assert_allclose(run(few), _program(REFUSED[name])(few))


@pytest.mark.parametrize("size", [lambda n: 1 << (n * 20), lambda n: 10 ** (n * 6)])
def test_an_array_of_such_a_size_is_refused(size):
    f = shims.function(lambda x: jnp.zeros(size(x[x > 0].shape[0])).sum())
    with pytest.raises(shims.errors.OpError, match="outside the range of int32"):
        f(np.ones(3, np.float32))
