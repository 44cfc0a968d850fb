"""Programs that print what sessions give; see `printed_programs`."""

from __future__ import annotations

PROGRAMS = {
    "order of reads and assignments": """
        def run(program, **options):
            with tf.Graph().as_default():
                v = tf.Variable(1.0, **options)
                fetches = program(v)
                with tf.Session() as session:
                    session.run(v.initializer)
                    print([float(x) for x in session.run(fetches)], float(session.run(v)))

        def added_then_read(v):
            with tf.control_dependencies([v.assign_add(5.0)]):
                return [v + 0.0, tf.identity(v), v.read_value(), v.value()]

        def assigned_then_read(v):
            with tf.control_dependencies([tf.group(v.assign(5.0))]):
                return [v + 0.0, tf.identity(v), v.read_value()]

        def added_twice(v):
            first = v.assign_add(5.0)
            with tf.control_dependencies([first]):
                second = v.assign_add(10.0)
            with tf.control_dependencies([second]):
                return [tf.identity(first), v.read_value()]

        for resource in (False, True):
            for program in (
                lambda v: [v.assign_add(5.0) + 1.0],
                added_then_read,
                assigned_then_read,
                added_twice,
            ):
                run(program, use_resource=resource)
    """,
    "fetches and feeds": """
        import collections
        Pair = collections.namedtuple("Pair", "a b")
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        y = tf.multiply(x, 2.0, name="y")
        z = tf.reduce_sum(y)
        n = tf.placeholder_with_default(3, [])
        with tf.Session() as session:
            feed = {x: [[1, 2], [3, 4]]}
            print(session.run(Pair(y, {"z": z, "op": y.op}), feed))
            print(session.run([["y:0", ("x:0",)], z], {"x:0": [[1.0, 2.0]]}))
            print(session.run(z, {y: [[10.0, 20.0]]}), session.run(n), session.run(n, {n: 5}))
            print(type(session.run(z, feed)), session.run(tf.shape(y), feed), z.eval(feed))
            f = session.make_callable([z, n], [x])
            print(f([[1.0, 1.0]]), session.run([], feed), session.run({}, feed))
            print(session.run(tf.argmax(y, 1), feed).dtype, session.run(tf.constant(2.5)).dtype)
            print(session.run([z, z], feed), session.run(tf.zeros([0, 3])).shape)
        a = tf.constant([1, 2], tf.int64) + tf.constant(2**40, tf.int64)
        with tf.Session() as session:
            print(session.run(a), session.run(tf.cast(a, tf.float64) / 3.0))
    """,
    "gradients": """
        x = tf.placeholder(tf.float32, [None])
        w = tf.Variable([1.0, 2.0])
        u = tf.Variable(3.0)
        y = tf.reduce_sum(w) * x * x
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            feed = {x: [1.0, 2.0]}
            g = tf.gradients(y, [x, w, y, u])
            print([t if t is None else session.run(t, feed).tolist() for t in g])
            zero = tf.gradients(y, [x, u], unconnected_gradients=tf.UnconnectedGradients.ZERO)
            print(session.run(zero, feed))
            print(session.run(tf.gradients(y, x, grad_ys=tf.constant([1.0, 10.0]))[0], feed))
            print(session.run(tf.gradients(tf.gradients(y, x)[0], x)[0], feed))
            s = tf.stop_gradient(y)
            print(tf.gradients(s, x), tf.gradients(tf.argmax(y), x), tf.gradients(y * s, x)[0].shape)
            i = tf.identity(x)
            print(session.run(tf.gradients(i * x, [i, x]), feed))
            print(session.run(tf.gradients(i * i, x, stop_gradients=[i]) or 0, feed)
                  if tf.gradients(i * i, x, stop_gradients=[i])[0] is not None else None)
    """,
    "second derivatives": """
        x = tf.placeholder(tf.float32, [None, 2])
        w = tf.Variable([[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]])
        b = tf.Variable([1.0, 1.0, 1.0])
        y = tf.matmul(x, w) + b
        functions = (
            y, tf.nn.relu(y), tf.nn.leaky_relu(y), tf.tanh(y), tf.square(x), tf.abs(y), tf.nn.elu(y),
            tf.reduce_max(y, 1), x * x[:, :1], tf.reduce_sum(x) * 2.0, tf.maximum(y, 0.0),
            tf.clip_by_value(y, -1.0, 1.0), tf.where(y > 0, y, 2 * y), tf.nn.softmax(y),
        )
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for f in functions:
                g = tf.gradients(tf.gradients(f, x)[0], [x, w, b])
                print([t if t is None else
                       (session.run(t, {x: [[1.0, -3.0]]}).round(3) + 0.0).tolist() for t in g])
    """,
    "random numbers": """
        tf.set_random_seed(7)
        a = tf.random_normal([2])
        b = tf.random_uniform([2], seed=3)
        c = tf.random_uniform([2], maxval=10, dtype=tf.int32)
        d = tf.truncated_normal([2], stddev=0.1)
        w = tf.get_variable("w", [2, 2])
        e = tf.nn.dropout(tf.ones([6]), keep_prob=0.5)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(2):
                for t in (a, b, c, d, e):
                    print([round(float(v), 5) for v in session.run(t)])
            print(session.run(w).round(5).tolist())
        with tf.Session() as session:
            print([round(float(v), 5) for v in session.run(a)])
    """,
}
