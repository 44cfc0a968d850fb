"""Variables of Keras in a TensorFlow 2 program: parts are assigned to, and functions return them."""

import pytest

from tests.facade.test_keras import run
from tests.harness import keras_on_jax

PROGRAM = """
import {library} as tf
{methods}
keras = tf.keras


class Counts(keras.metrics.Metric):
    def __init__(self):
        super().__init__(name="counts")
        self.bins = self.add_weight(name="bins", shape=(4,), initializer="zeros")

    @tf.function
    def update_state(self, x):
        for i in tf.range(0, tf.shape(x)[0]):
            if x[i] > 1:
                self.bins[x[i]].assign(self.bins[x[i]] + 1.0)
        return self.bins

    def result(self):
        return tf.reduce_sum(self.bins)


counts = Counts()
print([float(n) for n in counts.update_state(tf.constant([1, 2, 3, 3]))], float(counts.result()))


@tf.function
def tail(i):
    v = counts.bins
    v[i:].assign([7.0, 8.0])
    return {{"v": v, "twice": 2 * v}}


found = tail(2)
print([float(n) for n in found["v"]], [float(n) for n in found["twice"]])
counts.bins[1].assign(5.0)
counts.bins[2:].assign([0.0, 1.0])
print(counts.bins.numpy().tolist())
dense = keras.layers.Dense(2, kernel_initializer="ones")
dense.build((None, 2))
dense.kernel[0].assign([3.0, 4.0])
print(dense.kernel.numpy().tolist(), float(dense.kernel[1][0]))
print(dense.kernel.shape.as_list(), dense.bias.shape.rank, dense.kernel.shape[:1].as_list())
"""


def test_parts_of_variables_of_keras_are_assigned_to(tmp_path):
    ours = PROGRAM.format(library="shims", methods="tf.enable_tensor_methods()")
    wanted = _run_file(tmp_path / "wanted.py", PROGRAM.format(library="tensorflow", methods=""))
    assert _run_file(tmp_path / "ours.py", ours, KERAS_BACKEND="jax") == wanted
    assert wanted.splitlines()[0] == "[0.0, 0.0, 1.0, 2.0] 3.0"


def _run_file(path, program, **environment):
    """Run a program that has a file, in which autograph finds its source."""
    path.write_text(program)
    return run(f"import runpy\nrunpy.run_path({str(path)!r}, run_name='__main__')", **environment)


@pytest.mark.parametrize("long", [False, pytest.param(True, marks=pytest.mark.long)])
def test_operations_of_variables_are_those_of_plain_keras(long):
    keras_on_jax.passes("tests/facade/keras_variable_cases.py", long=long)
