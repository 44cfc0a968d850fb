"""Estimators, against a session that takes the same steps by hand."""

from __future__ import annotations

import numpy as np
import pytest

import shims
import shims.compat.v1 as tf

_X = np.arange(24, dtype=np.float32).reshape(12, 2) / 10.0
_Y = (_X @ [[1.0], [-2.0]] + 0.5).astype(np.float32)


def _loss(x, y):
    predicted = tf.layers.dense(x, 1, kernel_initializer=tf.ones_initializer(), name="line")
    return predicted, None if y is None else tf.losses.mean_squared_error(y, predicted)


def _model(features, labels, mode, params):
    predicted, loss = _loss(features["x"], labels)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, {"y": predicted, "twice": predicted * 2.0})
    optimizer = tf.train.MomentumOptimizer(params["rate"], 0.9)
    train = optimizer.minimize(loss, tf.train.get_global_step())
    error = tf.metrics.mean_absolute_error(labels, predicted)
    return tf.estimator.EstimatorSpec(
        mode, loss=loss, train_op=train, eval_metric_ops={"error": error}
    )


def _input(batch=4, passes=None, labels=True):
    def read():
        data = ({"x": _X}, _Y) if labels else {"x": _X}
        return tf.data.Dataset.from_tensor_slices(data).repeat(passes).batch(batch)

    return read


class _Losses(tf.train.SessionRunHook):
    def __init__(self):
        self.found = []

    def before_run(self, run_context):
        loss = tf.get_collection(tf.GraphKeys.LOSSES)[0]
        return tf.train.SessionRunArgs(loss)

    def after_run(self, run_context, run_values):
        self.found.append(run_values.results)


def _by_hand(steps):
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.float32, [None, 1])
        predicted, loss = _loss(x, y)
        train = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss)
        session.run(tf.global_variables_initializer())
        losses = []
        for step in range(steps):
            rows = slice(4 * (step % 3), 4 * (step % 3) + 4)
            losses.append(session.run([loss, train], {x: _X[rows], y: _Y[rows]})[0])
        return losses, session.run([predicted, loss], {x: _X, y: _Y})


def test_it_trains_evaluates_and_predicts(tmp_path):
    config = tf.estimator.RunConfig(save_checkpoints_steps=2, log_step_count_steps=None)
    estimator = tf.estimator.Estimator(_model, str(tmp_path), config, {"rate": 0.05})
    hook = _Losses()
    assert estimator.train(_input(), hooks=[hook], steps=3) is estimator
    estimator.train(_input(passes=1), hooks=[hook])
    losses, (predicted, loss) = _by_hand(6)
    np.testing.assert_array_equal(hook.found, losses)
    assert estimator.latest_checkpoint().endswith("model.ckpt-6")
    metrics = estimator.evaluate(_input(12, 1))
    assert [*metrics] == ["error", "global_step", "loss"]
    assert metrics["global_step"] == 6
    np.testing.assert_allclose(metrics["loss"], loss, rtol=1e-6)
    np.testing.assert_allclose(metrics["error"], np.abs(predicted - _Y).mean(), rtol=1e-6)
    rows = list(estimator.predict(_input(5, 1, labels=False)))
    np.testing.assert_allclose([row["y"] for row in rows], predicted, rtol=1e-6)
    (batch,) = estimator.predict(_input(12, 1), ["twice"], yield_single_examples=False)
    np.testing.assert_allclose(batch["twice"], predicted * 2.0, rtol=1e-6)
    assert estimator.get_variable_value("line/bias").shape == (1,)


