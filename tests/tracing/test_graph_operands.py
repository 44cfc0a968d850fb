"""An operator of TensorFlow 2's name says what a tensor of a graph is, and what to import works."""

import numpy as np
import pytest

import shims
import shims.compat.v1 as tf1

OPERATORS = {
    "add": lambda tf, x, s: tf.add(x, 1.0),
    "relu": lambda tf, x, s: tf.nn.relu(x),
    "matmul": lambda tf, x, s: tf.matmul(x, x),
    "reduce_sum": lambda tf, x, s: tf.reduce_sum(x),
    "concat": lambda tf, x, s: tf.concat([x, x], 0),
    "cast": lambda tf, x, s: tf.cast(x, tf.int32),
    "argmax": lambda tf, x, s: tf.argmax(x, axis=1),
    "join": lambda tf, x, s: tf.strings.join([s, s]),
    "length": lambda tf, x, s: tf.strings.length(s),
    "upper": lambda tf, x, s: tf.strings.upper(s),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_what_to_import_is_told_and_works(name):
    graph = tf1.Graph()
    with graph.as_default():
        x = tf1.placeholder(tf1.float32, [2, 2])
        s = tf1.placeholder(tf1.string, [])
        with pytest.raises(shims.errors.UnimplementedError) as raised:
            OPERATORS[name](shims, x, s)
        text = str(raised.value)
        assert "a tensor of a TensorFlow 1 graph" in text
        assert "import shims.compat.v1 as tf" in text
        assert "test_graph_operands.py" in text
        result = OPERATORS[name](tf1, x, s)
    with tf1.Session(graph=graph) as session:
        found = session.run(result, {x: np.eye(2), s: b"a"})
    if name in ("join", "length", "upper"):
        wanted = {"join": b"aa", "length": 1, "upper": b"A"}[name]
    else:
        wanted = np.asarray(OPERATORS[name](shims, shims.eye(2), None))
    assert np.asarray(found == wanted).all()
