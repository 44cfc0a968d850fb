"""Programs that print variables, their scopes and what runs cells; see `printed_programs`."""

from __future__ import annotations

PROGRAMS = {
    "initial values of other variables": """
        tf.set_random_seed(7)
        p = tf.get_variable("p", [3], initializer=tf.random_normal_initializer())
        m = tf.Variable(p * 0.0 + 1.0, trainable=False, name="m")
        q = tf.Variable(tf.random_uniform([3]) + p, name="q")
        n = tf.Variable(tf.concat([p, p + 1.0], 0) * 2.0, name="n")
        c = tf.Variable(p, name="c")
        r = tf.get_variable("r", [2], initializer=tf.ones_initializer(), use_resource=True)
        w = tf.Variable(r * 2.0, name="w")
        print([v.name for v in (p, m, q, n, c)], n.shape, n.initial_value.op.type)
        with tf.Session() as s:
            s.run([v.initializer for v in (p, m, q, n, c)])
            print([[round(float(x), 4) for x in a] for a in s.run([p, m, q, n, c])])
            s.run(p.assign([1.0, 2.0, 3.0]))
            s.run([n.initializer, c.initializer])
            print([a.tolist() for a in s.run([n, c])])
        with tf.Session() as s:
            s.run(m.initializer)
            print(s.run(m).tolist())
            try:
                s.run(w.initializer)
            except tf.errors.FailedPreconditionError:
                print("a resource variable needs a value")
    """,
    "variable scopes": """
        def name(): return tf.zeros([], name="z").name
        with tf.variable_scope("a") as first:
            w = tf.get_variable("w", [2])
            print(w.name, name(), first.name, first.original_name_scope)
            with tf.variable_scope("b"):
                print(tf.get_variable("v", [1]).name, name())
                with tf.name_scope("n"):
                    print(tf.get_variable("v2", [1]).name, name(), tf.Variable(1.0, name="vv").name)
        with tf.variable_scope("a", reuse=True) as again:
            print(tf.get_variable("w", [2]) is w, name(), again.original_name_scope)
        with tf.variable_scope("c"):
            with tf.variable_scope(first) as inner:
                print(inner.name, inner.original_name_scope, name(), tf.get_variable("x", [2]).name)
            with tf.variable_scope(first, auxiliary_name_scope=False) as inner:
                print(inner.original_name_scope, name(), tf.get_variable("y", [2]).name)
        for _ in range(3):
            with tf.variable_scope(None, "dflt") as s:
                print(s.name, tf.get_variable("w", [1]).name, name())
        with tf.variable_scope("d", reuse=tf.AUTO_REUSE):
            x = tf.get_variable("w", [1])
            print(tf.get_variable("w", [1]) is x)
        with tf.variable_scope("d"):
            tf.get_variable_scope().reuse_variables()
            print(tf.get_variable("w", [1]) is x)
        with tf.variable_scope("sl/ash") as s:
            print(s.name, s.original_name_scope, tf.get_variable("w", [1]).name)
        with tf.variable_scope(s):
            print(name())
        with tf.name_scope("q") as q:
            with tf.name_scope(None) as root:
                print(repr(root))
            with tf.name_scope(q):
                print(name())
        print(tf.name_scope(None, "dd", [w]).__enter__(), tf.get_variable_scope().reuse)
        print([v.name for v in tf.global_variables("a/b")], [v.name for v in first.trainable_variables()])
    """,
    "defaults and getters of scopes": """
        def getter(getter, name, *args, **kwargs):
            print("outer", name, args, sorted(kwargs))
            return getter(name, *args, **kwargs)
        def inner(getter, *args, **kwargs):
            print("inner", args, kwargs["name"])
            return getter(*args, **kwargs)
        with tf.variable_scope("g", custom_getter=getter):
            tf.get_variable("w", [1])
            with tf.variable_scope("h", custom_getter=inner):
                tf.get_variable("w", [1])
        options = dict(initializer=tf.constant_initializer(3.0), dtype=tf.float64)
        with tf.variable_scope("e", regularizer=lambda v: tf.reduce_sum(v), **options):
            v = tf.get_variable("w", [1])
            print(v, tf.get_collection("regularization_losses")[0].name, tf.reduce_sum([1.0]).name)
        print(tf.get_local_variable("loc", [1]), tf.local_variables())
        print(tf.get_variable("nt", [1], trainable=False) in tf.trainable_variables())
        print(tf.get_variable("c", [2], constraint=tf.abs).constraint is tf.abs)
    """,
    "what get_variable refuses": """
        def tried(f):
            try:
                print(f())
            except (ValueError, TypeError) as error:
                print(type(error).__name__, str(error).splitlines()[0].split(" Originally")[0])
        tf.get_variable("w", [2], use_resource=True)
        tried(lambda: tf.get_variable("w", [2]))
        tried(lambda: tf.get_variable("v"))
        tried(lambda: tf.get_variable("v", [2], initializer=tf.zeros([2])))
        tried(lambda: tf.get_variable("v", [None], initializer=tf.zeros_initializer()))
        tried(lambda: tf.get_variable("v", [2], dtype=tf.complex64))
        with tf.variable_scope("", reuse=True):
            tried(lambda: tf.get_variable("nope", [2]))
            tried(lambda: tf.get_variable("w", [3]))
            tried(lambda: tf.get_variable("w", [2], dtype=tf.int32))
        tried(lambda: tf.variable_scope(None))
        tried(lambda: tf.variable_scope("a", reuse=3))
        tried(lambda: tf.variable_scope(3).__enter__())
        tried(lambda: tf.variable_scope(None, "a", reuse=True).__enter__())
        part = dict(partitioner=tf.fixed_size_partitioner(2))
        tf.get_variable("p", [4], **part)
        tried(lambda: tf.get_variable("p", [4]))
        tried(lambda: tf.get_variable("p", [4], **part))
        tried(lambda: tf.get_variable("w", [4], **part))
        tried(lambda: tf.get_variable("s", [4], partitioner=lambda shape, dtype: [5, 5]))
    """,
    "initializers": """
        tf.set_random_seed(7)
        scaling = tf.variance_scaling_initializer
        uniform = tf.random_uniform_initializer
        made = [
            ([3, 4], None, {}),
            ([40, 40], tf.ones_initializer(), {}),
            ([3], tf.zeros_initializer, {}),
            ([2, 2], tf.constant_initializer([1, 2]), {}),
            ([3, 2], uniform(-1, 1), {}),
            ([3, 2], tf.random_normal_initializer(seed=4), {}),
            ([3, 2], tf.truncated_normal_initializer(stddev=0.1), {}),
            ([3, 5], tf.orthogonal_initializer(), {}),
            ([5, 2], tf.orthogonal_initializer(gain=2.0), {}),
            ([3, 3, 4, 5], scaling(), {}),
            ([3, 3, 4, 5], scaling(distribution="untruncated_normal"), {}),
            ([3, 4], tf.glorot_normal_initializer(), {}),
            ([3, 4], tf.uniform_unit_scaling_initializer(), {}),
            ([3, 4], tf.initializers.he_normal(), {}),
            ([3, 4], tf.initializers.lecun_uniform(), {}),
            ([3, 4], tf.initializers.identity(2.0), {}),
            ([4], uniform(0, 50, dtype=tf.int32), {"dtype": tf.int32}),
            ([3], None, {"dtype": tf.bool}),
            ([3, 4], None, {"dtype": tf.float64}),
            ([4], uniform(), {"use_resource": True}),
            (None, 1.5, {}),
            (None, lambda: tf.zeros([2]), {}),
            ([2], lambda shape, dtype=None, partition_info=None: tf.ones(shape), {}),
        ]
        vs = [
            tf.get_variable(f"v{i}", shape, initializer=initializer, **options)
            for i, (shape, initializer, options) in enumerate(made)
        ]
        p = tf.get_variable("p", [5, 3], partitioner=tf.fixed_size_partitioner(2))
        q = tf.get_variable(
            "q", [4, 4], initializer=tf.initializers.identity(),
            partitioner=tf.fixed_size_partitioner(2),
        )
        y = tf.matmul(tf.ones([1, 5]), p)
        print([v._save_slice_info.spec for v in p], p.name, p.shape, len(p), p.as_tensor().name)
        missing = tf.report_uninitialized_variables()
        with tf.Session() as session:
            print(len(session.run(missing)), session.run(missing)[:2])
            session.run(tf.global_variables_initializer())
            print(session.run(missing))
            for v, x in zip(vs, session.run(vs)):
                print(v.initial_value.name, x.shape, x.dtype, [round(float(e), 5) for e in x.ravel()[:6]])
            print([round(float(x.sum()), 5) for x in session.run([*p, y])], session.run(list(q)))
    """,
    "rows of variables": """
        ops = []
        for resource in (False, True):
            def variable(name):
                initial = tf.reshape(tf.range(1.0, 7.0), [3, 2])
                return tf.get_variable(f"{name}{resource}", initializer=initial, use_resource=resource)
            for i, kind in enumerate(("update", "add", "sub", "mul", "div", "min", "max")):
                f = getattr(tf, f"scatter_{kind}")
                ops.append(f(variable(kind), [2, 0, 2], [[1.0, 4.0], [5.0, 2.0], [7.0, 8.0]]))
            ops.append(tf.scatter_add(variable("b"), [[0, 1], [1, 1]], 2.0))
            for kind in ("update", "add", "sub"):
                f = getattr(tf, f"scatter_nd_{kind}")
                ops.append(f(variable(f"nd{kind}"), [[0, 1], [2, 0]], [10.0, 20.0]))
            ops.append(tf.assign(variable("c"), tf.ones([3, 2])))
            ops.append(tf.assign_add(variable("d"), [[1.0, 1.0]] * 3))
            ops.append(tf.assign_sub(variable("e"), [[1.0, 1.0]] * 3, name="sub"))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for op in ops:
                print([round(float(x), 5) for x in session.run(op).ravel()])
    """,
    "cells of one's own over time": """
        class Cell:
            state_size, output_size = (2, 2), 2
            def zero_state(self, batch_size, dtype):
                return (tf.zeros([batch_size, 2], dtype), tf.zeros([batch_size, 2], dtype))
            def __call__(self, inputs, state, scope=None):
                with tf.variable_scope(scope or "cell"):
                    ones = tf.ones_initializer()
                    w = tf.get_variable("w", [3 + 2, 2], initializer=ones)
                    h = tf.tanh(tf.matmul(tf.concat([inputs, state[0]], 1), 0.1 * w))
                    return h, (h, state[1] + 1.0)
        x = tf.placeholder(tf.float32, [None, None, 3])
        n = tf.placeholder(tf.int32, [None])
        plain = tf.nn.dynamic_rnn(Cell(), x, n, dtype=tf.float32)
        both = tf.nn.bidirectional_dynamic_rnn(Cell(), Cell(), x, n, dtype=tf.float32)
        steps = tf.nn.static_rnn(Cell(), tf.unstack(x[:, :3], 3, axis=1), dtype=tf.float32, scope="s",
                                 sequence_length=n)
        lengths = tf.placeholder(tf.int32, [2])
        def loop(time, output, state, own):
            after = Cell().zero_state(2, tf.float32) if output is None else state
            return time >= lengths, tf.ones([2, 3]) * tf.cast(time, tf.float32), after, output, None
        array, last, _ = tf.nn.raw_rnn(Cell(), loop, scope="raw")
        given = [plain, both, steps, (array.stack(), last)]
        def flat(values):
            if isinstance(values, (list, tuple)):
                return [t for value in values for t in flat(value)]
            return [values]
        tensors = flat(given)
        loss = tf.add_n([tf.reduce_sum(t * t) for t in tensors])
        gradients = tf.gradients(loss, tf.trainable_variables())
        print([v.name for v in tf.global_variables()], plain[0].name, [t.shape for t in flat(plain)])
        feeds = {n: [3, 1], lengths: [2, 3], x: [[[0.1, 0.2, 0.3]] * 4, [[-0.4, 0.5, 0.6]] * 4]}
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for value in session.run(tensors + gradients, feeds):
                print(value.shape, [round(float(e), 4) for e in value.ravel()[:12]])
        try:
            tf.nn.dynamic_rnn(Cell(), x)
        except ValueError as error:
            print(error)
    """,
}
