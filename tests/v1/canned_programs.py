"""Canned estimators, and what TensorFlow makes of them: variables, losses, metrics, predictions.

The answers, of TensorFlow 1.15.5, are in `canned_answers.json`. Written anew by
`python -m tests.v1.canned_programs`.
"""

import json
import os
import pathlib
import tempfile

import numpy as np

ANSWERS = pathlib.Path(__file__).with_name("canned_answers.json")
_COUNT = 10


def _data(labels):
    draw = np.random.RandomState(4)
    features = {
        "age": draw.uniform(0.0, 80.0, _COUNT).astype(np.float32),
        "pair": draw.uniform(-1.0, 1.0, (_COUNT, 2)).astype(np.float32),
        "kind": np.array(["cat", "dog", "", "emu", "cat", "bird", "dog", "dog", "cat", "emu"]),
        "importance": draw.uniform(0.5, 2.0, _COUNT).astype(np.float32),
    }
    found = {
        "two": draw.randint(0, 2, _COUNT),
        "three": draw.randint(0, 3, _COUNT),
        "names": np.array(["no", "yes"])[draw.randint(0, 2, _COUNT)],
        "numbers": draw.uniform(-2.0, 2.0, (_COUNT, 2)).astype(np.float32),
    }
    return features, found[labels]


def _columns(tf):
    c = tf.feature_column
    kind = c.categorical_column_with_vocabulary_list("kind", ["cat", "dog", "emu"])
    age = c.bucketized_column(c.numeric_column("age"), [20.0, 40.0])
    start = tf.constant_initializer(0.25)
    dense = [c.numeric_column("pair", 2), c.embedding_column(kind, 2, initializer=start), age]
    return [kind, age, c.crossed_column(["kind", age], 20)], dense


def _dnn_binary(tf, config):
    columns = _columns(tf)[1]
    return tf.estimator.DNNClassifier([4, 3], columns, config=config, batch_norm=True)


def _dnn_three(tf, config):
    options = {"optimizer": "Adam", "n_classes": 3, "weight_column": "importance"}
    return tf.estimator.DNNClassifier([4], _columns(tf)[1], config=config, **options)


def _dnn_numbers(tf, config):
    def slow():
        return tf.train.GradientDescentOptimizer(0.01)

    options = {"label_dimension": 2, "optimizer": slow, "activation_fn": tf.nn.tanh}
    return tf.estimator.DNNRegressor([4], _columns(tf)[1], config=config, **options)


def _linear_names(tf, config):
    columns = _columns(tf)[0]
    names = ["no", "yes"]
    return tf.estimator.LinearClassifier(columns, config=config, label_vocabulary=names)


def _linear_numbers(tf, config):
    average = tf.losses.Reduction.SUM_OVER_BATCH_SIZE
    options = {"label_dimension": 2, "optimizer": None, "loss_reduction": average}
    return tf.estimator.LinearRegressor(_columns(tf)[0], config=config, **options)


def _both(tf, config):
    linear, dense = _columns(tf)
    options = {"dnn_hidden_units": [3], "weight_column": "importance"}
    options.update(linear_feature_columns=linear, dnn_feature_columns=dense)
    return tf.estimator.DNNLinearCombinedClassifier(config=config, **options)


PROGRAMS = {
    "dnn_binary": (_dnn_binary, "two"),
    "dnn_three": (_dnn_three, "three"),
    "dnn_numbers": (_dnn_numbers, "numbers"),
    "linear_names": (_linear_names, "names"),
    "linear_numbers": (_linear_numbers, "numbers"),
    "both": (_both, "two"),
}


def answers(tf, name):
    """Return the variables, metrics and predictions of an estimator after some steps."""
    make, labels = PROGRAMS[name]
    x, y = _data(labels)
    inputs = tf.estimator.inputs.numpy_input_fn
    with tempfile.TemporaryDirectory() as folder:
        model = make(tf, tf.estimator.RunConfig(model_dir=folder, tf_random_seed=11))
        model.train(inputs(x, y, 4, None, False), [_known_start(tf)], steps=6)
        metrics = model.evaluate(inputs(x, y, 4, 1, False))
        found = list(model.predict(inputs(x, None, 5, 1, False)))
        variables = {v: model.get_variable_value(v).tolist() for v in _names(model, folder)}
    return {
        "metrics": {key: float(value) for key, value in metrics.items()},
        "predictions": [{k: _plain(v) for k, v in row.items()} for row in found],
        "variables": variables,
    }


def _known_start(tf):
    """Return a hook that gives each variable numbers that its name decides."""

    class Start(tf.train.SessionRunHook):
        def begin(self):
            self._steps = [tf.assign(v, _numbers(v)) for v in tf.trainable_variables()]

        def after_create_session(self, session, coord):
            session.run(self._steps)

    return Start()


def _numbers(v):
    name = v.op.name.replace("/part_0", "")
    draw = np.random.RandomState(sum(name.encode()) % 1000)
    return draw.uniform(-1.0, 1.0, v.shape.as_list()).astype(np.float32)


def _names(model, folder):
    """Return the variables of the model; TensorFlow names those of optimizers by parts."""
    optimizers = ("/Adagrad", "/Ftrl", "/Adam", "_power", "global_step")
    return sorted(n for n in _stored(folder) if not any(word in n for word in optimizers))


def _stored(folder):
    import importlib

    module = os.environ.get("CANNED_LIBRARY", "shims.compat.v1")
    tf = importlib.import_module(module)
    return [name for name, _ in tf.train.list_variables(folder)]


def _plain(value):
    array = np.asarray(value)
    if array.dtype.kind in "OS":
        return [x.decode() for x in array.ravel().tolist()]
    return array.ravel().tolist()


def main():
    """Write the answers of TensorFlow."""
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    os.environ["CANNED_LIBRARY"] = "tensorflow"
    import tensorflow as tf

    found = {name: answers(tf, name) for name in PROGRAMS}
    ANSWERS.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
