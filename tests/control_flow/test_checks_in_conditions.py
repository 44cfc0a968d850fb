"""A check that fails in the condition of a loop ends the loop, and is an error of the run."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import shims

CONDITIONS = {
    "element": lambda y, s: shims.gather(y, jnp.int32(s)) < 5.0,
    "slice": lambda y, s: jnp.sum(shims.slice(y, [jnp.int32(s)], [1])) < 5.0,
    "maximum": lambda y, s: jnp.max(y) * s < 50.0,
    "first": lambda y, s: y[0] * s < 50.0,
}


def by_jax(condition, y):
    return lax.while_loop(lambda s: condition(y, s), lambda s: s + 1.0, 0.0)


def by_tensorflow(condition, y):
    return shims.while_loop(lambda s: condition(y, s), lambda s: (s + 1.0,), (jnp.float32(0),))[0]


def by_python(condition, y):
    s = jnp.float32(0)
    while condition(y, s):
        s = s + 1.0
    return s


LOOPS = (by_jax, by_tensorflow, by_python)
LANES = {
    "function": shims.function,
    "jit": lambda f: jax.jit(shims.dynamic(f)),
    "vmap": lambda f: lambda x: jax.jit(jax.vmap(shims.dynamic(f)))(jnp.stack([x, x]))[0],
    "scan": lambda f: (
        lambda x: jax.jit(
            lambda x: lax.scan(lambda _, row: (0, shims.dynamic(f)(row)), 0, x[None])[1][0]
        )(x)
    ),
}
DATA = {"none": [-1.0, -2.0, -3.0], "some": [2.0, -1.0, 7.0], "too small": [1.0, -1.0, 2.0]}


@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("loop", LOOPS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_failed_check_of_a_condition_is_an_error(condition, loop, lane):
    def program(x):
        return loop(CONDITIONS[condition], x[x > 0])

    run = LANES[lane](program)
    for name, numbers in DATA.items():
        x, exact = jnp.array(numbers), np.array([n for n in numbers if n > 0], np.float32)
        if name == "some" or (name == "too small" and condition in ("maximum", "first")):
            assert run(x) == loop(CONDITIONS[condition], jnp.array(exact))
        elif lane == "function":
            with pytest.raises((ValueError, IndexError, shims.errors.InvalidArgumentError)):
                run(x)
        else:
            assert np.isnan(run(x))
