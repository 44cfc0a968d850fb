"""Variables as inputs and outputs: order, freshness, creation, and nothing left behind."""

import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

from shims._src.control_flow.branches import cond
from shims._src.control_flow.loops import while_loop
from shims._src.recording import state
from shims._src.variables.variable import Variable
from tests.harness.lifting import lifted


def test_a_program_of_reads_and_assignments_is_tensorflows():
    def program(x, a, b, where, loop):
        a.assign_add(x)
        b.assign(a * 2)
        a.assign(where(x > 1, lambda: b - a, lambda: a + 1))

        def body(t):
            b.assign_sub(a)
            return (t + 1,)

        loop(lambda t: t < 3, body, (0,))
        return a + b, a.assign(b * 3)

    theirs = [tf.Variable(1.0), tf.Variable(10.0)]
    ours = [Variable(1.0, name="a"), Variable(10.0, name="b")]
    graph = tf.function(lambda x: program(x, *theirs, tf.cond, tf.while_loop))
    f = lambda x: program(x, *ours, cond, while_loop)
    found, pure = lifted(f, jnp.float32(0))
    assert [v.name for v in found.used] == ["a:0", "b:0"]
    assert [v.name for v in found.written] == ["a:0", "b:0"]
    pure = jax.jit(pure)
    for x in (0.5, 3.0, -2.0):
        wanted = [np.asarray(t) for t in graph(tf.constant(x))]
        outputs, values = pure(found.values(), x)
        found.store(values)
        np.testing.assert_allclose([float(o) for o in outputs], wanted, rtol=1e-6)
        np.testing.assert_allclose([float(v) for v in ours], [float(v) for v in theirs], rtol=1e-6)


def test_reads_are_fresh_at_each_call():
    v = Variable(2.0)
    f = lambda x: x * v
    found, pure = lifted(f, jnp.float32(1))
    pure = jax.jit(pure)
    assert float(pure(found.values(), jnp.float32(3.0))[0]) == 6.0
    v.assign(5.0)
    assert float(pure(found.values(), jnp.float32(3.0))[0]) == 15.0
    assert found.written == ()


def test_written_variables_are_in_the_order_of_assignment():
    a, b, c = (Variable(0.0, name=n) for n in "abc")

    def f(x):
        c.assign(x + a)
        a.assign(x)
        c.assign(c + 1)
        return b + 0

    found, _ = lifted(f, jnp.float32(1))
    assert [v.name for v in found.used] == ["a:0", "c:0", "b:0"]
    assert [v.name for v in found.written] == ["c:0", "a:0"]
    assert [float(v) for v in (a, b, c)] == [0.0, 0.0, 0.0]


def test_a_read_has_the_gradient_of_the_variable_whatever_was_assigned():
    v = Variable(3.0)

    def f(x):
        v.assign(v * x)
        return v * x

    found, pure = lifted(f, jnp.float32(1))
    loss = lambda values, x: pure(values, x)[0]
    by_value, by_x = jax.grad(loss, argnums=(0, 1))(found.values(), jnp.float32(2.0))
    assert (float(by_value[0]), float(by_x)) == (2.0, 6.0)


class Model:
    """Creates its variable at the first call, as TensorFlow users do."""

    weight = None

    def __call__(self, x):
        if self.weight is None:
            self.weight = Variable(jnp.arange(3.0) * 2, name="weight")
        return self.weight * x


def test_a_variable_made_inside_gets_its_initial_value():
    model = Model()
    found, pure = lifted(model, jnp.float32(1))
    assert found.used[0] is model.weight
    np.testing.assert_array_equal(model.weight.numpy(), [0.0, 2.0, 4.0])
    assert found.written == ()
    np.testing.assert_array_equal(pure(found.values(), jnp.float32(2.0))[0], [0.0, 4.0, 8.0])


def test_a_variable_made_and_assigned_inside():
    model = Model()

    def f(x):
        model(x)
        model.weight.assign_add(jnp.ones(3))
        return model.weight + 0

    found, pure = lifted(f, jnp.float32(1))
    assert [v.name for v in found.written] == ["weight:0"]
    np.testing.assert_array_equal(model.weight.numpy(), [0.0, 2.0, 4.0])
    _, values = pure(found.values(), jnp.float32(1.0))
    np.testing.assert_array_equal(values[0], [1.0, 3.0, 5.0])


def test_an_initial_value_may_be_a_function():
    v = Variable(2.0)
    found, _ = lifted(lambda x: Variable(lambda: jnp.ones(2) * v) * x, jnp.float32(1))
    np.testing.assert_array_equal(found.used[0].numpy(), [2.0, 2.0])


def test_scopes_nest():
    v = Variable(1.0)
    outer = state.Overlay()
    with state.state_scope(outer):
        v.assign(2.0)
        with state.state_scope(state.Overlay(outer)) as inner:
            assert float(v) == 2.0
            v.assign(3.0)
            assert float(v) == 3.0
            assert inner.written[0] is v
        assert float(v) == 2.0
    assert float(v) == 1.0


def test_a_scope_belongs_to_its_thread_and_ends_with_an_exception():
    v = Variable(1.0)
    seen = []

    def elsewhere():
        seen.append(float(v))

    def enter():
        with state.state_scope(state.Overlay()):
            v.assign(2.0)
            thread = threading.Thread(target=elsewhere)
            thread.start()
            thread.join()
            raise KeyError("inside")

    with pytest.raises(KeyError):
        enter()
    assert seen == [1.0]
    assert state.current_scope() is None
    assert float(v) == 1.0
