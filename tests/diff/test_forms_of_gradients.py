"""The gradients of a port are taken in the form in which JAX can take them, in both lanes."""

from __future__ import annotations

import jax
import jax.monitoring
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims
from tf2jax_port.diff import compare
from tf2jax_port.diff.lanes.jax_lanes import JaxLanes
from tf2jax_port.diff.values.arguments import bind

from .pair import given

CALLS = given(([0.5, 1.25, -2.5],), ([0.25, 0.75, -0.5, 3.5, -1.5],), ([0.75, 1.5],))


def old(x):
    kept = tf.boolean_mask(x, x > 0)
    return kept, tf.reduce_sum(kept * kept) / tf.cast(tf.size(kept), tf.float32)


def port(x):
    kept = shims.boolean_mask(x, x > 0)
    return kept, jnp.sum(kept * kept) / kept.shape[0]


def counted(x):
    """How many there are depends on a float."""
    return tf.reduce_sum(tf.stop_gradient(tf.range(tf.reduce_max(x)))) * x


def counted_port(x):
    return jnp.sum(jax.lax.stop_gradient(shims.range(jnp.max(x)))) * x


PORTS = {
    "plain": (old, port),
    "counted": (counted, counted_port),
    "staged": (old, shims.function(port)),
}


@pytest.mark.parametrize("name", PORTS)
def test_both_lanes_have_gradients(name):
    report = compare(*PORTS[name], CALLS, x64=False)
    lanes = {lane.lane: lane for lane in report.lanes}
    assert report.verdict == "equal", report.reasons
    assert [lanes[lane].gradients for lane in ("jax-eager", "jax-jit")] == [3, 3]


def test_one_program_for_the_gradients_of_all_sizes():
    compiled = []

    def listen(event, duration, **_):
        if event == "/jax/core/compile/backend_compile_duration":
            compiled.append(duration)

    lanes = JaxLanes(shims.function(port), 0)
    calls = [bind(i, call, old) for i, call in enumerate(CALLS())]

    def take(case, kept):
        fed = {"output[0]": np.ones(kept, np.float32), "output[1]": np.float32(1)}
        return lanes.jit_gradients(case, fed)["x"]

    np.testing.assert_allclose(take(calls[0], 2), [1.5, 2.25, 0], rtol=1e-6)
    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        found = take(calls[1], 3)
    finally:
        jax.monitoring.unregister_event_duration_listener(listen)
    expected = np.where(np.array(calls[1].arrays[0]) > 0, 1 + 2 * calls[1].arrays[0] / 3, 0)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert not compiled
