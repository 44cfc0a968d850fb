"""Rows that select, over a selection, in a branch or a loop: each row's size stays with its row.

What a loop saves of its rows leaves a branch in a different layout, and the sizes of the rows with it.
"""

import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims

X, S = np.float32([0.5, -1.5, 0.75, 1.0, -0.25]), np.float32(0.8)

ROWS = {
    "mean": lambda t, y, e: t.reduce_mean(y**2) * e,
    "centered": lambda t, y, e: t.reduce_sum((y - t.reduce_mean(y)) ** 2) * e,
    "exponentials": lambda t, y, e: t.reduce_sum(t.exp(y) * e),
    "counted": lambda t, y, e: t.reduce_sum(y) * t.cast(t.size(y), t.float32) * e,
    "sorted": lambda t, y, e: t.reduce_sum(t.sort(y) * t.cast(t.range(t.size(y)), t.float32) * e),
    "softmax": lambda t, y, e: t.reduce_sum(t.nn.softmax(y) ** 2 * e),
    "filled": lambda t, y, e: t.reduce_sum(t.fill([t.size(y)], e) ** 2),
}


def over_rows(t, row, x):
    doubled = t.concat([x, x + 1.0], 0)
    some = t.boolean_mask(x, x > 0.2)
    return t.reduce_sum(t.map_fn(lambda e: row(t, t.boolean_mask(doubled, doubled > e), e), some))


def in_a_branch(t, row, x, s):
    return t.cond(s > -5.0, lambda: over_rows(t, row, x * s), lambda: s)


def in_a_loop(t, row, x, s):
    def step(i, s):
        return i + 1, t.tanh(0.1 * over_rows(t, row, x * s))

    return t.while_loop(lambda i, s: i < 2, step, [t.constant(0), s])[1]


@pytest.mark.parametrize("surrounding", [in_a_branch, in_a_loop])
@pytest.mark.parametrize("row", ROWS)
def test_gradient(row, surrounding):
    def differentiated(t, x, s):
        with t.GradientTape() as tape:
            tape.watch([x, s])
            y = surrounding(t, ROWS[row], x, s)
        return (
            y,
            *map(t.convert_to_tensor, tape.gradient(y, [x, s], unconnected_gradients="zero")),
        )

    signature = [shims.TensorSpec([None]), shims.TensorSpec([])]
    function = shims.function(lambda x, s: differentiated(shims, x, s), signature, autograph=False)
    want = differentiated(tf, tf.constant(X), tf.constant(S))
    for a, b in zip(function(jnp.asarray(X), jnp.asarray(S)), want, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-4)
