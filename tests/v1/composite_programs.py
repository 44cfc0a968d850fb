"""Programs with gradients of rows, sparse tensors, statements and functions of Python."""

from __future__ import annotations

import textwrap

from tests.v1.control_flow_programs import PRELUDE

_PROGRAMS = {
    "gradients of rows": """
        ids = tf.placeholder(tf.int32, [None], name="ids")
        more = tf.placeholder(tf.int64, [None, 2])
        feeds = {ids: [1, 1, 4], more: [[0, 1], [1, 5]], x: np.arange(18.0).reshape(6, 3)}

        def kind(g):
            if not isinstance(g, tf.IndexedSlices):
                return g.shape
            return g.values.shape, g.indices.shape, g.dense_shape.shape, g.dtype.name, g.shape

        for resource in (False, True):
            table = np.arange(12.0, dtype=np.float32).reshape(6, 2)
            E = tf.Variable(table, use_resource=resource)
            W = tf.Variable(table[:3], use_resource=resource)
            a, b = tf.gather(E, ids), tf.nn.embedding_lookup(E, more)
            loss = tf.reduce_sum(a * a) + tf.reduce_sum(b)
            gs = [
                tf.gradients(loss, E)[0],
                tf.gradients(loss + tf.reduce_sum(E), E)[0],
                tf.gradients(tf.reduce_sum(tf.gather(tf.identity(E), ids) ** 2), E)[0],
                tf.gradients(tf.reduce_sum(tf.gather(E * 2.0, ids) ** 2), E)[0],
                tf.gradients(tf.reduce_sum(tf.gather(W, [0, 1], axis=1) ** 2), W)[0],
                tf.gradients(tf.reduce_sum(tf.gather(x, ids) ** 3), x)[0],
                *tf.gradients(loss, [E, a]),
            ]
            dense = tf.convert_to_tensor(gs[0])
            print([kind(g) for g in gs], dense.shape)
            s = opened()
            show(s, gs, feeds)
            show(s, [dense, tf.hessians(tf.reduce_sum(W ** 3), W)], feeds)
    """,
    "gradients of gradients": """
        first = tf.gradients(v ** 3 + v, v)[0]
        second = tf.gradients(first, v)[0]
        third = tf.gradients(second, v)
        stopped = tf.gradients(tf.stop_gradient(v) * v, v)
        weighted = tf.gradients([v * 2.0, v * 3.0], v, grad_ys=[4.0, tf.constant(5.0)])
        behind = tf.gradients(v * v * x, [v], stop_gradients=[x])
        none = tf.gradients(x, v)

        @tf.custom_gradient
        def twice(t):
            return t * 2.0, lambda dy: dy * 100.0

        own = tf.gradients(twice(v * 3.0), v)
        print(none)
        tried(lambda: tf.hessians(x, v))
        tried(lambda: tf.gradients(v, v, grad_ys=[1.0, 2.0]))
        s = opened()
        show(s, [first, second, third, stopped, weighted, own])
        show(s, behind, {x: X})
    """,
    "sparse tensors": """
        a = tf.sparse_placeholder(tf.float32, [None, 3], name="a")
        b = tf.sparse_placeholder(tf.float32)
        c = tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], [3, 3])
        w = tf.Variable(np.arange(6.0, dtype=np.float32).reshape(3, 2))
        y, z = tf.sparse_tensor_dense_matmul(a, w), tf.sparse_tensor_dense_matmul(b, w)
        g = tf.gradients(tf.reduce_sum(y ** 2), [w, a.values])
        found = [
            tf.sparse_tensor_to_dense(c),
            tf.sparse_to_dense([[0, 1], [1, 0]], [2, 2], [5, 6], default_value=-1),
            tf.sparse_to_dense([1, 3], [5], 1.0),
            tf.sparse_reduce_sum(a, 1),
            tf.sparse_reduce_sum(a),
            tf.sparse_transpose(a),
            tf.sparse_reorder(c),
            tf.sparse_add(c, c),
            a * tf.constant(2.0),
            tf.sparse_retain(a, a.values > 1.0),
            tf.cond(v > 0, lambda: c, lambda: tf.SparseTensor([[1, 1]], [7.0], [3, 3])),
        ]
        print(a, a.shape, a.get_shape(), b.shape, b.indices.shape, c.shape, c.dense_shape.shape)
        print(y.shape, z.shape, a.op.name, isinstance(found[5], tf.SparseTensor), found[1].dtype)
        for f in (
            lambda: tf.SparseTensor([[0, 1]], [1.0, 2.0], [2, 2]),
            lambda: tf.SparseTensor([[0, 1]], [1.0], [2, 2, 2]),
            lambda: tf.convert_to_tensor(c),
            lambda: type(tf.convert_to_tensor_or_sparse_tensor([1])).__name__ != "SparseTensor",
        ):
            tried(f)
        s = opened()
        value = tf.SparseTensorValue(
            np.array([[0, 0], [1, 2]]), np.array([1.0, 3.0], np.float32), np.array([2, 3])
        )
        feeds = {a: value, b: (np.array([[0, 0], [3, 1]]), np.array([1.0, 4.0]), np.array([4, 3]))}
        show(s, [y, z, g, found], feeds)
        print(type(s.run({"k": (a, c)}, feeds)["k"][0]).__name__, plain(c.eval(session=s)))
        tried(lambda: s.run(tf.sparse_to_dense([[1, 0], [0, 1]], [2, 2], [5, 6])))
    """,
    "functions of Python": """
        calls = []
        def positive(array):
            calls.append(plain(array))
            return array[array > 0] * 2
        y = tf.py_func(positive, [x * v], tf.float32)
        print(y.shape, y.name, tf.gradients(y, x))
        y.set_shape([None])
        z = tf.reduce_sum(y) * v
        g = tf.gradients(z, [v])
        with tf.control_dependencies([z]):
            late = v.assign_add(1.0)
        drawn = tf.random_uniform([2], seed=1)
        both = tf.py_func(lambda t: t, [drawn], tf.float32) - drawn
        count, same = tf.py_func(lambda t: (np.int64(t.size), t), [x], [tf.int64, tf.float32])
        text = tf.py_func(lambda t: b"abc", [x], tf.string)
        def body(i, t):
            t = tf.numpy_function(lambda t: t * 2, [t], tf.float32)
            t.set_shape([2])
            return i + 1, t
        loop = tf.while_loop(lambda i, t: i < 3, body, [0, tf.ones([2])])[1]
        wrong = tf.py_func(lambda t: t.astype(np.float64), [x], tf.float32)
        few = tf.py_func(lambda t: t, [x], [tf.float32, tf.float32])
        s = opened()
        show(s, [y, z, g], {x: X})
        show(s, [late, z], {x: X})
        print(calls, s.run(both).tolist(), s.run(text, {x: X}))
        show(s, [count, same, loop], {x: X})
        tried(lambda: s.run(wrong, {x: X}))
        tried(lambda: s.run(few, {x: X}))
    """,
    "linear operators": """
        L = tf.linalg
        a, u = tf.placeholder(tf.float32, [3, 3]), tf.placeholder(tf.float32, [None, None])
        d, y = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [3, 2])
        w = tf.Variable(np.eye(3, dtype="float32") * 3 + 1)
        A = (np.arange(9.0).reshape(3, 3) % 4 + 4 * np.eye(3)).astype("float32")
        feeds = {a: A, u: A, d: A[0], y: A[:, :2]}
        operators = [
            L.LinearOperatorLowerTriangular(u), L.LinearOperatorFullMatrix(w, is_non_singular=True),
            L.LinearOperatorFullMatrix(u), L.LinearOperatorDiag(d), L.LinearOperatorIdentity(3),
            L.LinearOperatorScaledIdentity(3, w[0, 0]), L.LinearOperatorTridiag([a[0], a[1], a[2]]),
            L.LinearOperatorComposition([L.LinearOperatorFullMatrix(a), L.LinearOperatorDiag(d)]),
            L.LinearOperatorLowRankUpdate(L.LinearOperatorDiag(a[0]), a[:, :1]),
            L.LinearOperatorHouseholder(a[0] / tf.norm(a[0])), L.LinearOperatorPermutation([1, 0, 2]),
        ]
        blocks = L.LinearOperatorBlockDiag([L.LinearOperatorDiag(a[0]), operators[4]])
        found = []
        for o in operators:
            print(type(o).__name__, o.shape, o.dtype.name, o.is_square, o.domain_dimension, o.tensor_rank)
            print(isinstance(o, L.LinearOperator), isinstance(o, L.LinearOperatorDiag), o.batch_shape)
            found += [o.to_dense(), o.shape_tensor(), o.trace(), o.matmul(y), tf.matmul(o, y)]
        for o in operators[:4]:
            back = o.solve(y)
            found += [back, o.H.matmul(y), (o @ o).to_dense(), o.inverse().to_dense(), o.determinant()]
            found += [g for g in tf.gradients(tf.reduce_sum(back ** 2), [u, w, d]) if g is not None]
        print(blocks.shape, len(blocks.operators), operators[0].tril.shape, operators[3].diag.shape)
        tried(lambda: L.LinearOperatorLowerTriangular(d))
        s = opened()
        for f in [*found, blocks.to_dense(), blocks.log_abs_determinant()]:
            print(plain(np.round(np.asarray(s.run(f, feeds)), 3)))
    """,
    "sizes of ranges and quotients": """
        steps = tf.placeholder(tf.float32, [None, None, 6])
        n = tf.shape(steps)[1]
        row = tf.tile(x, [1, 2 * n])
        found = [
            tf.range(0, 16, 2.0), tf.range(1.0), tf.range(1, 1.3, 0.1), tf.range(4, 0, -1.5),
            tf.reshape(row, [-1, n, 6]), tf.reshape(row, [n, -1]), tf.reshape(steps, [-1, 1, n * 2]),
            tf.reshape(steps, tf.stack([n, -1, 2])),
        ]
        print([f.shape for f in found])
        s = opened()
        for k in (1, 2, 5):
            rows = [r.tolist() for r in s.run(found, {x: X, steps: np.ones([2, k, 6])})]
            print(np.round(np.concatenate([np.ravel(r) for r in rows]), 4).tolist())
        tried(lambda: s.run(found[4], {x: X, steps: np.ones([2, 0, 6])}).shape)
    """,
    "statements": """
        with tf.control_dependencies([tf.Assert(tf.reduce_all(x > 0), [x, "negative"])]):
            a = tf.identity(x)
        with tf.control_dependencies(
            [tf.assert_equal(tf.shape(x)[0], 2), tf.assert_positive(x, message="oh no")]
        ):
            b = x * 2
        unused = tf.assert_equal(tf.shape(x)[0], 100)
        c = tf.check_numerics(1.0 / x, "bad")
        d = tf.verify_tensor_all_finite(x, "finite")
        tried(lambda: tf.cond(v > 0, lambda: v, lambda: v) is None or tf.add_check_numerics_ops())
        s = opened()
        for value in (np.ones([2, 3]), -np.ones([2, 3]), np.ones([1, 3]), np.zeros([1, 3]),
                      np.full([2, 3], np.nan)):
            for fetch in (a, b, c, d):
                tried(lambda: plain(s.run(fetch, {x: value})))
    """,
    "checks of everything": """
        y = tf.sqrt(x) * v
        checks = tf.add_check_numerics_ops()
        s = opened()
        tried(lambda: s.run(checks, {x: X}))
        tried(lambda: s.run(checks, {x: -X - 1}))
    """,
}

PROGRAMS = {name: PRELUDE + textwrap.dedent(text) for name, text in _PROGRAMS.items()}
