"""Tapes and their relatives become shims, and the rewritten program has the same gradients."""

import pytest

from tests.rewrite import running
from tf2jax_port.rewrite import State, rewrite

TAPE = (
    """\
import tensorflow as tf

v = tf.Variable([[1.0], [2.0], [3.0]])
x = tf.constant(x)
with tf.GradientTape(persistent=True) as tape:  # differentiates
    tape.watch(x)
    y = tf.reduce_sum(tf.matmul(x, v) ** 2)
    z = tf.floor(x)
gradients = tape.gradient(y, [x, v])
zeros = tape.gradient(z, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)
rows = tape.jacobian(y, x)
del tape, v
""",
    """\
import jax.numpy as jnp
import shims

v = shims.Variable([[1.0], [2.0], [3.0]])
x = jnp.asarray(x)
with shims.GradientTape(persistent=True) as tape:  # differentiates
    tape.watch(x)
    y = jnp.sum(jnp.matmul(x, v) ** 2)
    z = jnp.floor(x)
gradients = tape.gradient(y, [x, v])
zeros = tape.gradient(z, x, unconnected_gradients=shims.UnconnectedGradients.ZERO)
rows = tape.jacobian(y, x)
del tape, v
""",
)
RELATIVES = (
    """\
import tensorflow as tf

x = tf.constant(x)


@tf.custom_gradient
def doubled(a):
    return a * 2.0, lambda dy: dy * 20.0


@tf.function
def slopes(a):
    y = tf.reduce_sum(a**3)
    return tf.gradients(y, a), tf.hessians(y, a)


with tf.autodiff.GradientTape() as tape:
    tape.watch(x)
    y = tf.recompute_grad(tf.sin)(x) * doubled(x)
g = tape.gradient(y, x)
with tf.autodiff.ForwardAccumulator(x, x) as acc:
    z = tf.exp(x)
d = acc.jvp(z)
s = slopes(x)
rows = isinstance(g, tf.IndexedSlices)
del tape, acc
""",
    """\
import jax.numpy as jnp
import shims

x = jnp.asarray(x)


@shims.custom_gradient
def doubled(a):
    return a * 2.0, lambda dy: dy * 20.0


@shims.function
def slopes(a):
    y = jnp.sum(a**3)
    return shims.gradients(y, a), shims.hessians(y, a)


with shims.GradientTape() as tape:
    tape.watch(x)
    y = shims.recompute_grad(jnp.sin)(x) * doubled(x)
g = tape.gradient(y, x)
with shims.autodiff.ForwardAccumulator(x, x) as acc:
    z = jnp.exp(x)
d = acc.jvp(z)
s = slopes(x)
rows = isinstance(g, shims.IndexedSlices)
del tape, acc
""",
)


@pytest.mark.parametrize(("before", "after"), [TAPE, RELATIVES], ids=["tape", "relatives"])
def test_rewritten(before, after, tmp_path):
    outcome = rewrite(before.encode())
    assert outcome.data.decode() == after
    assert {f.state for f in outcome.findings} <= {State.REWRITTEN, State.SHIM}
    old, new = running.both(before, after, tmp_path)
    running.assert_same(old, new, 1e-5)
