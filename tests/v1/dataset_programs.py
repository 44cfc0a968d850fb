"""Programs of datasets, records and text that print what sessions give; see `printed_programs`."""

from __future__ import annotations

_START = """
        import os, tempfile
        import numpy as np
        Dataset = tf.data.Dataset
        def drained(session, fetches, most=12):
            for _ in range(most):
                try:
                    print(session.run(fetches))
                except tf.errors.OutOfRangeError:
                    print("end")
                    break
"""
PROGRAMS = {
    "one-shot iterators": """
        tf.set_random_seed(5)
        data = {"x": np.arange(10), "y": np.arange(20, dtype=np.float32).reshape(10, 2)}
        dataset = Dataset.from_tensor_slices(data)
        def pair(element):
            element["y"].set_shape([2])
            return element["x"] * 2, tf.cast(element["y"], tf.float64) + element["y"].shape[0].value
        dataset = dataset.map(pair, num_parallel_calls=2).shuffle(4).repeat(2).batch(3)
        print(dataset.output_types, dataset.output_shapes)
        first, second = dataset.make_one_shot_iterator().get_next()
        print(first, second, first.op.type)
        total = tf.reduce_sum(second) + tf.cast(first[0], tf.float64)
        with tf.Session() as session:
            drained(session, [first, total])
        with tf.Session() as session:
            print(session.run(first), session.run(first))
        x = tf.placeholder(tf.float32, [3])
        try:
            Dataset.from_tensor_slices(x).make_one_shot_iterator()
        except ValueError as error:
            print(type(error).__name__)
    """,
    "initializable iterators": """
        x, n = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.int64, [])
        iterator = Dataset.from_tensor_slices(x).batch(n).prefetch(1).make_initializable_iterator()
        row = iterator.get_next()
        print(row, iterator.initializer.name, iterator.initializer.type)
        shape = tf.shape(row)
        with tf.Session() as session:
            try:
                session.run(row)
            except tf.errors.FailedPreconditionError:
                print("not initialized")
            for size, rows in ((2, 5), (4, 4)):
                session.run(iterator.initializer, {x: np.ones([rows, 3]), n: size})
                drained(session, shape)
        tf.set_random_seed(3)
        shuffled = Dataset.range(5).shuffle(5).map(lambda i: i + tf.random_uniform([], 0, 9, tf.int64))
        iterator = shuffled.make_initializable_iterator()
        number = iterator.get_next()
        with tf.Session() as session:
            for _ in range(2):
                session.run(iterator.initializer)
                drained(session, number)
    """,
    "switched iterators": """
        train, test = Dataset.range(3), Dataset.range(10, 12)
        either = tf.data.Iterator.from_structure(train.output_types, train.output_shapes)
        number = either.get_next()
        initializers = either.make_initializer(train), either.make_initializer(test, name="test")
        print([op.name for op in initializers], number)
        handle = tf.placeholder(tf.string, [])
        fed = tf.data.Iterator.from_string_handle(handle, train.output_types, train.output_shapes)
        doubled = fed.get_next() * 2
        own = test.make_one_shot_iterator()
        with tf.Session() as session:
            session.run(initializers[0])
            print(session.run(number), session.run([number, number]))
            session.run(initializers[1])
            print(session.run(number), session.run(number + 1))
            for iterator in (own, own):
                print(session.run(doubled, {handle: session.run(iterator.string_handle())}))
        try:
            either.make_initializer(Dataset.from_tensors(1.0))
        except TypeError:
            print("other types")
    """,
    "composed datasets": """
        rows = Dataset.from_generator(lambda: iter([(1, "a b"), (2, "c")]), (tf.int32, tf.string))
        words = rows.map(lambda i, text: (i, tf.string_split([text]).values))
        padded = words.padded_batch(2, ([], [None])).make_one_shot_iterator().get_next()
        print(padded)
        files = [os.path.join(tempfile.mkdtemp(), name) for name in "ab"]
        for path in files:
            with open(path, "w") as file:
                file.write("1,x\\n2,y\\n")
        def columns(line):
            number, text = tf.decode_csv(line, [[0], [""]])
            return {"number": number, "text": text}
        names = tf.placeholder(tf.string, [None])
        lines = Dataset.from_tensor_slices(names).flat_map(
            lambda name: tf.data.TextLineDataset(name).skip(1))
        table = lines.map(columns).make_initializable_iterator()
        read = table.get_next()
        zipped = Dataset.zip((Dataset.range(4), Dataset.range(4).filter(lambda i: tf.equal(i % 2, 0))))
        both = zipped.make_one_shot_iterator().get_next()
        woven = Dataset.range(3).interleave(lambda i: Dataset.from_tensors(i).repeat(2), 2, 1)
        woven = woven.apply(tf.data.experimental.shuffle_and_repeat(1, 1)).make_one_shot_iterator()
        number = woven.get_next()
        print(sorted(read.items()), both, number)
        with tf.Session() as session:
            session.run(table.initializer, {names: files})
            for fetches in (padded, read, both, number):
                drained(session, fetches)
    """,
    "records": """
        path = os.path.join(tempfile.mkdtemp(), "records")
        with tf.python_io.TFRecordWriter(path) as writer:
            for i in range(3):
                numbers = tf.train.Feature(int64_list=tf.train.Int64List(value=range(i)))
                pixels = np.full(6, i, np.uint8).tobytes()
                image = tf.train.Feature(bytes_list=tf.train.BytesList(value=[pixels]))
                one = tf.train.Feature(float_list=tf.train.FloatList(value=[i / 2]))
                features = tf.train.Features(feature={"image": image, "numbers": numbers, "one": one})
                writer.write(tf.train.Example(features=features).SerializeToString())
        kinds = {"image": tf.FixedLenFeature([], tf.string), "numbers": tf.VarLenFeature(tf.int64),
                 "one": tf.FixedLenFeature([1], tf.float32), "no": tf.FixedLenFeature([], tf.int64, 7)}
        def parsed(record):
            found = tf.parse_single_example(record, kinds)
            image = tf.reshape(tf.decode_raw(found["image"], tf.uint8), [2, 3])
            dense = tf.sparse_tensor_to_dense(found["numbers"])
            return tf.cast(image, tf.float32) / 255.0, dense, found["one"], found["no"]
        for names in ([path], tf.constant([path])):
            dataset = tf.data.TFRecordDataset(names).map(parsed).filter(lambda a, b, c, d: c[0] > 0.0)
            dataset = dataset.padded_batch(2, ([2, 3], [None], [1], []))
            iterator = dataset.make_initializable_iterator()
            batch = iterator.get_next()
            print(batch)
            with tf.Session() as session:
                session.run(iterator.initializer)
                drained(session, batch)
        serialized = tf.placeholder(tf.string, [None])
        many = tf.parse_example(serialized, kinds)
        print(sorted(many), many["one"], many["numbers"].values.dtype)
        records = list(tf.python_io.tf_record_iterator(path))
        with tf.Session() as session:
            print(session.run([many["one"], many["no"]], {serialized: records}))
        print(tf.train.Example.FromString(records[2]).features.feature["numbers"].int64_list.value[1])
    """,
    "text": """
        t = tf.placeholder(tf.string, [None])
        one = tf.placeholder(tf.string, [])
        calls = [
            tf.strings.join([t, "x"]), tf.string_split(t).values, tf.string_split(t, "ab").values,
            tf.string_split([one], "").values, tf.strings.split(t).indices, tf.strings.length(t),
            tf.substr(t, 0, 2), tf.regex_replace(t, "a+", "-"), tf.string_to_hash_bucket_fast(t, 10),
            tf.equal(t, "b"), t[1:], t[0], tf.reshape(t, [-1, 1]), tf.gather(t, [1, 1]), tf.size(t),
            tf.concat([t, ["z"]], 0), tf.stack([one, one]), tf.shape(t), tf.expand_dims(t, 0),
            tf.as_string(tf.shape(t)), tf.string_to_number(["1", "2.5"]) * 2.0, tf.identity(t),
            tf.string_to_number(string_tensor=["7"], out_type=tf.int64), tf.strings.lower(t),
            tf.py_func(lambda s: np.array([len(x) for x in s]), [t], tf.int64) + 1,
            tf.decode_raw(["ab", "cd"], tf.uint8), tf.tile(t, [2]),
        ]
        for call in calls:
            print(call.shape, call.dtype.name)
        with tf.Session() as session:
            for call in calls:
                print(session.run(call, {t: ["aab A", "b"], one: "xyz"}))
    """,
    "sizes as operands": """
        x = tf.placeholder(tf.float32, [None, 3])
        size = x.shape[1]
        calls = (
            tf.cast(size, tf.float32), tf.range(size), tf.maximum(size, 1), tf.stack([size, tf.shape(x)[0]]),
            tf.multiply(size, 2), tf.sqrt(tf.to_float(size)), x / tf.cast(size, tf.float32), tf.zeros([size, 2]),
            tf.reshape(x, [-1, size, 1]), tf.fill([2, size], 1.0), tf.one_hot([1], size), x * x.shape[1].value,
            tf.constant(2) * size, tf.tile(x, [size, 1]), tf.convert_to_tensor(size), tf.equal(size, 3),
        )
        with tf.Session() as session:
            for call in calls:
                print(call.dtype.name, call.shape, session.run(call, {x: [[1.0, 2.0, 3.0]]}).tolist())
    """,
}
PROGRAMS["normal distributions"] = """
        tf.set_random_seed(3)
        x = tf.placeholder(tf.float32, [None, 2])
        one = tf.distributions.Normal(x, tf.exp(x))
        two = tf.distributions.Normal(0.5, 2.0)
        calls = [
            one.sample(2), one.sample(), one.log_prob(x + 1.0), one.prob(1.0), one.entropy(), one.mean(),
            one.stddev(), one.variance(), one.cdf(0.3), two.sample([2, 1]), two.log_prob(1.0), one.mode(),
            two.entropy(), tf.distributions.kl_divergence(one, two), one.sample(1, seed=4), two.sample(),
            tf.gradients(one.log_prob(0.2), x)[0], tf.gradients(one.sample(2), x)[0],
        ]
        print(one.batch_shape, two.batch_shape, one.event_shape, two.dtype)
        with tf.Session() as session:
            for call in calls:
                found = session.run(call, {x: [[0.5, -1.0]]})
                print(call.shape, call.dtype.name, np.round(found, 3).tolist())
"""
PROGRAMS["tables"] = """
        t = tf.placeholder(tf.string, [None])
        contents = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
        table = tf.lookup.StaticHashTable(contents, -1)
        wide = tf.lookup.KeyValueTensorInitializer(tf.constant(["a", "b"]), tf.constant([0, 1], tf.int64))
        vocabulary = tf.lookup.StaticVocabularyTable(wide, 3)
        sparse = tf.string_split(t)
        path = os.path.join(tempfile.mkdtemp(), "words")
        with open(path, "w") as file:
            file.write("x\\ny\\n")
        lines = tf.lookup.TextFileInitializer(path, tf.string, -2, tf.int64, -1)
        in_file = tf.lookup.StaticHashTable(lines, -1)
        names = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(tf.constant([0, 1], tf.int64), ["zero", "one"]), "UNK")
        calls = [
            table.lookup(t), table.lookup(sparse).values, vocabulary.lookup(t), table.size(), in_file.lookup(t),
            vocabulary.size(), names.lookup(tf.constant([1, 5], tf.int64)), table.lookup(t) + 1,
        ]
        words = Dataset.from_tensor_slices(["a b", "z"]).map(lambda s: vocabulary.lookup(tf.string_split([s]).values))
        iterator = words.padded_batch(2, [None]).make_initializable_iterator()
        ids = iterator.get_next()
        print(ids)
        with tf.Session() as session:
            session.run(tf.tables_initializer())
            session.run(iterator.initializer)
            for call in calls:
                print(call.shape, call.dtype.name, session.run(call, {t: ["b", "z", "x"]}).tolist())
            print(session.run(ids))
        try:
            table.lookup(tf.constant([1]))
        except TypeError:
            print("other keys")
"""
PROGRAMS = {name: _START + text for name, text in PROGRAMS.items()}
