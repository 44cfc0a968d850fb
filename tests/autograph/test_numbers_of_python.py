"""What `int`, `float`, `math` and comparisons make of sizes and traced values promotes as numbers of Python do."""

import math

import jax
import jax.numpy as jnp
import pytest

import shims

PROGRAMS = {
    "float": lambda x: jnp.bfloat16(1) / float(x[x > 0].shape[0]),
    "float of an array": lambda x: float(x[0]) * jnp.bfloat16(1),
    "int": lambda x: int(x[0]) * jnp.int8(1),
    "int of a quotient": lambda x: int(x[x > 0].shape[0] / 2) + jnp.int8(1),
    "length": lambda x: float(len(x[x > 0])) + jnp.float16(1),
    "root": lambda x: math.sqrt(x[x > 0].shape[0]) * jnp.bfloat16(1),
    "logarithm": lambda x: math.log(x[0]) * jnp.bfloat16(1),
    "floor": lambda x: math.floor(x[x > 0].shape[0] / 2) * jnp.int8(1),
    "more": lambda x: (x[x > 0].shape[0] > 1) * jnp.int8(5),
    "equal": lambda x: (x[x > 0].shape[0] == 2) + jnp.int8(5),
    "bool": lambda x: bool(x[x > 0].shape[0]) * jnp.int8(5),
    "items of numbers": lambda x: (
        jnp.where(x > 0, 1.0, 2.0)[x > 0] * x[x > 0].astype(jnp.bfloat16)
    ).sum(),
    "power": lambda x: float(x[x > 0].shape[0]) ** 0.5 * jnp.bfloat16(1),
}
LANES = {
    "function": shims.function,
    "jit": lambda f: jax.jit(shims.dynamic(f)),
}


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_dtypes_are_those_of_the_exact_program(name, lane):
    x = jnp.array([3.0, -1.0, 1.0])
    want, found = PROGRAMS[name](x), LANES[lane](PROGRAMS[name])(x)
    assert found.dtype == want.dtype
    assert float(found) == pytest.approx(float(want), rel=1e-2)
