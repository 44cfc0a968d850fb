"""Programs of mixed precision are rewritten by the command line, run, and give TensorFlow's numbers."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

pytestmark = pytest.mark.long

MODEL = """
import json

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.set_global_policy("mixed_KIND")
model = tf.keras.Sequential([tf.keras.layers.Dense(4), tf.keras.layers.Dense(1, dtype="float32")])
model.build((None, 3))
rng = np.random.default_rng(0)
model.set_weights([rng.normal(size=w.shape).astype("float32") for w in model.get_weights()])
x = rng.normal(size=(8, 3)).astype(np.float32)
y = x.sum(1, keepdims=True)
"""
POLICY = """
optimizer = tf.keras.optimizers.SGD(0.05)
losses = []
for _ in range(4):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x, training=True) - y))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    losses.append(float(loss))
policy = tf.keras.mixed_precision.global_policy()
print(json.dumps([losses, policy.name]))
"""
# The first scale is too large: steps are skipped until gradients are finite.
SCALED = """
optimizer = tf.keras.mixed_precision.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.05), initial_scale=2.0**20, dynamic_growth_steps=4
)
model.compile(optimizer, "mse")
losses = model.fit(x, y, batch_size=8, epochs=12, shuffle=False, verbose=0).history["loss"]
print(json.dumps([losses, float(optimizer.dynamic_scale), float(optimizer.iterations)]))
"""
GRAPH = """
import json

import numpy as np
import MODULE as tf

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [None, 3])
w = tf.Variable(np.ones((3, 1), np.float32))
loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
optimizer = tf.train.GradientDescentOptimizer(0.1)
REWRITE
train = optimizer.minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    data = np.random.RandomState(0).rand(8, 3)
    losses = [float(session.run([loss, train], {x: data})[0]) for _ in range(4)]
    print(json.dumps([losses, session.run(w).ravel().tolist()]))
"""
CALL = "optimizer = tf.train.experimental.enable_mixed_precision_graph_rewrite(optimizer)"


def result(path, **environment):
    run = subprocess.run(
        [sys.executable, str(path)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", **environment},
    )
    assert run.returncode == 0, run.stderr[-2000:]
    return json.loads(run.stdout.splitlines()[-1])


def rewritten(path):
    main = "from tf2jax_port.cli import main; main()"
    command = [sys.executable, "-c", main, "rewrite", path.name, "--write"]
    run = subprocess.run(command, cwd=path.parent, capture_output=True, text=True, check=False)
    assert "import tensorflow" not in path.read_text(), run.stdout + run.stderr
    return path


@pytest.mark.parametrize(
    ("program", "kind", "tolerance"),
    [(POLICY, "bfloat16", 1e-5), (POLICY, "float16", 2e-3), (SCALED, "float16", 2e-3)],
    ids=["policy-bfloat16", "policy-float16", "loss-scale"],
)
def test_programs_of_keras(program, kind, tolerance, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(MODEL.replace("KIND", kind) + program)
    expected = result(path)
    losses, *rest = result(rewritten(path), KERAS_BACKEND="jax")
    np.testing.assert_allclose(losses, expected[0], rtol=tolerance)
    assert expected[0][0] > expected[0][-1]  # it trains
    assert rest == expected[1:]


def test_a_graph_that_is_rewritten_without_a_gpu_computes_in_float32(tmp_path):
    original, port = tmp_path / "original.py", tmp_path / "port.py"
    text = GRAPH.replace("MODULE", "tensorflow.compat.v1").replace("REWRITE", CALL)
    original.write_text(text)
    port.write_text(GRAPH.replace("MODULE", "shims.compat.v1").replace("REWRITE", ""))
    for got, want in zip(result(port), result(original), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-6)
    port.write_text(text.replace("tensorflow.compat.v1", "shims.compat.v1"))
    with pytest.raises(
        AssertionError, match="remove the call: the program then computes in float32"
    ):
        result(port)
