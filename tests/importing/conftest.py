"""Graphs that TensorFlow makes, as files, and what TensorFlow's own session says of them."""

import numpy as np
import pytest
import tensorflow as tf

v1 = tf.compat.v1


@pytest.fixture(params=["v1", "v2"])
def control_flow(request):
    """Loops as frames of `Enter` and `Exit`, or as operators that call functions."""
    enabled = v1.control_flow_v2_enabled()
    (v1.enable_control_flow_v2 if request.param == "v2" else v1.disable_control_flow_v2)()
    yield request.param
    (v1.enable_control_flow_v2 if enabled else v1.disable_control_flow_v2)()


@pytest.fixture
def freeze(tmp_path):
    """A function that builds `y` out of `x`, as the file of a frozen graph, and TensorFlow's `y`."""

    def write(build, x, name="model.pb"):
        with tf.Graph().as_default() as graph, v1.Session() as session:
            given = v1.placeholder(x.dtype, [None, *x.shape[1:]], name="x")
            tf.identity(build(given), name="y")
            session.run(v1.global_variables_initializer())
            frozen = v1.graph_util.convert_variables_to_constants(
                session, graph.as_graph_def(), ["y"]
            )
            expected = session.run("y:0", {"x:0": x})
        path = tmp_path / name
        if path.suffix == ".pb":
            path.write_bytes(frozen.SerializeToString())
        else:
            path.write_text(str(frozen))
        return path, expected

    return write


def normal(*shape):
    """Random numbers, the same ones each time."""
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)
