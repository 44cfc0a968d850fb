"""`autodiff.ForwardAccumulator`: alone, in one another, inside and around tapes."""

import jax
import jax.numpy as jnp
import pytest

import shims
from tests.harness.compare import Dtypes, assert_same
from tests.harness.outcomes import FLOAT32, array, check_raises, check_same


def one_direction(m):
    x, v = array(m, [1.0, 2.0]), m.Variable(3.0)
    with m.autodiff.ForwardAccumulator([x, v], [array(m, [1.0, 0.5]), array(m, 2.0)]) as acc:
        y = m.sin(x) * v
        z = m.gather(x, [1, 1])
        f = m.floor(x)
        k = m.boolean_mask(x, x > 1.5) * v
        if y[0] > 0.0:
            y = y * 2.0
    return (
        [acc.jvp(y), acc.jvp(z), acc.jvp(f), acc.jvp(v), acc.jvp({"k": k, "x": [x]})],
        acc.jvp(f, unconnected_gradients="zero"),
    )


def around_a_tape(m):
    x = array(m, [1.0, 2.0])
    with m.autodiff.ForwardAccumulator(x, array(m, [1.0, 0.5])) as acc:
        with m.GradientTape() as tape:
            tape.watch(x)
            y = m.reduce_sum(x**3 * x[0])
        g = tape.gradient(y, x)
    return g, acc.jvp(g)


def inside_a_tape(m):
    x, v = array(m, [1.0, 2.0]), m.Variable(3.0)
    with m.GradientTape() as tape:
        tape.watch(x)
        with m.autodiff.ForwardAccumulator(x, array(m, [1.0, 0.5])) as acc:
            y = m.reduce_sum(x**3 * v)
        slope = acc.jvp(y)
    return slope, tape.gradient(slope, [x, v])


def in_one_another(m):
    x, direction = array(m, [1.0, 2.0]), array(m, [1.0, 0.5])
    with m.autodiff.ForwardAccumulator(x, direction) as outer:
        with m.autodiff.ForwardAccumulator(x, direction) as inner:
            y = x**3
        first = inner.jvp(y)
    return first, outer.jvp(first), outer.jvp(y)


def through_a_function(m):
    v = m.Variable(3.0)

    @m.function(input_signature=[m.TensorSpec([None], m.float32)])
    def f(x):
        return m.reduce_sum(m.boolean_mask(x, x > 0.0) ** 2) * v

    x = array(m, [1.0, -2.0, 3.0])
    with m.autodiff.ForwardAccumulator([x, v], [array(m, [1.0, 1.0, 0.5]), array(m, 1.0)]) as acc:
        y = f(x)
    return y, acc.jvp(y)


def inside_a_function(m):
    @m.function(input_signature=[m.TensorSpec([None], m.float32)])
    def f(x):
        with m.autodiff.ForwardAccumulator(x, m.ones_like(x)) as acc:
            y = m.reduce_sum(m.boolean_mask(x, x > 0.0) ** 3)
        return acc.jvp(y)

    return [f(array(m, v)) for v in ([1.0, 2.0], [1.0, -1.0, 2.0], [-1.0, 3.0, -2.0], [-1.0, -2.0])]


def through_a_custom_gradient(m):
    f = m.custom_gradient(lambda x: (x * x, lambda dy: dy * 10.0))
    x = array(m, [1.0, 2.0])
    with m.autodiff.ForwardAccumulator(x, array(m, [1.0, 0.5])) as acc:
        y = f(x) * 2.0
    return acc.jvp(y)


PROGRAMS = [
    one_direction,
    around_a_tape,
    inside_a_tape,
    in_one_another,
    through_a_function,
    inside_a_function,
    through_a_custom_gradient,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_as_tensorflow(program):
    check_same(program)


def entered_again(m):
    x = array(m, 3.0)
    acc = m.autodiff.ForwardAccumulator(x, array(m, 1.0))
    before = acc.jvp(x)
    with acc:
        y = x * x
    z = y * x
    with acc:
        w = y * x
    return before, [acc.jvp(v) for v in (y, z, w)]


def test_entered_again():
    check_same(entered_again)


def twice_the_same(m):
    x = array(m, 1.0)
    m.autodiff.ForwardAccumulator([x, x], [x, x])


def already_recording(m):
    x = array(m, 1.0)
    with m.autodiff.ForwardAccumulator(x, x) as acc, acc:
        pass


@pytest.mark.parametrize("program", [twice_the_same, already_recording], ids=lambda p: p.__name__)
def test_refused_as_by_tensorflow(program):
    check_raises(program)


def test_as_jax():
    f = lambda x: jax.nn.softmax(jax.nn.relu(x) * 2) @ x
    x, direction = jnp.array([1.0, -2.0, 0.5]), jnp.array([1.0, 0.5, -1.0])
    with shims.autodiff.ForwardAccumulator(x, direction) as acc:
        y = f(x)
    assert_same(acc.jvp(y), jax.jvp(f, (x,), (direction,))[1], FLOAT32, Dtypes.SAME)
