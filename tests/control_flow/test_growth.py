"""Loop values whose growth differs from iteration to iteration have all of their elements, or are refused."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

# What an iteration returns for an array, by the sizes that follow one another.
STEPS = {
    "one more": lambda x: jnp.concatenate([x, x[-1:] + 1]),
    "three more": lambda x: jnp.concatenate([x, x[-1:] + 1, x[:1], x[:1]]),
    "doubled": lambda x: jnp.concatenate([x, x * 2]),
    "doubled and one more": lambda x: jnp.concatenate([x, x * 2, x[:1]]),
    "tripled": lambda x: jnp.tile(x, 3),
    "squared": lambda x: (x[:, None] * x[None, :]).reshape(-1),
    "one less": lambda x: x[1:],
    "half": lambda x: x[: x.shape[0] // 2],
    "four less a half": lambda x: jnp.concatenate([x, x])[: jnp.maximum(4 - x.shape[0] // 2, 0)],
    "the selected": lambda x: shims.boolean_mask(x, x > 1.5),
    "the selected again": lambda x: jnp.concatenate([x, shims.boolean_mask(x, x > 1.5)]),
    "all or less": lambda x: jnp.concatenate([x, x])[: 7 - jnp.minimum(x.shape[0], 7)],
}
STARTS = (1, 2, 3, 5)
LIMITS = (None, 1, 2, 3, 4, 9)


def repeated(step, n, x, limit):
    """Return the array after `n` iterations, and their number."""
    body = lambda i, x: (i + 1, step(x))
    return shims.while_loop(lambda i, x: i < n, body, (0, x), maximum_iterations=limit)


def eagerly(step, n, x, limit):
    for _ in range(n if limit is None else min(n, limit)):
        x = step(x)
    return x


@pytest.mark.parametrize("name", STEPS)
def test_every_lane_has_all_elements_or_refuses(name):
    check_all_elements(name, 3, starts=(2,))


@pytest.mark.long
@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("name", STEPS)
def test_every_lane_for_all_limits(name, limit):
    # The square of a size without a bound soon exceeds the memory.
    check_all_elements(name, limit, starts=(1, 2) if name == "squared" else STARTS)


def check_all_elements(name, limit, starts):
    """Compare the results of both lanes with those of eager iterations."""
    step = STEPS[name]
    compiled = shims.function(lambda n, x: repeated(step, n, x, limit)[1])
    enclosed = jax.jit(shims.dynamic(lambda n, x: repeated(step, n, x, limit)[1]))
    for start in starts:
        x = np.arange(1.0, 1.0 + start, dtype=np.float32)
        for n in (0, 1, 2, 3):
            want = np.asarray(eagerly(step, n, jnp.asarray(x), limit))
            np.testing.assert_array_equal(compiled(np.int32(n), x), want)
            try:
                found = enclosed(np.int32(n), x)
            except shims.errors.CapacityError:
                continue
            np.testing.assert_array_equal(found.unpad() if hasattr(found, "unpad") else found, want)


def test_a_fixed_growth_has_a_bound_under_jit():
    enclosed = jax.jit(shims.dynamic(lambda n, x: repeated(STEPS["three more"], n, x, 4)[1]))
    assert enclosed(np.int32(4), np.ones(2, np.float32)).unpad().shape == (14,)


def test_the_message_names_what_works():
    enclosed = jax.jit(shims.dynamic(lambda n, x: repeated(STEPS["doubled"], n, x, 4)[1]))
    with pytest.raises(shims.errors.CapacityError) as raised:
        enclosed(np.int32(4), np.ones(2, np.float32))
    text = str(raised.value)
    assert "every iteration adds at most the same number of elements" in text
    assert "test_growth.py:" in text

    def padded(n, x):
        """Write into an array of fixed size, as the message advises."""
        room = jnp.zeros(32).at[: x.shape[0]].set(x)

        def body(i, size, room):
            places = jnp.arange(32)
            copy = jnp.where((places >= size) & (places < 2 * size), 2 * room[places - size], room)
            return i + 1, 2 * size, copy

        start = jnp.int32(0), jnp.int32(x.shape[0]), room
        return shims.while_loop(lambda i, size, room: i < n, body, start)[1:]

    size, room = jax.jit(padded)(np.int32(4), np.ones(2, np.float32))
    want = eagerly(STEPS["doubled"], 4, jnp.ones(2), None)
    np.testing.assert_array_equal(room[: int(size)], want)
