"""What `contrib` and `slim` train with; numbers are those of TensorFlow 1.15.5."""

from __future__ import annotations

import numpy as np
import pytest

import shims.compat.v1 as tf
from shims.errors import UnimplementedError

_X = np.arange(12, dtype=np.float32).reshape(4, 3) / 12.0
_Y = np.eye(3, dtype=np.float32)[[0, 1, 2, 1]]


def _logits():
    w = tf.get_variable("w", [3, 3], initializer=tf.constant_initializer(0.3))
    return tf.matmul(tf.constant(_X), w) + _X


def test_losses_take_predictions_before_labels():
    module, y, z = tf.contrib.losses, tf.constant(_Y), _logits()
    weights = tf.constant([1.0, 0.0, 2.0, 1.0])
    found = [
        tf.contrib.slim.losses.softmax_cross_entropy(z, y, weights, label_smoothing=0.1),
        module.sigmoid_cross_entropy(z, y, weights),
        module.sparse_softmax_cross_entropy(z, tf.constant([[0], [1], [2], [1]])),
        module.mean_squared_error(z, y, weights),
        module.absolute_difference(z, y),
        module.log_loss(tf.nn.sigmoid(z), y),
    ]
    # `found` is what `tf.losses` collects; those with weights are averages over the ones but 0.
    assert tf.contrib.slim.losses.get_losses() == found
    own = [
        tf.losses.softmax_cross_entropy(y, z, weights, 0.1),
        tf.losses.sigmoid_cross_entropy(y, z, weights[:, None]),
        tf.losses.sparse_softmax_cross_entropy([0, 1, 2, 1], z),
        tf.losses.mean_squared_error(y, z, weights[:, None]),
        tf.losses.absolute_difference(y, z),
        tf.losses.log_loss(y, tf.nn.sigmoid(z)),
    ]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_allclose(*session.run([found, own]), rtol=1e-6)


def test_a_train_op_is_a_step_and_its_loss():
    learning = tf.contrib.slim.learning
    loss = tf.losses.softmax_cross_entropy(_Y, _logits())
    seen = tf.Variable(0.0, trainable=False)
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_add(seen, 1.0))
    optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
    options = {"clip_gradient_norm": 0.05, "gradient_multipliers": {"w": 2.0}}
    step = learning.create_train_op(loss, optimizer, summarize_gradients=True, **options)
    assert tf.get_collection(tf.GraphKeys.TRAIN_OP)[-1] is step
    assert len(tf.get_collection(tf.GraphKeys.SUMMARIES)) == 2
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        before = session.run(tf.trainable_variables()[0])
        first = session.run(step)
        after = session.run(tf.trainable_variables()[0])
        assert session.run([seen, tf.train.get_global_step()]) == [1.0, 1]
        assert session.run(step) < first
    # The gradient is clipped to 0.05, and the first step of momentum is the rate times it.
    np.testing.assert_allclose(np.linalg.norm(after - before), 0.005, rtol=1e-5)


def test_training_ends_when_a_hook_asks(tmp_path):
    step = tf.contrib.training.create_train_op(
        tf.losses.softmax_cross_entropy(_Y, _logits()), tf.train.GradientDescentOptimizer(0.1)
    )
    hooks = [tf.train.StopAtStepHook(num_steps=3)]
    last = tf.contrib.training.train(step, str(tmp_path), hooks=hooks)
    assert 0 < last < 2
    with pytest.raises(ValueError, match="logdir cannot be None"):
        tf.contrib.training.train(step, None)


def test_a_gradient_that_is_missing_cannot_be_multiplied():
    v = tf.get_variable("v", [])
    multiply = tf.contrib.slim.learning.multiply_gradients
    with pytest.raises(ValueError, match="Requested multiple of `None` gradient: v"):
        multiply([(None, v)], {"v": 2.0})
    with pytest.raises(ValueError, match="is empty"):
        multiply([(None, v)], {})


def test_sizes_of_variables_are_printed(capsys):
    analyzer = tf.contrib.slim.model_analyzer
    variables = [tf.get_variable("a", [2, 3]), tf.get_variable("b", [], tf.float64)]
    x = tf.placeholder(tf.float32, [None, 2])
    assert analyzer.analyze_vars(variables, print_info=True) == (7, 32)
    assert "[6, bytes: 24]" in capsys.readouterr().out
    assert analyzer.tensor_description(x) == "(float32 ?x2)"
    assert analyzer.analyze_ops(tf.get_default_graph(), print_info=True) >= 7


