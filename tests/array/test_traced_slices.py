"""Slices whose bounds and steps are data, by Python's rules."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

NUMBER = shims.TensorSpec([], shims.int32)
VECTOR = shims.TensorSpec([None])
BOUNDS = range(-5, 6, 2)
STEPS = (1, 2, -1, -3)

by_data = shims.function(lambda x, a, b, c: x[a:b:c], input_signature=[VECTOR, *[NUMBER] * 3])
by_literal = {
    step: shims.function(
        lambda x, a, b, step=step: x[a:b:step], input_signature=[VECTOR, NUMBER, NUMBER]
    )
    for step in STEPS
}


@pytest.mark.parametrize("size", [0, 1, 4])
@pytest.mark.parametrize("step", STEPS)
def test_as_python(size, step):
    x = np.arange(size, dtype=np.float32)
    for a, b in itertools.product(np.asarray(BOUNDS, np.int32), repeat=2):
        wanted = x[a:b:step].tolist()
        assert by_data(x, a, b, np.int32(step)).tolist() == wanted
        assert by_literal[step](x, a, b).tolist() == wanted


@pytest.mark.parametrize("step", [2, -2])
def test_open_ends_updates_and_gradients(step):
    x, k = np.arange(7, dtype=np.float32), np.int32(3)
    both = shims.function(lambda x, a: (x[a::step], x[:a:step]), input_signature=[VECTOR, NUMBER])
    assert [v.tolist() for v in both(x, k)] == [x[3::step].tolist(), x[:3:step].tolist()]
    update = shims.function(lambda x, a: x.at[a::step].set(9.0), input_signature=[VECTOR, NUMBER])
    wanted = x.copy()
    wanted[3::step] = 9
    assert update(x, k).tolist() == wanted.tolist()
    slope = shims.function(
        jax.grad(lambda x, a: jnp.sum(x[a::step] ** 2)), input_signature=[VECTOR, NUMBER]
    )
    wanted = np.zeros_like(x)
    wanted[3::step] = 2 * x[3::step]
    assert slope(x, k).tolist() == wanted.tolist()


def test_a_step_of_0():
    x = np.ones(3, np.float32)
    with pytest.raises(shims.errors.InvalidArgumentError, match="the step is 0"):
        by_data(x, np.int32(0), np.int32(2), np.int32(0))
