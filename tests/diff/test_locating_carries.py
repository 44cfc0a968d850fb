"""The line is found where a port uses one of its own values in place of another: carries, arguments, calls."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
import tensorflow as tf

from tf2jax_port.diff.locate.finder import locate
from tf2jax_port.diff.locate.result.located import Located
from tf2jax_port.diff.values.arguments import bind

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(6, 4)).astype(np.float32)
W = RANDOM.normal(size=(4, 4)).astype(np.float32)
VALID = np.array([1, 1, 0, 1, 0, 1], np.float32)


def filtered(x, w, valid):
    h, m, out = tf.zeros([4]), tf.zeros([4]), []
    for t in range(6):
        new = tf.tanh(tf.linalg.matvec(w, h) + x[t])
        m = 0.9 * m + 0.1 * new
        h = valid[t] * new + (1.0 - valid[t]) * h
        out.append(h + m)
    return tf.stack(out), h, m


SCAN = """
import jax
import jax.numpy as jnp

def port(x, w, valid):
    def step(carry, now):
        h, m = carry
        a, ok = now
        new = jnp.tanh(w @ h + a)
        moved = 0.9 * m + 0.1 * new
        fresh = ok * new + (1.0 - ok) * h
        return (fresh, moved), fresh + moved

    (h, m), out = jax.lax.scan(step, (jnp.zeros(4), jnp.zeros(4)), (x, valid))
    return out, h, m
"""


def slope(x, axis):
    return 0.5 * (tf.roll(x, -1, axis) - tf.roll(x, 1, axis))


def edges(x, w):
    calm = tf.tanh(tf.matmul(x, w))
    lit = calm + 0.3 * x
    dy = slope(lit, 0)
    dx = slope(lit, 1)
    power = tf.sqrt(dx * dx + dy * dy + 1e-6)
    angle = tf.atan2(dy, dx)
    return power, angle, tf.reduce_mean(power)


CALLS = """
import jax.numpy as jnp

def slope(x, axis):
    return 0.5 * (jnp.roll(x, -1, axis) - jnp.roll(x, 1, axis))

def port(x, w):
    calm = jnp.tanh(x @ w)
    lit = calm + 0.3 * x
    dy = slope(lit, 0)
    dx = slope(lit, 1)
    power = jnp.sqrt(dx * dx + dy * dy + 1e-6)
    angle = jnp.arctan2(dy, dx)
    return power, angle, jnp.mean(power)
"""


def located(folder, original, text, right, wrong, *arguments) -> Located:
    """What is located in a port with one edit."""
    assert text.count(right) == 1
    path = folder / "port.py"
    path.write_text(text.replace(right, wrong))
    spec = importlib.util.spec_from_file_location("port_of_carries", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = locate(original, module.port, bind(0, arguments, original))
    assert isinstance(found, Located), found.reason
    return found


RETURNED = "return (fresh, moved), fresh + moved"


@pytest.mark.parametrize(
    ("right", "wrong", "meant"),
    [
        (RETURNED, "return (fresh, m), fresh + moved", "moved = 0.9 * m + 0.1 * new"),
        (RETURNED, "return (new, moved), fresh + moved", "fresh = ok * new + (1.0 - ok) * h"),
        (RETURNED, "return (moved, fresh), fresh + moved", ""),
        (RETURNED, "return (fresh, moved), new + moved", "fresh = ok * new + (1.0 - ok) * h"),
        ("0.1 * new", "0.1 * h", "new = jnp.tanh(w @ h + a)"),
    ],
    ids=["kept", "unmasked", "exchanged", "unmasked output", "earlier state"],
)
def test_a_wrong_state_of_a_loop(tmp_path, right, wrong, meant):
    found = located(tmp_path, filtered, SCAN, right, wrong, X, W, VALID)
    assert wrong in found.new.place.text
    assert found.cause.endswith(meant or "two values are used in place of each other")


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("arctan2(dy, dx)", "arctan2(dx, dy)"),
        ("dy = slope(lit, 0)", "dy = slope(calm, 0)"),
        ("dx = slope(lit, 1)", "dx = slope(lit, 0)"),
    ],
    ids=["arguments", "one call", "another call"],
)
def test_a_call_that_is_wrong_where_others_of_its_function_are_right(tmp_path, right, wrong):
    assert wrong in located(tmp_path, edges, CALLS, right, wrong, X, W).new.place.text