def _model(features, labels, mode, params):
    tpu = tf.contrib.tpu
    predicted = tf.layers.dense(features["x"], 1, kernel_initializer=tf.ones_initializer())
    if mode == tf.estimator.ModeKeys.PREDICT:
        size = tf.fill([tf.shape(predicted)[0]], params["batch_size"])
        return tpu.TPUEstimatorSpec(mode, predictions={"y": predicted, "size": size})
    loss = tf.losses.mean_squared_error(labels, predicted)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())

    def measured(labels, predicted):
        return {"error": tf.metrics.mean_absolute_error(labels, predicted)}

    metrics = (measured, [labels, predicted])
    return tpu.TPUEstimatorSpec(mode, loss=loss, train_op=train, eval_metrics=metrics)


def _read(params):
    y = _X.sum(1, keepdims=True)
    return tf.data.Dataset.from_tensor_slices(({"x": _X}, y)).repeat(2).batch(params["batch_size"])


def test_an_estimator_for_tpus_is_one_for_cpus_without_a_tpu(tmp_path):
    tpu = tf.contrib.tpu
    config = tpu.RunConfig(model_dir=str(tmp_path), tpu_config=tpu.TPUConfig(num_shards=8))
    sizes = {"train_batch_size": 2, "eval_batch_size": 4, "predict_batch_size": 3}
    model = tpu.TPUEstimator(_model, config=config, use_tpu=False, **sizes)
    found = model.train(_read).evaluate(_read)
    assert found["global_step"] == 4
    assert 0 <= found["error"] < 0.1
    assert [row["size"] for row in model.predict(_read)] == [3] * 8
    with pytest.raises(UnimplementedError, match="pass `use_tpu=False`"):
        tpu.TPUEstimator(_model, config=config)
    with pytest.raises(UnimplementedError, match="pass `use_tpu=False`"):
        tpu.RunConfig(master="grpc://somewhere")
    with pytest.raises(ValueError, match="batch_size are reserved keys"):
        tpu.TPUEstimator(_model, params={"batch_size": 3}, use_tpu=False)


def test_the_shape_of_a_text_may_be_a_tensor():
    lines = tf.placeholder(tf.string, [None])
    parts = tf.string_split(lines, ":")
    pairs = tf.reshape(parts.values, parts.dense_shape)
    left, right = tf.split(pairs, 2, axis=1)
    assert pairs.shape.as_list() == [None, None]
    assert left.dtype == tf.string
    sums = tf.string_to_number(left, tf.int32) + tf.string_to_number(right, tf.int32)
    with tf.Session() as session:
        found = session.run(sums, {lines: ["1:2", "3:4", "5:6"]})
    assert found.tolist() == [[3], [7], [11]]


class _Frame(dict):
    """What a data frame of pandas has that is used."""

    @property
    def columns(self):
        return list(self)

    @property
    def index(self):
        return np.arange(len(self["a"]))


class _Series(np.ndarray):
    """What a series of pandas has that is used."""

    @property
    def index(self):
        return np.arange(len(self))


def test_a_data_frame_is_read_by_columns():
    frame, labels = _Frame(a=[1.0, 2.0, 3.0], b=["x", "y", "z"]), np.array([0, 1, 0]).view(_Series)
    read = tf.estimator.inputs.pandas_input_fn(frame, labels, 2, 2, shuffle=False)
    x, y = read().make_one_shot_iterator().get_next()
    with tf.Session() as session:
        found = [session.run([x["a"], x["b"], y]) for _ in range(3)]
    assert [a.tolist() for a, _, _ in found] == [[1.0, 2.0], [3.0, 1.0], [2.0, 3.0]]
    assert found[1][1].tolist() == [b"z", b"x"]
    assert found[2][2].tolist() == [1, 0]


def test_signatures_have_names():
    names = tf.saved_model.signature_constants
    assert names.DEFAULT_SERVING_SIGNATURE_DEF_KEY == "serving_default"
    assert tf.saved_model.tag_constants.SERVING == tf.saved_model.SERVING == "serve"
    with pytest.raises(AttributeError, match="import-graph"):
        _ = tf.saved_model.builder


def test_what_inputs_need():
    inputs = tf.estimator.inputs
    with pytest.raises(ValueError, match="shuffle must be provided"):
        inputs.numpy_input_fn({"x": _X}, _Y)
    with pytest.raises(ValueError, match="mismatched"):
        inputs.numpy_input_fn({"x": _X}, _Y[1:], shuffle=False)
    read = inputs.numpy_input_fn({"x": _X}, None, 4, 1, shuffle=True)
    x = read().make_one_shot_iterator().get_next()["x"]
    with tf.Session() as session:
        assert sorted(session.run(x)[:, 0].tolist()) == _X[:, 0].tolist()
