"""A tape makes a trace for each step; compiled functions keep no entry for each of them."""

import jax
import jax.numpy as jnp

import shims

STEPS = 8


def _gradients(f, x):
    for _ in range(STEPS):
        with shims.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        yield float(tape.gradient(y, x))


def test_a_loop_of_tapes_leaves_one_entry():
    f = jax.jit(lambda x: x * x)
    x = jnp.float32(3.0)
    assert list(_gradients(f, x)) == [6.0] * STEPS
    one = f._cache_size()
    assert list(_gradients(f, x)) == [6.0] * STEPS
    assert f._cache_size() == one <= 2


def test_a_program_compiled_outside_is_recorded_inside():
    f = jax.jit(lambda x: x * x)
    x = jnp.float32(3.0)
    for _ in range(3):
        assert float(f(x)) == 9.0  # from the second call on by the fast way
        assert list(_gradients(f, x)) == [6.0] * STEPS


def test_tapes_within_tapes_share_the_key_of_their_depth():
    f = jax.jit(lambda x: x * x * x)
    x = jnp.float32(2.0)
    sizes = []
    for _ in range(STEPS):
        with shims.GradientTape() as outer:
            outer.watch(x)
            with shims.GradientTape() as inner:
                inner.watch(x)
                y = f(x)
            slope = inner.gradient(y, x)
        assert float(slope) == 12.0
        assert float(outer.gradient(slope, x)) == 12.0
        sizes.append(f._cache_size())
    assert sizes[1:] == sizes[:-1]


def test_a_tape_inside_jit_and_one_outside_are_told_apart():
    f = jax.jit(lambda x: x * x)

    @jax.jit
    def slope(x):
        return next(_gradients_of_array(f, x))

    x = jnp.float32(3.0)
    for _ in range(3):
        assert float(slope(x)) == 6.0
        assert list(_gradients(f, x)) == [6.0] * STEPS


def _gradients_of_array(f, x):
    with shims.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    yield tape.gradient(y, x)
