"""Numbers that stay known under `jit` compute as arrays do: sizes of sizes, and assignments in place."""

import operator

import jax
import numpy as np
import pytest

import shims


@pytest.mark.parametrize(
    "name", ["add", "sub", "mul", "floordiv", "mod", "and", "or", "xor", "lshift"]
)
def test_an_assignment_in_place_leaves_other_names_of_an_array(name):
    @jax.jit
    def program():
        x = y = shims.range(1, 4)
        x = getattr(operator, f"__i{name}__")(x, 2)
        return x, y

    new, old = program()
    numbers = np.arange(1, 4, dtype=np.int32)
    np.testing.assert_array_equal(old, numbers)
    np.testing.assert_array_equal(new, getattr(operator, f"__{name}__")(numbers, 2))


def test_ones_like_a_shape_are_numbers_for_a_size():
    @jax.jit
    def program(mask, x):
        shape = shims.shape(x)
        times = shims.where(shape > shims.shape(mask), shape, shims.ones_like(shape))
        return shims.tile(mask, times + shims.zeros_like(shape))

    assert program(np.ones((3, 1), bool), np.ones((3, 2), np.float32)).shape == (3, 2)
