"""`SyncReplicasOptimizer` of one worker: the numbers of TensorFlow's optimizer without it."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tensorflow

import shims.compat.v1 as tf

BATCHES = ([1.0, -1.0, 0.0], [1.0, 2.0, 3.0], [0.5, 0.0, -2.0])


def model(tf):
    """A loss of a variable and of rows of another one, with equal rows."""
    x = tf.placeholder(tf.float32, [3])
    v = tf.get_variable("v", initializer=np.float32([1, 2, 3]), use_resource=True)
    rows = tf.get_variable("rows", initializer=np.ones((4, 2), np.float32), use_resource=True)
    taken = tf.nn.embedding_lookup(rows, [2, 0, 2])
    return x, v, tf.reduce_sum(tf.square(v * x)) + tf.reduce_sum(tf.square(taken))


def plain_steps() -> list[dict]:
    """All variables after each step of TensorFlow's Adam and moving average."""
    v1 = tensorflow.compat.v1
    found = []
    with v1.Graph().as_default(), v1.Session() as session:
        x, v, loss = model(v1)
        step = v1.train.create_global_step()
        average = v1.train.ExponentialMovingAverage(0.5)
        update = v1.train.AdamOptimizer(0.1).minimize(loss, global_step=step)
        with v1.control_dependencies([update]):
            train = average.apply([v])
        every = v1.global_variables()
        session.run(v1.global_variables_initializer())
        for batch in BATCHES:
            session.run(train, {x: batch})
            found.append({k.name: value for k, value in zip(every, session.run(every))})
    return found


def test_three_steps_are_those_of_the_optimizer():
    x, v, loss = model(tf)
    step = tf.train.create_global_step()
    adam, average = tf.train.AdamOptimizer(0.1), tf.train.ExponentialMovingAverage(0.5)
    sync = tf.train.SyncReplicasOptimizer(adam, 1, 1, average, [v])
    train = sync.minimize(loss, global_step=step)
    every = tf.global_variables()
    assert [local.name for local in tf.local_variables()] == ["sync_rep_local_step:0"]
    assert sync.variables() == adam.variables()
    assert len(sync.variables()) == 6
    assert sync.get_slot_names() == ["m", "v"]
    assert sync.get_slot(v, "m") is adam.get_slot(v, "m")
    assert sync.get_chief_queue_runner().create_threads(None) == []
    hook = sync.make_session_run_hook(True, num_tokens=0)
    tokens = sync.get_init_tokens_op()
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        assert session.run(tokens) is None
        for i, (batch, expected) in enumerate(zip(BATCHES, plain_steps(), strict=True)):
            assert session.run(train, {x: batch}) == i + 1
            values = session.run(every)
            assert {k.name for k in every} == expected.keys()
            for k, value in zip(every, values, strict=True):
                np.testing.assert_allclose(value, expected[k.name], 2e-6, err_msg=k.name)
    with pytest.raises(ValueError, match="Too few tokens"):
        sync.get_init_tokens_op(-2)


def made() -> tf.train.SyncReplicasOptimizer:
    return tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.1), 1)


REFUSALS = {
    "runner": (lambda: made().get_chief_queue_runner(), "Should be called after apply_gradients"),
    "tokens": (lambda: made().get_init_tokens_op(), "should be called after apply_gradients"),
    "hook": (lambda: made().make_session_run_hook(False).begin(), "before using the hook"),
    "nothing": (lambda: made().apply_gradients([], 1), "at least one variable"),
    "step": (lambda: made().minimize(model(tf)[2]), "Global step is required"),
    "gradient": (lambda: made().apply_gradients([(1.0, None)], 1), "Unknown grad type"),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_refusals(case):
    call, message = REFUSALS[case]
    with pytest.raises(ValueError, match=message):
        call()


def test_more_replicas_are_refused():
    adam = tf.train.AdamOptimizer()
    for counts in ((2,), (1, 2), (2, 1)):
        with pytest.raises(tf.errors.UnimplementedError, match="pass 1 for both"):
            tf.train.SyncReplicasOptimizer(adam, *counts)
