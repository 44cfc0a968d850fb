"""`Graph.to_function`: a pure function that `jit`, `grad` and `vmap` work on."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims.compat.v1 as tf

X = np.array([[1.0, 2.0, 3.0], [-4.0, 0.0, 1.0], [2.0, 2.0, 2.0]], np.float32)


@pytest.fixture
def program():
    """A graph with a mask, and a session in which its variable has a value."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        w = tf.Variable(np.ones([3, 2], np.float32), name="w")
        y = tf.matmul(x, w)
        kept = tf.boolean_mask(y, y[:, 0] > 0)
        loss = tf.reduce_sum(tf.square(kept), name="loss")
        step = w.assign_sub(0.1 * tf.gradients(loss, w)[0])
        with tf.Session() as session:
            session.run(w.initializer)
            yield graph, session, step


def test_it_gives_what_the_session_gives(program):
    graph, session, _ = program
    f = graph.to_function({"loss": "loss:0"}, ["x:0"])
    assert (f.variables, f.assigned, f.feeds) == (("w",), (), ("x:0",))
    values = f.values_in(session)
    expected = session.run("loss:0", {"x:0": X})
    np.testing.assert_allclose(f(values, X)["loss"], expected, rtol=1e-6)
    np.testing.assert_allclose(jax.jit(f)(values, X)["loss"], expected, rtol=1e-6)


def test_it_is_differentiated_by_its_variables_and_mapped(program):
    graph, session, _ = program
    f = graph.to_function("loss:0", ["x:0"])
    values = f.values_in(session)
    w = graph.get_collection("variables")[0]
    with graph.as_default():
        expected = session.run(tf.gradients(graph.get_tensor_by_name("loss:0"), w)[0], {"x:0": X})
    np.testing.assert_allclose(jax.grad(f)(values, X)["w"], expected, rtol=1e-6)
    both = jax.vmap(lambda x: f(values, x))(jnp.stack([X, 2 * X]))
    np.testing.assert_allclose(both, [f(values, X), 4 * f(values, X)], rtol=1e-6)


def test_assignments_become_results(program):
    graph, session, step = program
    f = graph.to_function([step.op, "loss:0"], ["x:0"])
    assert f.assigned == ("w",)
    (nothing, loss), new = f(f.values_in(session), X)
    assert nothing is None
    np.testing.assert_allclose(loss, session.run("loss:0", {"x:0": X}), rtol=1e-6)
    session.run(step.op, {"x:0": X})
    np.testing.assert_allclose(new["w"], session.run("w:0"), rtol=1e-5)


def test_what_is_missing_is_named(program):
    graph, _, _ = program
    with pytest.raises(tf.errors.InvalidArgumentError, match="needs the values of variables"):
        graph.to_function("loss:0", ["x:0"])({}, X)
    with pytest.raises(tf.errors.InvalidArgumentError, match="You must feed a value"):
        graph.to_function("loss:0")({"w": np.ones([3, 2])})
    with graph.as_default():
        text = tf.constant("a word", name="text")
    with pytest.raises(tf.errors.UnimplementedError, match="text"):
        graph.to_function(text)


def test_numbers_that_need_64_bits_are_refused_and_not_wrapped():
    with tf.Graph().as_default() as graph:
        n = tf.placeholder(tf.int64, [])
        f = graph.to_function(n + 1, [n])
    assert f({}, np.int64(5)) == 6
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not fit"):
        f({}, np.int64(2**40))
