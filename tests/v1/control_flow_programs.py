"""Programs with branches, loops and lists of tensors; see `printed_programs`."""

from __future__ import annotations

import textwrap

PRELUDE = textwrap.dedent("""
    import numpy as np

    def plain(x):
        if x is None or isinstance(x, (str, bytes)):
            return x
        if isinstance(x, dict):
            return {k: plain(v) for k, v in x.items()}
        if isinstance(x, (list, tuple)):
            return [plain(v) for v in x]
        x = np.asarray(x)
        return (np.round(x.astype(np.float64), 4) + 0.0).tolist()

    def show(session, fetches, feeds=None):
        print(plain(session.run(fetches, feeds)))

    def opened():
        session = tf.Session()
        session.run(tf.global_variables_initializer())
        return session

    def tried(f):
        try:
            print(f())
        except Exception as error:
            print(type(error).__name__)

    x = tf.placeholder(tf.float32, [None, 3], name="x")
    X = np.arange(6.0).reshape(2, 3) / 4
    v = tf.Variable(2.0, name="v")
""")

_PROGRAMS = {
    "cond": """
        p = tf.placeholder(tf.bool, [], name="p")
        y = tf.cond(p, lambda: x * v, lambda: tf.reduce_sum(x, 0, keepdims=True))
        z = tf.cond(p, lambda: (x, {"a": v * 3}), lambda: (x + 1, {"a": v * x[0, 0]}))
        done = tf.cond(p, lambda: tf.group(v.assign_add(5.0)), lambda: tf.no_op())
        inner = tf.cond(p, lambda: tf.cond(v > 3.0, lambda: v * 10, lambda: v * 100), lambda: -v)
        drawn = tf.cond(p, lambda: tf.random_uniform([2], seed=3), lambda: tf.zeros([2]))
        one = tf.cond(p, lambda: [x], lambda: [x + 1])
        kept = tf.cond(p, lambda: [x], lambda: [x + 1], strict=True)
        g = tf.gradients(y, [x, v, p]) + tf.gradients(inner, v)
        only = tf.gradients(tf.cond(p, lambda: v, lambda: tf.stop_gradient(v) * 3), v)
        print(y, z, done, inner.name, one, kept, [None if t is None else t.shape for t in g])
        for f in (
            lambda: tf.cond(True, lambda: x, lambda: x),
            lambda: tf.cond(x > 1, lambda: x, lambda: (x, x)),
            lambda: tf.cond(p, lambda: x, lambda: (x, x)),
            lambda: tf.cond(p, lambda: x, lambda: tf.cast(x, tf.int32)),
            lambda: tf.cond(p, lambda: None, lambda: x),
            lambda: tf.cond(p, x, lambda: x),
            lambda: tf.cond(p, true_fn=lambda: x, fn1=lambda: x, false_fn=lambda: x),
        ):
            tried(f)
        s = opened()
        for q in (True, False):
            show(s, [y, z, inner, [t for t in g if t is not None], only], {x: X, p: q})
            show(s, [done, drawn, one], {x: X, p: q})
            show(s, [v, drawn], {p: q})
    """,
    "assignments in branches": """
        p = tf.placeholder(tf.bool, [])
        w = tf.Variable([1.0, 2.0], use_resource=True)

        def branch(amount):
            def f():
                with tf.control_dependencies([w.assign_add([amount, 0.0])]):
                    return w.read_value() * 2
            return f

        y = tf.cond(p, branch(1.0), branch(10.0))
        never = tf.cond(p, lambda: (w.assign([9.0, 9.0]), tf.constant(1.0))[1], lambda: tf.constant(2.0))
        with tf.control_dependencies([y]):
            after = w.read_value()
        s = opened()
        for q in (True, False):
            show(s, [y, after, never], {p: q})
            show(s, w)
    """,
    "case": """
        p = [tf.placeholder(tf.bool, [], name="p%d" % i) for i in range(2)]
        a, b = tf.case([(p[0], lambda: x * 1.0), (p[1], lambda: x * 2.0)], default=lambda: x * 3.0), 0
        b = tf.case({p[0]: lambda: x * 1.0, p[1]: lambda: x * 2.0}, exclusive=True)
        k = tf.placeholder(tf.int32, [])
        c = tf.switch_case(k, {0: lambda: x, 1: lambda: x * 10}, default=lambda: -x)
        print(a, b.shape)
        for f in (
            lambda: tf.case([(True, lambda: x)], default=lambda: x),
            lambda: tf.case([(p[0], x)], default=lambda: x),
            lambda: tf.case(3),
            lambda: tf.switch_case(k, {1: lambda: x}),
        ):
            tried(f)
        s = opened()
        for q in ((1, 0), (0, 1), (0, 0)):
            tried(lambda: plain(s.run(a, {x: X, p[0]: q[0], p[1]: q[1]})))
            tried(lambda: plain(s.run(b, {x: X, p[0]: q[0], p[1]: q[1]})))
        for q in (0, 1, 5, -1):
            show(s, c, {x: X, k: q})
    """,
    "while_loop": """
        i, total = tf.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, a * v + x), [0, x])
        n = tf.placeholder(tf.float32, [])
        open_ = tf.while_loop(lambda a: tf.reduce_sum(a) < n, lambda a: a * v, [tf.constant([1.0, 2.0])])
        grown = tf.while_loop(
            lambda i, a: i < 3, lambda i, a: (i + 1, tf.concat([a, a], 0)), [0, x],
            shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 3])],
        )
        limited = tf.while_loop(
            lambda i, a: i < 3, lambda i, a: (i + 1, a * v), (0, 1.0), maximum_iterations=2
        )
        stopped = tf.while_loop(
            lambda i, a: i < 4, lambda i, a: (i + 1, a * v), [0, x], back_prop=False
        )
        def outer(i, a):
            return i + 1, tf.while_loop(lambda j, b: j < i, lambda j, b: (j + 1, b * v + 1.0), [0, a])[1]
        nested = tf.while_loop(lambda i, a: i < 3, outer, [0, x])[1]
        structured = tf.while_loop(
            lambda i, d: i < 2, lambda i, d: (i + 1, {"k": (d["k"][0] * 2, d["k"][1] + x)}),
            [0, {"k": (v, x)}],
        )
        def branched(i, a):
            return i + 1, tf.cond(a > 3.0, lambda: a - 1.0, lambda: a * v)
        mixed = tf.while_loop(lambda i, a: i < 5, branched, [0, 1.0])[1]
        same = tf.while_loop(lambda i: i < 5, lambda i: [i + 1], [0], return_same_structure=True)
        print(i, total, open_, grown, limited, tf.gradients(stopped[1], [x, v]), structured, same)
        g = [tf.gradients(y, [x, v]) for y in (total, grown[1], nested, structured[1]["k"][1])]
        g += [tf.gradients(y, v) for y in (open_, limited[1], mixed)]
        print([[None if t is None else t.shape for t in row] for row in g])
        for f in (
            lambda: tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.concat([a, a], 0)),
                                  [0, tf.zeros([2, 3])]),
            lambda: tf.while_loop(lambda i: i < 3, lambda i: (i, i), [0]),
            lambda: tf.while_loop(lambda i: i < 3, lambda i: i + 1, []),
            lambda: tf.while_loop(3, lambda i: i + 1, [0]),
            lambda: tf.while_loop(lambda i: i < 3, lambda i: i + 1, [x],
                                  shape_invariants=[tf.TensorShape([2, 2])]),
        ):
            tried(f)
        s = opened()
        flat = [[t for t in row if t is not None] for row in g]
        show(s, [i, total, grown, limited, stopped, nested, structured, mixed, same], {x: X})
        show(s, flat[:4] + flat[5:], {x: X})
        for k in (10.0, 100.0):
            show(s, [open_, flat[4]], {n: k})
    """,
    "assignments and numbers in loops": """
        c = tf.Variable(0)
        def body(i):
            with tf.control_dependencies([c.assign_add(2)]):
                return i + 1
        loop = tf.while_loop(lambda i: i < 5, body, [0])
        drawn = tf.while_loop(
            lambda i, a: i < 3, lambda i, a: (i + 1, a + tf.random_uniform([], seed=5)), [0, 0.0]
        )[1]
        def made(i, a):
            with tf.variable_scope("inside", reuse=tf.AUTO_REUSE):
                w = tf.get_variable("w", [3], initializer=tf.ones_initializer())
            return i + 1, a * w
        inside = tf.while_loop(lambda i, a: i < 3, made, [0, x])[1]
        print([w.name for w in tf.global_variables()])
        s = opened()
        for _ in range(2):
            show(s, [loop, drawn, inside], {x: X})
            show(s, c)
    """,
    "TensorArray": """
        n = tf.shape(x)[0]
        steps = tf.TensorArray(tf.float32, size=n).unstack(x)
        def body(i, t, h):
            h = tf.tanh(h * 0.5 + steps.read(i) * v)
            return i + 1, t.write(i, h), h
        _, out, h = tf.while_loop(
            lambda i, *_: i < n, body, [0, tf.TensorArray(tf.float32, size=n), tf.zeros([3])]
        )
        y = out.stack()
        g = tf.gradients(tf.reduce_sum(y ** 2), [x, v])
        fixed = tf.TensorArray(tf.float32, size=3, element_shape=[2], clear_after_read=False)
        fixed = fixed.write(0, [1.0, 2.0]).write(2, [3.0, 4.0]).write(1, [0.0, 0.0])
        squares = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        _, squares = tf.while_loop(
            lambda i, t: i < 5, lambda i, t: (i + 1, t.write(i, i * i)), [0, squares]
        )
        parts = tf.TensorArray(tf.float32, size=2, infer_shape=False).split(x, [1, 1])
        taken = fixed.gather([0, 2])
        print(steps.element_shape, y, h.shape, [t.shape for t in g], taken.shape, fixed.concat().shape)
        print(fixed.stack().shape, fixed.read(1).shape, squares.stack().shape, fixed.dtype)
        tried(lambda: fixed.write(1, [1.0, 2.0, 3.0]))
        tried(lambda: tf.TensorArray(tf.float32))
        s = opened()
        show(s, [y, h, g, fixed.stack(), taken, fixed.concat(), squares.stack(), squares.size()], {x: X})
        show(s, [parts.read(1), y], {x: X})
        print(s.run(y, {x: np.ones([5, 3])}).shape)
    """,
    "map_fn, scan and folds": """
        mapped = tf.map_fn(lambda r: r * v + tf.reduce_sum(r), x)
        several = tf.map_fn(
            lambda a: (a[0] + 1.0, {"k": tf.cast(tf.reduce_sum(a[1]), tf.int32)}), (x, x * 2.0),
            dtype=(tf.float32, {"k": tf.int32}),
        )
        known = tf.map_fn(tf.reduce_sum, tf.ones([4, 3]))
        scanned = tf.scan(lambda a, r: a * v + r, x)
        pair = tf.scan(
            lambda a, r: (a[0] + tf.reduce_sum(r), a[1] * 2.0), x,
            initializer=(tf.constant(0.0), tf.ones([2])), reverse=True,
        )
        left = tf.foldl(lambda a, r: a * v + r, x)
        right = tf.foldr(lambda a, r: a + tf.reduce_sum(r) * v, x, initializer=0.0)
        beside = tf.vectorized_map(lambda r: tf.reduce_sum(r) * v, x)
        print(mapped, several, known, scanned, pair, left, right, beside.shape)
        g = [tf.gradients(y, [x, v]) for y in (mapped, scanned, left, right)]
        g += tf.gradients(beside, v)
        stopped = tf.map_fn(lambda r: r * v, x, back_prop=False)
        print(tf.gradients(stopped, [x, v]), tf.gradients(tf.map_fn(tf.stop_gradient, x), x))
        for f in (
            lambda: tf.map_fn(lambda r: (r, r), x),
            lambda: tf.map_fn(lambda r: r, tf.constant(1.0)),
            lambda: tf.scan(lambda a, r: (a, r), x),
        ):
            tried(f)
        c = tf.Variable(0.0)
        def adding(r):
            with tf.control_dependencies([c.assign_add(tf.reduce_sum(r))]):
                return tf.identity(r)
        assigned = tf.map_fn(adding, x)
        s = opened()
        show(s, [mapped, several, known, scanned, pair, left, right, beside], {x: X})
        show(s, g, {x: X})
        show(s, assigned, {x: X})
        show(s, c)
    """,
}

PROGRAMS = {name: PRELUDE + textwrap.dedent(text) for name, text in _PROGRAMS.items()}