def test_it_trains_up_to_a_step_and_evaluates(tmp_path):
    estimator = tf.estimator.Estimator(_model, str(tmp_path), params={"rate": 0.05})
    train = tf.estimator.TrainSpec(_input(), max_steps=4)
    evaluate = tf.estimator.EvalSpec(_input(6), steps=2)
    metrics, _ = tf.estimator.train_and_evaluate(estimator, train, evaluate)
    again, _ = tf.estimator.train_and_evaluate(estimator, train, evaluate)
    assert metrics == again
    assert metrics["global_step"] == 4
    np.testing.assert_allclose(metrics["loss"], _by_hand(4)[1][1], rtol=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda e: e.evaluate(_input()), "Could not find trained model"),
        (lambda e: e.train(_input(), steps=1, max_steps=1), "both steps and max_steps"),
        (lambda e: e.train(_input(), steps=0), "steps > 0"),
        (lambda e: tf.estimator.Estimator(lambda x: x), "must include features"),
        (lambda e: tf.estimator.EstimatorSpec("train", loss=1.0), "Missing train_op"),
        (lambda e: tf.estimator.EstimatorSpec("eval"), "Missing loss"),
        (lambda e: tf.estimator.EstimatorSpec("infer"), "Missing predictions"),
    ],
)
def test_it_refuses_what_tensorflow_refuses(tmp_path, call, message):
    estimator = tf.estimator.Estimator(_model, str(tmp_path), params={"rate": 0.05})
    with pytest.raises(ValueError, match=message):
        call(estimator)


# ---- export --------------------------------------------------------------------------------------


def _exporting_model(features, labels, mode, params):
    spec = _model(features, labels, mode, params)
    if mode != tf.estimator.ModeKeys.PREDICT:
        return spec
    y = spec.predictions["y"]
    outputs = {
        "serving_default": tf.estimator.export.PredictOutput(spec.predictions),
        "line": tf.estimator.export.RegressionOutput(y),
        "scores": tf.estimator.export.ClassificationOutput(scores=tf.nn.softmax(y)),
    }
    return spec._replace(export_outputs=outputs)


def _receive():
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    return tf.estimator.export.ServingInputReceiver({"x": x}, {"rows": x})


@pytest.mark.parametrize("model", [_model, _exporting_model])
def test_a_trained_model_is_exported(tmp_path, model):
    estimator = tf.estimator.Estimator(model, str(tmp_path / "model"), params={"rate": 0.05})
    estimator.train(_input(), steps=3)
    folder = estimator.export_saved_model(str(tmp_path / "out"), _receive)
    assert estimator.export_savedmodel(str(tmp_path / "out"), _receive) != folder
    predicted = [row["y"] for row in estimator.predict(_input(4, 1, labels=False))]
    loaded = shims.saved_model.load(folder.decode())
    found = loaded.signatures["serving_default"](rows=_X)
    np.testing.assert_allclose(found["y"], predicted, rtol=1e-6)
    np.testing.assert_allclose(found["twice"], np.multiply(predicted, 2), rtol=1e-6)
    assert loaded.signatures["serving_default"](rows=_X[:5])["y"].shape == (5, 1)
    if model is _exporting_model:
        np.testing.assert_allclose(
            loaded.signatures["line"](rows=_X)["outputs"], predicted, rtol=1e-6
        )
        assert loaded.signatures["scores"](rows=_X)["scores"].tolist() == [[1.0]] * len(_X)


def test_what_cannot_be_exported_is_refused(tmp_path):
    def texts():
        x = tf.placeholder(tf.string, [None])
        return tf.estimator.export.ServingInputReceiver(
            {"x": tf.stack([tf.string_to_number(x)] * 2, 1)}, x
        )

    estimator = tf.estimator.Estimator(_model, str(tmp_path / "model"), params={"rate": 0.05})
    with pytest.raises(ValueError, match="Could not find trained model"):
        estimator.export_saved_model(str(tmp_path / "out"), _receive)
    estimator.train(_input(), steps=1)
    with pytest.raises(tf.errors.UnimplementedError, match="operations that call Python functions"):
        estimator.export_saved_model(str(tmp_path / "out"), texts)
    with pytest.raises(ValueError, match="assets_extra=None"):
        estimator.export_saved_model(str(tmp_path / "out"), _receive, {"a": "b"})
