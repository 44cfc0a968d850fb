"""A training loop under `MonitoredTrainingSession`: hooks stop it, count it, log it and save it.

The run is cut in two: the second half starts from the checkpoint that the first left behind, with a
moving average of the weights among what is saved.
"""

import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

FEATURES, BATCH = 5, 16


def make_batch(rng):
    """Counts whose rate depends on the features."""
    x = rng.uniform(-1.0, 1.0, [BATCH, FEATURES]).astype(np.float32)
    rate = np.exp(x.dot([0.8, -0.5, 0.3, 0.0, 0.2]) + 0.5)
    return x, rng.poisson(rate).astype(np.float32)[:, None]


def build():
    """Poisson regression: the loss, and a step that also moves the averages of the weights."""
    x = tf.placeholder(tf.float32, [None, FEATURES], name="x")
    y = tf.placeholder(tf.float32, [None, 1], name="y")
    with tf.variable_scope("rate"):
        w = tf.get_variable("w", [FEATURES, 1], initializer=tf.random_normal_initializer(seed=91))
        b = tf.get_variable("b", shape=[], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.nn.log_poisson_loss(y, tf.matmul(x, w) + b), name="loss")
    global_step = tf.train.get_or_create_global_step()
    rate = tf.train.piecewise_constant(global_step, [15, 35], [0.1, 0.05, 0.02])
    step = tf.train.FtrlOptimizer(rate, l2_regularization_strength=0.01).minimize(
        loss, global_step=global_step
    )
    averages = tf.train.ExponentialMovingAverage(0.9, num_updates=global_step)
    with tf.control_dependencies([step]):
        train = averages.apply([w, b])
    return x, y, loss, train


class Losses(tf.train.SessionRunHook):
    """Asks for the loss in each run and keeps what comes back."""

    def __init__(self):
        self.values = []

    def begin(self):
        self.loss = tf.get_default_graph().get_tensor_by_name("loss:0")

    def before_run(self, run_context):
        return tf.train.SessionRunArgs({"loss": self.loss})

    def after_run(self, run_context, run_values):
        self.values.append(run_values.results["loss"])


def train_until(last_step, folder, data, losses):
    """A fresh graph, the latest checkpoint if there is one, and steps up to `last_step`."""
    with tf.Graph().as_default():
        x, y, loss, train = build()
        hooks = [
            tf.train.StopAtStepHook(last_step=last_step),
            tf.train.NanTensorHook(loss),
            tf.train.LoggingTensorHook({"loss": loss}, every_n_iter=10),
            losses,
        ]
        names = [v.name for v in tf.global_variables()]
        values = []
        with tf.train.MonitoredTrainingSession(
            checkpoint_dir=folder, hooks=hooks, save_checkpoint_steps=10, log_step_count_steps=None
        ) as sess:
            while not sess.should_stop():
                batch, counts = make_batch(data)
                sess.run(train, feed_dict={x: batch, y: counts})
        reader = tf.train.load_checkpoint(tf.train.latest_checkpoint(folder))
        values = [reader.get_tensor(name.split(":")[0]) for name in names]
        return dict(zip(names, values))


def main(steps=50):
    """Train in two halves; returns the losses and the variables of the last checkpoint."""
    data, losses = np.random.RandomState(14), Losses()
    with tempfile.TemporaryDirectory() as folder:
        train_until(steps // 2, folder, data, losses)
        print(f"stopped after {len(losses.values)} steps: loss {losses.values[-1]:.4f}")
        results = train_until(steps, folder, data, losses)
        print(f"and after {len(losses.values)}: loss {losses.values[-1]:.4f}")
    return losses.values, results


if __name__ == "__main__":
    main()
