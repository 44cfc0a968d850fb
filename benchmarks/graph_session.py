"""Measure `Session.run` of TensorFlow 1 programs: a perceptron, batch sizes, a graph of 5,000.

The programs are written once, over the module `tf`, which is TensorFlow's or `shims.compat.v1`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import jax.monitoring
import numpy as np

from benchmarks.timing import Result, compare, in_turns, seconds

OPERATIONS, BATCHES, LARGEST = 5000, 1000, 1000


def perceptron(tf):
    """Return a perceptron's step on 128 images, without arguments, and a step on a given batch."""
    rng = np.random.RandomState(0)
    pictures = rng.rand(LARGEST, 784).astype(np.float32)
    classes = rng.randint(0, 10, LARGEST)
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 784])
        y = tf.placeholder(tf.int64, [None])
        hidden = x
        for i, (rows, columns) in enumerate(((784, 256), (256, 256), (256, 10))):
            kernel = tf.Variable(rng.randn(rows, columns).astype(np.float32) * 0.05)
            hidden = tf.matmul(hidden, kernel) + tf.Variable(np.zeros(columns, np.float32))
            hidden = tf.nn.relu(hidden) if i < 2 else hidden
        loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=hidden)
        )
        step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        session = tf.Session()
        session.run(tf.global_variables_initializer())

    def train(size):
        return session.run([loss, step], {x: pictures[:size], y: classes[:size]})[0]

    return train


def first_run(tf) -> float:
    """Return the seconds to build a graph of 5,000 operations and to run it once."""
    rng = np.random.RandomState(0)

    def program():
        with tf.Graph().as_default():
            x = tf.placeholder(tf.float32, [None, 16])
            kernels = [tf.Variable(rng.randn(16, 16).astype(np.float32) * 0.1) for _ in range(10)]
            hidden = x
            for i in range(OPERATIONS // 5):
                product = tf.tanh(tf.matmul(hidden, kernels[i % 10])) * 0.5
                hidden = hidden + tf.reshape(product, [-1, 16])
            result = tf.reduce_mean(hidden)
            config = tf.ConfigProto()
            config.graph_options.optimizer_options.global_jit_level = tf.OptimizerOptions.ON_1
            session = tf.Session(config=config)
            session.run([v.initializer for v in kernels])
            session.run(result, {x: np.ones([8, 16], np.float32)})

    return seconds(program)


def run() -> list[Result]:
    """Time the programs."""
    import tensorflow.compat.v1 as tensorflow

    import shims.compat.v1 as ours

    trains = {"shims": perceptron(ours), "tf.Session": perceptron(tensorflow)}
    found = []
    for size in (128, 1):
        times = in_turns(
            {name: lambda f=f, n=size: f(n) for name, f in trains.items()}, rounds=40, repeat=3
        )
        question = f"`Session.run` of a training step, batch of {size}"
        found += compare(question, times, "shims", {"tf.Session": 1.0})
    found.append(_compilations(perceptron(ours)))
    times = {name: _in_processes(name) for name in ("shims", "TF XLA")}
    question = f"building a graph of {OPERATIONS:,} operations and its first run"
    return found + compare(question, times, "shims", {"TF XLA": 2.0})


def _compilations(train) -> Result:
    counted = []

    def listen(event, duration, **kwargs):
        if event == "/jax/core/compile/backend_compile_duration":
            counted.append(duration)

    jax.monitoring.register_event_duration_secs_listener(listen)
    for size in np.random.default_rng(0).permutation(LARGEST)[:BATCHES] + 1:
        train(int(size))
    question = f"XLA compilations of `Session.run` for {BATCHES:,} batch sizes"
    return Result(question, "(a count)", str(len(counted)), "", float(len(counted)), 11.0)


def _in_processes(name: str) -> list[float]:
    """Return the seconds in three fresh processes, so that no compiled code is reused."""
    flags = {"TF_XLA_FLAGS": "--tf_xla_cpu_global_jit"}
    command = [sys.executable, "-m", "benchmarks.graph_session", name]
    return [
        json.loads(
            subprocess.run(
                command, check=True, capture_output=True, text=True, env={**os.environ, **flags}
            ).stdout.splitlines()[-1]
        )
        for _ in range(3)
    ]


if __name__ == "__main__":
    if sys.argv[1] == "shims":
        import shims.compat.v1 as module
    else:
        import tensorflow.compat.v1 as module
    module.disable_v2_behavior()
    print("\n" + json.dumps(first_run(module)))
