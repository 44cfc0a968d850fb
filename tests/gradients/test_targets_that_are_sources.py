"""The gradient of a variable or an array with respect to itself, as TensorFlow gives it."""

import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims

LANES = {"tensorflow": (tf, tf.constant), "shims": (shims, jnp.asarray)}


def variable(m, c):
    a = m.Variable([1.0, 2.0])
    with m.GradientTape() as t:
        r = a
    return t.gradient(r, a), len(t.watched_variables())


def weighted(m, c):
    a = m.Variable([1.0, 2.0])
    with m.GradientTape() as t:
        r = a
    return t.gradient(r, a, output_gradients=c([3.0, 4.0]))


def lists(m, c):
    a, b = m.Variable([1.0, 2.0]), m.Variable(3.0)
    with m.GradientTape() as t:
        y = a * b
    return t.gradient([y, a, b], [a, b])


def assigned(m, c):
    a, b = m.Variable(1.0), m.Variable(3.0)
    with m.GradientTape() as t:
        a.assign(b * 2.0)
    return t.gradient(a, [a, b])


def jacobians(m, c):
    a, b = m.Variable([[1.0, 2.0]]), m.Variable(1.0)
    with m.GradientTape(persistent=True) as t:
        r = a
    return t.jacobian(r, [a, b]), t.batch_jacobian(r, a), len(t.watched_variables())


def not_watched(m, c):
    a, x = m.Variable(1.0, trainable=False), c([[1.0, 2.0]])
    with m.GradientTape(persistent=True, watch_accessed_variables=False) as t:
        y = x * x
    gradients = [t.gradient(v, v, unconnected_gradients="zero") for v in (a, x, y)]
    return *gradients, t.jacobian(a, a), t.jacobian(x, x), t.batch_jacobian(y, y)


def operands(m, c):
    x, a, w = c([1.0, 2.0]), m.Variable(5.0, trainable=False), m.Variable(3.0)
    with m.GradientTape(persistent=True) as t:
        y = x * w * a
    return [t.gradient([y, s], [s, w]) for s in (x, a)]


def integers(m, c):
    a, x = m.Variable([1, 2]), c([3, 4])
    with m.GradientTape(persistent=True) as t:
        t.watch(x)
    return t.gradient(a, a), t.gradient(x, x), t.gradient(a, a, output_gradients=c([5, 6]))


def watched(m, c):
    a, x = m.Variable(1.0, trainable=False), c([1.0, 2.0])
    with m.GradientTape(persistent=True) as t:
        t.watch([a, x])
    return t.gradient([a, x], [a, x]), t.gradient([x, x], x), t.jacobian(x, x)


def intermediate(m, c):
    v = m.Variable(2.0)
    with m.GradientTape(persistent=True) as t:
        y = v * v
        z = y * y
        s = m.stop_gradient(y)
    return t.gradient(y, y), t.gradient([z, y], y), t.gradient([s, v], [v, s])


def in_a_function(m, c):
    a = m.Variable([1.0, 2.0])

    @m.function
    def f(x):
        with m.GradientTape(persistent=True) as t:
            r = a
        return t.gradient(r, a), t.gradient(x, x)

    return f(c([3.0, 4.0]))


def nested(m, c):
    a = m.Variable(2.0)
    with m.GradientTape() as outer:
        with m.GradientTape() as t:
            r = a
        g = t.gradient(r, a) * a
    return outer.gradient(g, a)


def forward(m, c):
    a, b, x = m.Variable([1.0, 2.0]), m.Variable(2.0), c([1.0, 2.0])
    with m.autodiff.ForwardAccumulator([a, x], [c([3.0, 4.0]), c([5.0, 6.0])]) as acc:
        r = a
        a.assign(a * 2.0)
    return acc.jvp(r), acc.jvp([a, x]), acc.jvp(b)


PROGRAMS = (
    variable,
    weighted,
    lists,
    assigned,
    jacobians,
    not_watched,
    operands,
    integers,
    watched,
    intermediate,
    in_a_function,
    nested,
    forward,
)


def plain(result):
    if isinstance(result, (list, tuple)):
        return [plain(r) for r in result]
    return result if result is None or isinstance(result, int) else np.asarray(result).tolist()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_gradients_are_tensorflows(program):
    found = {lane: plain(program(m, constant)) for lane, (m, constant) in LANES.items()}
    assert found["shims"] == found["tensorflow"]
