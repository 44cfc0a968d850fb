"""What a session keeps, compiles and refuses."""

from __future__ import annotations

import jax.monitoring
import numpy as np
import pytest

import shims
import shims.compat.v1 as tf


def test_a_thousand_sizes_cost_few_compilations():
    counted: list[float] = []

    def listen(event, duration, **kwargs):
        if event == "/jax/core/compile/backend_compile_duration":
            counted.append(duration)

    x = tf.placeholder(tf.float32, [None, 2])
    w = tf.Variable([[1.0], [2.0]])
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
    step = w.assign_sub(1e-6 * tf.gradients(loss, w)[0]).op
    with tf.Session() as session:
        session.run(w.initializer)
        jax.monitoring.register_event_duration_secs_listener(listen)
        for size in np.random.default_rng(0).permutation(1000)[:60] + 1:
            session.run([loss, step], {x: np.ones([size, 2], np.float32)})
        assert session.compilations <= 11
    assert len(counted) <= 11


def test_each_session_has_values_of_its_own():
    v = tf.Variable(1.0)
    with tf.Session() as one, tf.Session() as two:
        one.run(v.initializer)
        two.run(v.initializer)
        one.run(v.assign_add(1.0))
        assert (one.run(v), two.run(v)) == (2.0, 1.0)


def test_large_constants_are_arguments_and_small_ones_are_not():
    large = np.arange(60_000, dtype=np.float32).reshape(200, 300)
    c = tf.constant(large)
    w = tf.Variable(large)
    y = c * 2.0 + w
    with tf.Session() as session:
        session.run(w.initializer)
        both = session.run([y, c])
        compiled = [c for c in session._compiled.values() if c.schedule.large]
    np.testing.assert_array_equal(both[0], 3 * large)
    np.testing.assert_array_equal(both[1], large)
    assert [len(c.schedule.large) for c in compiled] == [1, 1]


def test_fed_intermediate_tensors_need_nothing_before_them():
    x = tf.placeholder(tf.float32, [None])
    y = tf.Variable([1.0, 2.0]) * x
    z = y + 1.0
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(z, {y: [1.0, 2.0]}), [2.0, 3.0])


def test_64_bits_are_64_bits():
    n = tf.placeholder(tf.int64, [])
    with tf.Session() as session:
        assert session.run(n * 3, {n: 2**40}) == 3 * 2**40
        assert session.run(tf.cast(n, tf.float64) / 3, {n: 1}).dtype == np.float64


def test_what_is_refused_says_what_to_do():
    x = tf.placeholder(tf.float32, [None])
    session = tf.Session()
    with pytest.raises(tf.errors.UnimplementedError, match="call `run` twice"):
        session.partial_run_setup([x])
    with pytest.raises(tf.errors.UnimplementedError, match="remote sessions are not supported"):
        tf.Session("grpc://host:1")
    session.close()
    with pytest.raises(RuntimeError, match="closed Session"):
        session.run(x, {x: [1.0]})


def test_where_no_order_is_said_reads_come_first():
    """TensorFlow leaves it open; a reference that is fetched shows what was assigned meanwhile."""
    with tf.Session() as session:
        for resource in (False, True):
            v = tf.Variable(1.0, use_resource=resource)
            session.run(v.initializer)
            assert session.run([v + 0.0, v.assign_add(5.0)]) == [1.0, 6.0]
            assert session.run([v, v.assign(9.0)]) == [6.0 if resource else 9.0, 9.0]


def test_a_list_of_tensors_is_one_tensor_whatever_made_their_sizes():
    x = tf.placeholder(tf.float32, [None, 2])
    rows = [tf.boolean_mask(x, x[:, 0] > 0)[:, 1:], tf.fill([tf.shape(x)[0], 1], 3.0)]
    both = tf.transpose(tf.squeeze(rows))
    assert both.shape.as_list() == [None, 2]
    with tf.Session() as session:
        found = session.run(both, {x: [[1.0, 5.0], [2.0, 6.0], [3.0, 7.0]]})
        assert found.tolist() == [[5.0, 3.0], [6.0, 3.0], [7.0, 3.0]]
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(both, {x: [[1.0, 5.0], [-2.0, 6.0]]})


DRAWS = {
    "random_normal": lambda: shims.random.normal([4]),
    "random_uniform": lambda: shims.random.uniform([4], 0, 1 << 30, shims.int32),
    "random_gamma": lambda: shims.random.gamma([4], 1.0),
    "random_poisson": lambda: shims.random.poisson([4], 50.0),
    "RandomShuffle": lambda: shims.random.shuffle(np.arange(20)),
    "dropout": lambda: shims.nn.dropout(np.ones(40, np.float32), 0.5),
    "mul": lambda: shims.random.normal([4]) * 2,
}


@pytest.mark.parametrize("name", DRAWS)
def test_random_operators_of_version_2_draw_in_every_run(name):
    with tf.Graph().as_default():
        numbers = DRAWS[name]()
        with tf.Session() as session:
            first, second = session.run(numbers), session.run(numbers)
    assert numbers.name.startswith(name)
    assert not np.array_equal(first, second)


def test_what_draws_within_an_object_of_version_2_warns_in_a_graph():
    with tf.Graph().as_default(), pytest.warns(shims.errors.FrozenRandomWarning, match="compat.v1"):
        shims.random_normal_initializer()([3])


def test_the_random_operators_that_the_warning_names_draw_in_every_run():
    with tf.Graph().as_default():
        numbers = tf.random.normal([4])
        with tf.Session() as session:
            first, second = session.run(numbers), session.run(numbers)
    assert not np.array_equal(first, second)
