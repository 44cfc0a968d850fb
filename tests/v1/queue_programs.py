"""Programs of queues and their threads that print what sessions give; see `printed_programs`."""

from __future__ import annotations

_START = """
        import os, tempfile
        import numpy as np
        folder = tempfile.mkdtemp()
        def drained(session, fetches, most=12):
            for _ in range(most):
                try:
                    print(session.run(fetches))
                except tf.errors.OutOfRangeError:
                    print("end")
                    break
"""
PROGRAMS = {
    "queues": _START
    + """
        tf.set_random_seed(7)
        first = tf.FIFOQueue(3, [tf.float32, tf.int32], [[2], []])
        put = first.enqueue_many([[[1.0, 2.0], [3.0, 4.0]], [5, 6]])
        x, n = first.dequeue()
        print(put.type, x, n, first.dtypes, first.shapes, first.name, first.size())
        named = tf.FIFOQueue(3, [tf.float32, tf.int32], names=["x", "n"], name="named")
        one = named.dequeue()
        add = named.enqueue({"x": 1.5, "n": 2})
        several = tf.FIFOQueue(3, tf.float32).dequeue_many(2)
        padded = tf.PaddingFIFOQueue(9, tf.int32, [[None]])
        rows = [padded.enqueue(np.arange(k)) for k in (1, 3)]
        both = padded.dequeue_many(2)
        shuffled = tf.RandomShuffleQueue(20, 2, [tf.int32], [[]], seed=5)
        fill, some = shuffled.enqueue_many([tf.range(20)]), shuffled.dequeue_many(6)
        by_rank = tf.PriorityQueue(9, [tf.string], [[]])
        ranks = by_rank.enqueue_many([np.array([3, 1, 2]), ["c", "a", "b"]])
        print(both, some, sorted(one), first.is_closed())
        with tf.Session() as session, tf.Session() as other:
            session.run(put)
            print(session.run([x, n]), session.run(first.size()), other.run(first.size()))
            session.run(add)
            print(session.run(one))
            for row in rows:
                session.run(row)
            print(session.run(both))
            session.run(fill)
            print(session.run(some), session.run(some), session.run(shuffled.size()))
            session.run(shuffled.close())
            drained(session, some)
            session.run(ranks)
            print([session.run(by_rank.dequeue())[1] for _ in range(3)])
            session.run(first.close())
            print(session.run(first.is_closed()), session.run(first.dequeue_up_to(5)))
            for bad in (put, x, several):
                try:
                    session.run(bad)
                except tf.errors.OpError as error:
                    print(type(error).__name__)
        for wrong in (
            lambda: first.enqueue([[1.0], 1]),
            lambda: named.enqueue([1.0, 2]),
        ):
            try:
                wrong()
            except ValueError:
                print("ValueError")
    """,
    "files, lines and batches": _START
    + """
        paths = [os.path.join(folder, f"{i}.csv") for i in range(2)]
        for i, path in enumerate(paths):
            with open(path, "w") as file:
                file.write("a,b\\n" + "".join(f"{i * 10 + j},{j * 0.5}\\n" for j in range(5)))
        files = tf.train.string_input_producer(paths, num_epochs=2, shuffle=False)
        key, line = tf.TextLineReader(skip_header_lines=1).read(files)
        a, b = tf.decode_csv(line, [[0], [0.0]])
        batch = tf.train.batch({"a": a, "b": b}, 4, allow_smaller_final_batch=True)
        w = tf.Variable(2.0)
        loss = w * tf.reduce_sum(batch["b"])
        step = w.assign_add(1.0)
        print(key, line, batch, tf.get_collection(tf.GraphKeys.SUMMARIES))
        with tf.Session() as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coord)
            drained(session, [batch, loss])
            coord.request_stop()
            coord.join(threads)
            print(len(threads), coord.should_stop(), session.run(step))
    """,
    "slices and orders": _START
    + """
        tf.set_random_seed(3)
        x, y = tf.train.slice_input_producer([np.arange(5), np.arange(10.0).reshape(5, 2)], seed=1)
        n = tf.train.range_input_producer(7, num_epochs=2, seed=3).dequeue()
        names = tf.train.string_input_producer(["a", "b", "c", "d"], seed=2)
        whole = tf.IdentityReader().read(names)
        drawn = tf.train.shuffle_batch([tf.constant(4)], 2, 9, 3)
        joined = tf.train.batch_join([[x], [x]], 2, enqueue_many=False)
        print(x, y, n, whole, drawn, joined)
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess=session, coord=coord)
            print(session.run(drawn), session.run(joined).shape)
            drained(session, n, 20)
            print([session.run(whole)[1] for _ in range(8)])
            coord.request_stop()
            coord.join(threads)
        for wrong in (
            lambda: tf.train.batch([tf.placeholder(tf.float32, [None])], 2),
            lambda: tf.train.string_input_producer([]),
            lambda: tf.train.limit_epochs(1.0, 0),
        ):
            try:
                wrong()
            except ValueError as error:
                print(str(error)[:30])
    """,
    "records in monitored sessions": _START
    + """
        path = os.path.join(folder, "r")
        with tf.python_io.TFRecordWriter(path) as writer:
            for i in range(6):
                features = {"n": tf.train.Feature(int64_list=tf.train.Int64List(value=[i]))}
                example = tf.train.Example(features=tf.train.Features(feature=features))
                writer.write(example.SerializeToString())
        files = tf.train.string_input_producer([path], num_epochs=1)
        reader = tf.TFRecordReader()
        _, text = reader.read(files)
        n = tf.parse_single_example(text, {"n": tf.FixedLenFeature([], tf.int64)})["n"]
        with open(path + ".bin", "wb") as file:
            file.write(b"h" + b"abcd" * 3)
        blocks = tf.FixedLengthRecordReader(4, header_bytes=1)
        wanted = blocks.read_up_to(tf.train.string_input_producer([path + ".bin"]), 2)[1]
        produced = reader.num_records_produced()
        contents = tf.WholeFileReader().read(tf.train.string_input_producer([path + ".bin"]))[1]
        with tf.train.MonitoredSession() as session:
            print(session.run([wanted, contents]))
            while not session.should_stop():
                print(session.run([n, produced])[0])
    """,
    "results can be written into": """
        x = tf.Variable(tf.zeros([3]))
        dataset = tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]]).repeat(2)
        row = dataset.make_one_shot_iterator().get_next()
        with tf.Session() as session:
            session.run(x.initializer)
            for fetch in (x, row, row, row):
                found = session.run(fetch)
                found[0] += 7
                print(found, session.run(x))
    """,
}
