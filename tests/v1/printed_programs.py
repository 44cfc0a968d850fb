"""Programs that print what a graph says of itself; TensorFlow 1 and `shims.compat.v1` print the same.

Run as a script it prints what TensorFlow says, as JSON: version 1 is a switch of the whole process.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import textwrap

from tests.v1 import (
    composite_programs,
    control_flow_programs,
    dataset_programs,
    queue_programs,
    session_programs,
    v1_programs,
    variable_programs,
)

_OF_GRAPHS = {
    "placeholders": """
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        print(repr(x), x, x.shape, repr(x.shape), x.shape[0], repr(x.shape[0]), x.shape.dims)
        print(x.get_shape().as_list(), x.shape[1].value, x.shape[1] * 2, x.shape[:1], list(x.shape))
        u = tf.placeholder(tf.float32)
        print(u, u.shape, repr(u.shape), u.shape.ndims, (u + 1).shape, (u + x).shape)
        u.set_shape([None, 4])
        print(u, tf.placeholder(tf.int64, []), tf.placeholder_with_default(tf.zeros([2]), [None]))
    """,
    "the question": """
        x = tf.placeholder(tf.float32, [None])
        w = tf.placeholder(tf.float32, [None])
        y = tf.boolean_mask(w * x, x > 0)
        print(y.shape, y.get_shape().as_list())
        g = tf.gradients(tf.reduce_sum(y), [x, w])
        print(tuple("None" if t is None else "not None" for t in g), g[0].shape)
        x1 = tf.placeholder(tf.float32, shape=(None,))
        x2 = tf.placeholder(tf.float32, shape=(None,))
        y = tf.boolean_mask(x1, tf.greater(x2, 0.5))
        print(y, y.shape, y.get_shape().as_list())
        g = tf.gradients(y, [x1, x2])
        print(tuple("None" if t is None else "not None" for t in g))
        with tf.Session() as session:
            for n in (4, 2, 0):
                feed = {x1: [1.0, 2.0, 3.0, 4.0][:n], x2: [0.0, 1.0, 0.7, 0.2][:n]}
                print(session.run(y, feed).tolist(), session.run(g[0], feed).tolist())
    """,
    "static shapes": """
        x = tf.placeholder(tf.float32, [None, 3])
        n = tf.shape(x)[0]
        for y in (
            x[:2], x[0], x[:, None], x[:, 1:3], x[..., 0], x[1:], x[::-1], x[:n], x[:, ::2],
            tf.reshape(x, [-1]), tf.reshape(x, [n, 3, 1]), tf.reshape(x, [-1, 1, 3]),
            tf.reshape(x, tf.stack([n, 3])), tf.reshape(x, tf.concat([tf.shape(x)[:1], [1, 3]], 0)),
            tf.zeros([n, 5]), tf.fill([2, n], 1.0), tf.ones_like(x), tf.tile(x, [1, 2]),
            tf.concat([x, x], 0), tf.concat([x, x], 1), tf.stack([x, x]), tf.expand_dims(x, 1),
            tf.transpose(x), tf.reduce_sum(x, 1), tf.reduce_mean(x), tf.reduce_max(x, 0, keepdims=True),
            tf.matmul(x, tf.zeros([3, 4])), tf.argmax(x, 1), tf.cast(x, tf.int32), tf.shape(x), n,
            tf.one_hot(tf.argmax(x, 1), 7), tf.range(n), tf.where(x > 0), tf.squeeze(tf.zeros([1, 2])),
            tf.gather(x, [0, 1]), tf.boolean_mask(x, x[:, 0] > 0), tf.random_uniform([n, 2]),
            tf.pad(x, [[0, 0], [1, 2]]), tf.broadcast_to(x[:1], [4, 3]), tf.nn.softmax(x),
            tf.cumsum(x), tf.nn.top_k(x, 2).values, tf.equal(x, 1.0), x + tf.zeros([5, 1, 3]),
        ):
            print(y.shape, y.dtype.name)
    """,
    "unknown ranks": """
        u = tf.placeholder(tf.float32)
        for y in (
            tf.reduce_mean(u), tf.reduce_sum(u, 0), tf.nn.relu(u), u * 2.0, tf.reshape(u, [-1, 4]),
            tf.shape(u), tf.size(u), tf.rank(u), tf.expand_dims(u, 0), tf.cast(u, tf.int32),
            tf.gradients(tf.reduce_sum(tf.square(u)), u)[0],
        ):
            print(y.shape, y.dtype.name)
    """,
    "variables": """
        w = tf.Variable(tf.zeros([3, 2]), name="w")
        b = tf.Variable([1.0, 2.0])
        v = tf.Variable(3, name="w", trainable=False)
        print(w, repr(b), v, w.op.name, w.op.type, w.initializer.name, w.initializer.type, v.name)
        print([t.name for t in tf.get_collection("variables")])
        print([t.name for t in tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES)])
        print(w.value(), w.shape, w.get_shape(), w.graph is tf.get_default_graph())
        print((w + 1.0).op.inputs[0].name, w.assign(w + 1.0).dtype.base_dtype.name)
    """,
    "names": """
        with tf.name_scope("a") as scope:
            x = tf.placeholder(tf.float32, [2], name="x")
            with tf.name_scope("b"):
                y = x + x
            with tf.name_scope("b"):
                z = x * y
            with tf.name_scope(scope):
                q = x - y
            with tf.name_scope(None):
                r = x / y
        for t in (x, y, z, q, r, x + y, x + y, -x, abs(x), x[0], x < y, x ** 2.0, x // y, x % y):
            print(scope, t.name, t.op.name, t.op.type)
        graph = tf.get_default_graph()
        print(graph.get_tensor_by_name("a/x:0") is x, graph.get_operation_by_name("a/x") is x.op)
        print(graph.unique_name("a"), graph.unique_name("new"), graph.unique_name("new"))
    """,
    "templates and devices": """
        f = tf.make_template("f", lambda x: x * tf.get_variable("w", [2], initializer=tf.ones_initializer()))
        a, b = f(tf.zeros([2])), f(tf.ones([2]))
        g = tf.make_template("f", lambda x, y: x + y + tf.get_variable("v", []), y=2.0)
        c = g(1.0)
        h = tf.make_template("h", lambda: tf.get_variable("u", []), create_scope_now_=True)
        with tf.variable_scope("outer"):
            h()
            d = f(a)
        print([v.name for v in tf.global_variables()], a.name, b.name, c.name, d.name, f.name)
        with tf.device("/cpu:0"):
            print(tf.constant(1.0).device)
            with tf.device("/job:ps/task:1"):
                print(tf.constant(1.0).device)
                with tf.device("/gpu:3"):
                    print(tf.constant(1.0).device)
                with tf.device(None):
                    print(repr(tf.constant(1.0).device))
    """,
    "refusals": """
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        graph = tf.get_default_graph()
        def tried(f):
            try:
                f()
            except Exception as error:
                print(type(error).__name__)
            else:
                print("nothing was raised")
        tried(lambda: tf.matmul(x, tf.zeros([4, 4])))
        tried(lambda: x + tf.zeros([5, 4]))
        tried(lambda: x + tf.zeros([3], tf.float64))
        tried(lambda: bool(x))
        tried(lambda: list(x))
        tried(lambda: len(x))
        tried(lambda: graph.get_tensor_by_name("y:0"))
        tried(lambda: graph.get_tensor_by_name("x"))
        tried(lambda: graph.get_operation_by_name("x:0"))
        tried(lambda: x.set_shape([None, 4]))
        tried(lambda: tf.gradients(x, [], grad_ys=[None, None]))
        tried(lambda: tf.Variable(tf.placeholder(tf.float32, [None])))
        with tf.Session() as session:
            w = tf.Variable(1.0)
            tried(lambda: session.run(w))
            tried(lambda: session.run(x))
            tried(lambda: session.run("y:0"))
            tried(lambda: session.run(3))
            tried(lambda: session.run(None))
            tried(lambda: session.run(x, {x: [[1.0, 2.0]]}))
            tried(lambda: session.run(x, {"y:0": 1.0}))
            tried(lambda: session.run(tf.gather(x, [7]), {x: [[1.0, 2.0, 3.0]]}))
            tried(lambda: session.run(x, {x: x}))
        tried(lambda: session.run(w.initializer))
        tried(lambda: w.eval())
    """,
}


PROGRAMS = {
    **_OF_GRAPHS,
    **session_programs.PROGRAMS,
    **variable_programs.PROGRAMS,
    **v1_programs.PROGRAMS,
    **control_flow_programs.PROGRAMS,
    **composite_programs.PROGRAMS,
    **dataset_programs.PROGRAMS,
    **queue_programs.PROGRAMS,
}


def printed(tf, text: str) -> str:
    """What a program prints over a module that is TensorFlow 1."""
    out = io.StringIO()
    with tf.Graph().as_default(), contextlib.redirect_stdout(out):
        exec(compile(textwrap.dedent(text), "<program>", "exec"), {"tf": tf})
    return out.getvalue()


if __name__ == "__main__":
    import tensorflow.compat.v1 as tensorflow

    tensorflow.disable_v2_behavior()
    found = {name: printed(tensorflow, PROGRAMS[name]) for name in json.load(sys.stdin)}
    sys.stdout.write("\n" + json.dumps(found))
