"""Programs over the operators that only version 1 has; see `printed_programs`."""

PROGRAMS = {
    "shapes of unknown length": """
        n = tf.placeholder(tf.int32, [None])
        m = tf.placeholder(tf.int32)
        made = [
            tf.zeros(n), tf.random_uniform(n, seed=3), tf.reshape(tf.range(6), n), tf.fill(n, 2.0),
            tf.ones(m) + 1, tf.zeros(tf.concat([n, [2]], 0)),
        ]
        for t in made:
            print(t.shape, t.dtype.name)
        with tf.Session() as session:
            for t in made:
                print(session.run(t, {n: [2, 3], m: [2, 3]}).round(3).tolist())
    """,
    "casts by name": """
        i = tf.placeholder(tf.int32, [None])
        x = tf.placeholder(tf.float32, [None, 3])
        for t in (tf.to_float(i), tf.to_double(x), tf.to_int64(i), tf.to_int32(2.7), tf.to_float([1])):
            print(t.name, t.shape, t.dtype.name)
        print(tf.to_float(x) is x, tf.to_float(i).name)
        for t in (tf.arg_max(x, 1), tf.arg_min(x, 0, output_type=tf.int32)):
            print(t.shape, t.dtype.name)
    """,
    "dropout": """
        def tried(f):
            try:
                print(f())
            except Exception as error:
                print(type(error).__name__, error)
        tf.set_random_seed(4)
        x = tf.placeholder(tf.float32, [None, 3])
        keep = tf.placeholder_with_default(0.6, [])
        made = [
            tf.nn.dropout(x, 0.5), tf.nn.dropout(x, 1.0), tf.nn.dropout(x, keep),
            tf.nn.dropout(x, keep_prob=0.7, seed=9), tf.nn.dropout(x, rate=0.3, noise_shape=[1, 3]),
            tf.nn.dropout(x, keep, noise_shape=tf.stack([tf.shape(x)[0], 1])),
        ]
        tried(lambda: tf.nn.dropout(x))
        tried(lambda: tf.nn.dropout(x, 0.5, rate=0.2))
        tried(lambda: tf.nn.dropout(x, 1.5))
        tried(lambda: tf.nn.dropout(tf.cast(x, tf.int32), 0.5))
        tried(lambda: tf.nn.dropout(x, "a"))
        with tf.Session() as session:
            for _ in range(2):
                for t in made:
                    print(t.shape, session.run(t, {x: [[1, 2, 3], [4, 5, 6]]}).round(3).tolist())
    """,
    "softmax losses": """
        labels, x = (tf.placeholder(tf.float32, [None, 3]) for _ in range(2))
        one = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=x)
        two = tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=x)
        three = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=x, dim=0)
        print([t.shape for t in (one, two, three)])
        print([g is None for t in (one, two) for g in tf.gradients(t, [labels, x])])
        for options in ({"labels": x}, {"labels": x, "logits": x, "axis": 1, "dim": 1}):
            try:
                tf.nn.softmax_cross_entropy_with_logits_v2(**options)
            except Exception as error:
                print(type(error).__name__)
        w, b = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), tf.constant([1.0, -60.0])
        made = [one, two, three, tf.nn.xw_plus_b(x, w, b), tf.nn.relu_layer(x, w, b)]
        with tf.Session() as session:
            values = {labels: [[0, 1, 0], [1, 0, 0]], x: [[1, 2, 3], [500, 0, 6]]}
            for t in made + tf.gradients(two, [labels, x]):
                print(session.run(t, values).round(3).tolist())
    """,
    "settings": """
        config = tf.ConfigProto(allow_soft_placement=True, log_device_placement=False)
        config.gpu_options.allow_growth = True
        config.graph_options.optimizer_options.global_jit_level = tf.OptimizerOptions.ON_1
        print(config.allow_soft_placement, config.gpu_options.allow_growth)
        print(config.intra_op_parallelism_threads, config.gpu_options.visible_device_list == "")
        for wrong in (lambda: tf.ConfigProto(nonsense=1), lambda: setattr(config, "nonsense", 1)):
            try:
                wrong()
            except Exception as error:
                print(type(error).__name__, error)
        with tf.Session(config=config) as session:
            options = tf.RunOptions(trace_level=tf.RunOptions.NO_TRACE)
            print(session.run(tf.constant(3) + 4, options=options, run_metadata=tf.RunMetadata()))
    """,
}
