"""List pipelines that both libraries run: functions of the module, `tf` or `shims`, that give a dataset."""

from __future__ import annotations

import collections

import numpy as np

Point = collections.namedtuple("Point", "x y")


def D(m):
    return m.data.Dataset


def ragged(m, rows):
    return m.ragged.constant(rows, dtype=m.int32)


def sparse(m):
    return m.sparse.SparseTensor([[0, 1], [2, 0]], np.array([5, 6], np.int32), [3, 2])


def texts(m):
    return D(m).from_tensor_slices(["b", "abc", "", "dé"])


def lengths(m, sizes=(1, 3, 2, 5, 4)):
    return D(m).from_generator(
        lambda: (np.arange(n, dtype=np.int32) for n in sizes),
        output_signature=m.TensorSpec([None], m.int32),
    )


def count(n=7):
    def values():
        yield from range(n)

    return values


def fail_at(m, bad):
    def function(x):
        m.debugging.assert_none_equal(x, m.cast(bad, m.int32))
        return x

    return function


SOURCES = {
    "tensors": lambda m: D(m).from_tensors({"a": [1, 2], "b": (3.5, "t")}),
    "slices of a list": lambda m: D(m).from_tensor_slices([1, 2, 3]),
    "slices of floats": lambda m: D(m).from_tensor_slices([[1.5, 2], [3, 4]]),
    "slices of a tuple": lambda m: D(m).from_tensor_slices(([1, 2], [[1.0], [2.0]])),
    "slices of a dict": lambda m: D(m).from_tensor_slices({"b": [1, 2], "a": np.eye(2)}),
    "slices of a named tuple": lambda m: D(m).from_tensor_slices(Point([1, 2], np.ones((2, 3)))),
    "slices of nested structures": lambda m: D(m).from_tensor_slices(
        ({"x": [1, 2]}, ([True, False], {"y": ["a", "b"]}))
    ),
    "slices of uint8": lambda m: D(m).from_tensor_slices(
        np.arange(12, dtype=np.uint8).reshape(3, 4)
    ),
    "slices of float64": lambda m: D(m).from_tensor_slices(np.linspace(0, 1, 4)),
    "slices of int64": lambda m: D(m).from_tensor_slices(np.arange(4) + 2**40),
    "slices of complex": lambda m: D(m).from_tensor_slices(np.array([1j, 2 + 1j], np.complex64)),
    "slices of no rows": lambda m: D(m).from_tensor_slices(np.zeros((0, 3), np.float32)),
    "slices of text": texts,
    "slices of NumPy text": lambda m: D(m).from_tensor_slices(np.array(["a", "bc"])),
    "slices of ragged rows": lambda m: D(m).from_tensor_slices(ragged(m, [[1, 2], [], [3]])),
    "slices of deep ragged rows": lambda m: D(m).from_tensor_slices(ragged(m, [[[1], [2, 3]], []])),
    "slices of sparse": lambda m: D(m).from_tensor_slices(sparse(m)),
    "ragged and dense": lambda m: D(m).from_tensor_slices((ragged(m, [[1], [2, 3]]), [7, 8])),
    "a tensor that is ragged": lambda m: D(m).from_tensors(ragged(m, [[1, 2], [3]])),
    "constants": lambda m: D(m).from_tensor_slices(m.constant([1.0, 2.0])),
    "a list of constants": lambda m: D(m).from_tensor_slices(
        [m.constant([1, 2]), m.constant([3, 4])]
    ),
    "range": lambda m: D(m).range(5),
    "range with step": lambda m: D(m).range(10, 1, -3),
    "range of float32": lambda m: D(m).range(4, output_type=m.float32),
    "counter": lambda m: D(m).counter(3, 2).take(4),
    "generator": lambda m: D(m).from_generator(count(), output_signature=m.TensorSpec([], m.int32)),
    "generator with types": lambda m: D(m).from_generator(count(), m.float32, m.TensorShape([])),
    "generator without shapes": lambda m: D(m).from_generator(count(), output_types=m.int64),
    "generator with arguments": lambda m: D(m).from_generator(
        lambda n: iter(range(n)), m.int64, (), args=[3]
    ),
    "generator of structures": lambda m: D(m).from_generator(
        lambda: iter([({"a": 1}, [1.0, 2.0]), ({"a": 2}, [3.0])]),
        output_signature=({"a": m.TensorSpec([], m.int32)}, m.TensorSpec([None], m.float32)),
    ),
    "generator of text": lambda m: D(m).from_generator(
        lambda: iter(["a", b"b"]), output_types=m.string, output_shapes=[]
    ),
    "generator of ragged": lambda m: D(m).from_generator(
        lambda: iter([ragged(m, [[1], [2, 3]])]),
        output_signature=m.RaggedTensorSpec([2, None], m.int32),
    ),
    "random": lambda m: D(m).random(seed=4).take(5),
    "random, new in each pass": lambda m: (
        D(m).random(seed=4, rerandomize_each_iteration=True).take(3)
    ),
    "random by the global seed": lambda m: D(m).random().take(3),
}

MAPS = {
    "add": lambda m: D(m).range(4).map(lambda x: x + 1),
    "divide": lambda m: D(m).range(4).map(lambda x: x / 2),
    "square": lambda m: D(m).from_tensor_slices([1.0, 2.0]).map(lambda x: x**2),
    "tuple to tuple": lambda m: D(m).from_tensor_slices(([1, 2], [3, 4])).map(lambda a, b: (b, a)),
    "tuple to sum": lambda m: D(m).from_tensor_slices(([1, 2], [3, 4])).map(lambda a, b: a + b),
    "to a dict": lambda m: D(m).range(3).map(lambda x: {"x": x, "y": x * x}),
    "to a list": lambda m: D(m).range(3).map(lambda x: [x, x + 1]),
    "to nested": lambda m: D(m).range(3).map(lambda x: ({"a": x}, (x, [x, x]))),
    "to a named tuple": lambda m: D(m).range(3).map(lambda x: Point(x, x)),
    "of a named tuple": lambda m: (
        D(m).from_tensor_slices(Point([1, 2], [3, 4])).map(lambda p: p.x + p.y)
    ),
    "of a dict": lambda m: D(m).from_tensor_slices({"a": [1, 2]}).map(lambda d: d["a"] * 2),
    "to a constant": lambda m: D(m).range(3).map(lambda x: 7),
    "to text": lambda m: D(m).range(2).map(lambda x: "a"),
    "reduce": lambda m: D(m).from_tensor_slices(np.ones((3, 4), np.float32)).map(m.reduce_sum),
    "cast": lambda m: D(m).range(3).map(lambda x: m.cast(x, m.float32) / 3.0),
    "reshape": lambda m: (
        D(m).from_tensor_slices(np.ones((2, 6), np.float32)).map(lambda x: m.reshape(x, [2, 3]))
    ),
    "unknown sizes": lambda m: lengths(m).map(lambda x: x * 2),
    "unknown sizes, twice": lambda m: lengths(m).map(lambda x: m.concat([x, x], 0)),
    "unknown sizes to size": lambda m: lengths(m).map(lambda x: m.shape(x)[0]),
    "first": lambda m: lengths(m).map(lambda x: x[0]),
    "part": lambda m: lengths(m).map(lambda x: x[:-1]),
    "condition": lambda m: D(m).range(4).map(lambda x: m.where(x > 1, x, -x)),
    "fill": lambda m: D(m).range(4).map(lambda x: m.fill([m.cast(x, m.int32)], 1.5)),
    "ragged": lambda m: D(m).from_tensors(ragged(m, [[1, 2], [3]])).map(lambda r: r + 1),
    "parallel": lambda m: (
        D(m).range(6).map(lambda x: x * 3, num_parallel_calls=-1, deterministic=True)
    ),
    "filter": lambda m: D(m).range(9).filter(lambda x: x % 3 == 1),
    "filter pairs": lambda m: (
        D(m).from_tensor_slices(([1, 2, 3], [3, 2, 1])).filter(lambda a, b: a < b)
    ),
    "filter text": lambda m: texts(m).filter(
        lambda s: m.equal(s, "abc") if m is None else s == "abc"
    ),
    "take_while": lambda m: D(m).range(9).take_while(lambda x: x < 4),
    "scan": lambda m: D(m).range(5).scan(np.int64(0), lambda s, x: (s + x, s)),
    "scan of structures": lambda m: (
        D(m).range(4).scan((np.int64(0), np.int64(1)), lambda s, x: ((s[1], s[0] + s[1]), s[0]))
    ),
    "enumerate": lambda m: texts(m).enumerate(start=5),
    "flat_map": lambda m: D(m).range(4).flat_map(lambda x: D(m).range(x)),
    "flat_map of slices": lambda m: (
        D(m).from_tensor_slices([[1, 2], [3, 4]]).flat_map(lambda x: D(m).from_tensor_slices(x))
    ),
    "flat_map of pairs": lambda m: (
        D(m).range(3).flat_map(lambda x: D(m).zip((D(m).from_tensors(x).repeat(2), D(m).range(2))))
    ),
    "ignore_errors": lambda m: (
        D(m)
        .from_tensor_slices([1.0, 0.0, 4.0])
        .map(lambda x: m.debugging.check_numerics(1.0 / x, "bad"))
        .ignore_errors()
    ),
    "apply": lambda m: D(m).range(5).apply(lambda ds: ds.filter(lambda x: x > 2)),
    "unique": lambda m: D(m).from_tensor_slices([1, 37, 2, 37, 2, 1]).unique(),
    "unique text": lambda m: D(m).from_tensor_slices(["a", "b", "a"]).unique(),
}
for _cycle in (1, 2, 3, 5):
    for _block in (1, 2, 3):
        MAPS[f"interleave {_cycle} {_block}"] = lambda m, c=_cycle, b=_block: (
            D(m).range(1, 5).interleave(lambda x: D(m).from_tensors(x).repeat(x + 1), c, b)
        )
MAPS["interleave of empty"] = lambda m: D(m).range(6).interleave(lambda x: D(m).range(x % 3), 3, 2)

BATCHES = {
    "batch": lambda m: D(m).range(7).batch(3),
    "batch without remainder": lambda m: D(m).range(7).batch(3, drop_remainder=True),
    "batch of structures": lambda m: (
        D(m).from_tensor_slices({"a": [1, 2, 3], "b": ["x", "y", "z"]}).batch(2)
    ),
    "batch of none": lambda m: D(m).range(0).batch(2),
    "batch of batches": lambda m: D(m).range(8).batch(2).batch(2),
    "batch of ragged rows": lambda m: (
        D(m).from_tensor_slices(ragged(m, [[1, 2], [], [3]])).batch(2)
    ),
    "batch of ragged": lambda m: (
        D(m).from_tensor_slices(ragged(m, [[[1], [2, 3]], [], [[4]]])).batch(2)
    ),
    "batch of sparse": lambda m: D(m).from_tensor_slices(sparse(m)).batch(2),
    "batch of filtered ragged rows": lambda m: (
        D(m)
        .from_tensor_slices(ragged(m, [[1, 2], [], [3]]))
        .filter(lambda x: m.size(x) > 0)
        .batch(2)
    ),
    "unbatch": lambda m: D(m).from_tensor_slices(np.arange(12).reshape(3, 2, 2)).unbatch(),
    "unbatch of structures": lambda m: D(m).from_tensors({"a": [1, 2], "b": ["x", "y"]}).unbatch(),
    "unbatch of batches": lambda m: D(m).range(7).batch(3).unbatch(),
    "unbatch of ragged": lambda m: D(m).from_tensors(ragged(m, [[1, 2], [3]])).unbatch(),
    "unbatch of sparse": lambda m: D(m).from_tensors(sparse(m)).unbatch(),
    "rebatch": lambda m: D(m).range(10).batch(4).rebatch(3),
    "padded": lambda m: lengths(m).padded_batch(2),
    "padded without remainder": lambda m: lengths(m).padded_batch(2, drop_remainder=True),
    "padded to a size": lambda m: lengths(m).padded_batch(2, padded_shapes=[6]),
    "padded to any size": lambda m: lengths(m).padded_batch(3, padded_shapes=[None]),
    "padded to minus one": lambda m: lengths(m).padded_batch(3, padded_shapes=(-1,)),
    "padded with a value": lambda m: lengths(m).padded_batch(2, padding_values=-1),
    "padded structures": lambda m: (
        lengths(m)
        .map(lambda x: {"x": x, "n": m.shape(x)[0]})
        .padded_batch(2, padded_shapes={"x": [None], "n": []}, padding_values={"x": 9, "n": 0})
    ),
    "padded pairs": lambda m: (
        lengths(m).map(lambda x: (x, x + 1)).padded_batch(3, ([None], [7]), (1, 2))
    ),
    "padded text": lambda m: (
        D(m).from_generator(lambda: iter([["a"], ["b", "c"]]), m.string, [None]).padded_batch(2)
    ),
    "ragged_batch": lambda m: lengths(m).ragged_batch(2),
    "ragged_batch without remainder": lambda m: lengths(m).ragged_batch(2, drop_remainder=True),
    "ragged_batch of known sizes": lambda m: D(m).range(5).ragged_batch(2),
    "ragged_batch of matrices": lambda m: (
        D(m)
        .from_generator(lambda: (np.ones((n, 2), np.float32) for n in (1, 3)), m.float32, [None, 2])
        .ragged_batch(2)
    ),
    "dense_to_ragged_batch": lambda m: lengths(m).apply(
        m.data.experimental.dense_to_ragged_batch(2)
    ),
    "windows to batches": lambda m: D(m).range(7).window(3).flat_map(lambda w: w.batch(3)),
    "windows with shift": lambda m: (
        D(m)
        .range(7)
        .window(3, shift=1, drop_remainder=True)
        .flat_map(lambda w: w.batch(3, drop_remainder=True))
    ),
    "windows of pairs": lambda m: (
        D(m)
        .from_tensor_slices(([1, 2, 3, 4], [5, 6, 7, 8]))
        .window(2)
        .flat_map(lambda a, b: D(m).zip((a.batch(2), b.batch(2))))
    ),
    "windows of dicts": lambda m: (
        D(m).from_tensor_slices({"a": [1, 2, 3]}).window(2).flat_map(lambda d: d["a"].batch(2))
    ),
    "group_by_window": lambda m: (
        D(m).range(10).group_by_window(lambda x: x % 3, lambda k, g: g.batch(2), window_size=2)
    ),
    "group_by_window by function": lambda m: (
        D(m)
        .range(11)
        .group_by_window(lambda x: x % 2, lambda k, g: g.batch(4), window_size_func=lambda k: k + 2)
    ),
    "buckets": lambda m: lengths(m, (1, 4, 5, 2, 3, 7, 1, 9)).bucket_by_sequence_length(
        lambda x: m.shape(x)[0], [3, 6], [2, 2, 2]
    ),
    "buckets of results": lambda m: (
        lengths(m, (4, 5, 1, 2, 3, 7, 5, 9))
        .map(lambda x: x + 1)
        .bucket_by_sequence_length(lambda x: m.shape(x)[0], [3, 6], [2, 2, 2])
    ),
    "windows of results": lambda m: (
        lengths(m).map(lambda x: x + 1).window(2).flat_map(lambda w: w.padded_batch(2))
    ),
    "buckets to boundaries": lambda m: lengths(m, (1, 4, 5, 2, 3)).bucket_by_sequence_length(
        lambda x: m.shape(x)[0], [3, 6], [2, 2, 2], pad_to_bucket_boundary=True
    ),
    "buckets without padding": lambda m: lengths(m, (2, 2, 4, 4, 2)).bucket_by_sequence_length(
        lambda x: m.shape(x)[0], [3, 6], [2, 2, 2], no_padding=True
    ),
}
for _size in (1, 2, 3, 4):
    for _shift in (1, 2, 3, 5):
        for _stride in (1, 2):
            for _drop in (False, True):
                BATCHES[f"window {_size} {_shift} {_stride} {_drop}"] = (
                    lambda m, a=(_size, _shift, _stride, _drop): (
                        D(m).range(7).window(*a).flat_map(lambda w: w.batch(10))
                    )
                )

ORDER = {
    "shuffle": lambda m: D(m).range(10).shuffle(4, seed=3),
    "shuffle by the global seed": lambda m: D(m).range(10).shuffle(4),
    "shuffle all": lambda m: D(m).range(10).shuffle(100, seed=1),
    "shuffle of one": lambda m: D(m).range(5).shuffle(1, seed=1),
    "shuffle once": lambda m: D(m).range(10).shuffle(4, seed=3, reshuffle_each_iteration=False),
    "shuffle and repeat": lambda m: D(m).range(6).shuffle(4, seed=3).repeat(3),
    "shuffle once and repeat": lambda m: D(m).range(6).shuffle(4, 3, False).repeat(3),
    "repeat and shuffle": lambda m: D(m).range(6).repeat(3).shuffle(5, seed=2),
    "shuffle, batch, repeat": lambda m: D(m).range(7).shuffle(7, seed=9).batch(3).repeat(2),
    "shuffle twice": lambda m: D(m).range(7).shuffle(3, seed=9).shuffle(4, seed=8),
    "shuffle two datasets": lambda m: D(m).zip(
        (D(m).range(5).shuffle(5), D(m).range(5).shuffle(5))
    ),
    "shuffle_and_repeat": lambda m: (
        D(m).range(5).apply(m.data.experimental.shuffle_and_repeat(3, 2, 5))
    ),
    "shuffle and cache": lambda m: D(m).range(6).shuffle(6, seed=3).cache(),
    "cache and shuffle": lambda m: D(m).range(6).cache().shuffle(6, seed=3).repeat(2),
    "repeat": lambda m: D(m).range(3).repeat(2),
    "repeat without end": lambda m: D(m).range(3).repeat().take(7),
    "repeat never": lambda m: D(m).range(3).repeat(0),
    "repeat of nothing": lambda m: D(m).range(0).repeat().take(3),
    "take": lambda m: D(m).range(5).take(2),
    "take all": lambda m: D(m).range(5).take(-1),
    "take more": lambda m: D(m).range(5).take(9),
    "take none": lambda m: D(m).range(5).take(0),
    "skip": lambda m: D(m).range(5).skip(2),
    "skip all": lambda m: D(m).range(5).skip(-1),
    "skip more": lambda m: D(m).range(5).skip(9),
    "shard": lambda m: D(m).range(11).shard(3, 1),
    "shards": lambda m: D(m).range(11).shard(3, 2),
    "take of unknown": lambda m: D(m).range(9).filter(lambda x: x > 2).take(2),
    "skip of unknown": lambda m: D(m).range(9).filter(lambda x: x > 2).skip(2),
    "repeat of unknown": lambda m: D(m).range(4).filter(lambda x: x > 2).repeat(2),
    "zip": lambda m: D(m).zip((D(m).range(3), texts(m))),
    "zip of several": lambda m: D(m).zip(D(m).range(3), D(m).range(5), D(m).range(4)),
    "zip of a dict": lambda m: D(m).zip({"a": D(m).range(3), "b": (texts(m), D(m).range(2))}),
    "zip with endless": lambda m: D(m).zip((D(m).range(3), D(m).counter())),
    "concatenate": lambda m: D(m).range(3).concatenate(D(m).range(7, 9)),
    "concatenate of other sizes": lambda m: (
        D(m)
        .from_tensors(np.ones(2, np.float32))
        .concatenate(D(m).from_tensors(np.ones(3, np.float32)))
    ),
    "concatenate unknown": lambda m: (
        D(m).range(3).concatenate(D(m).range(9).filter(lambda x: x > 6))
    ),
    "cache": lambda m: D(m).range(4).cache(),
    "prefetch": lambda m: D(m).range(6).map(lambda x: x * x).prefetch(2),
    "prefetch by itself": lambda m: D(m).range(6).prefetch(m.data.AUTOTUNE).batch(2).prefetch(1),
    "choose": lambda m: D(m).choose_from_datasets(
        [D(m).range(3), D(m).range(10, 14)], D(m).range(2).repeat(4)
    ),
    "choose, go on": lambda m: D(m).choose_from_datasets(
        [D(m).range(2), D(m).range(10, 14)], D(m).range(2).repeat(4), stop_on_empty_dataset=False
    ),
    "sample": lambda m: D(m).sample_from_datasets([D(m).range(6), D(m).range(10, 15)], seed=5),
    "sample with weights": lambda m: D(m).sample_from_datasets(
        [D(m).range(20), D(m).range(30, 50)], weights=[0.8, 0.2], seed=7
    ),
    "sample, stop": lambda m: D(m).sample_from_datasets(
        [D(m).range(4).repeat(), D(m).range(10, 15)], [0.5, 0.5], seed=2, stop_on_empty_dataset=True
    ),
    "sample with no weight": lambda m: D(m).sample_from_datasets(
        [D(m).range(4), D(m).range(10, 15), D(m).range(3)], [0.5, 0.0, 0.5], seed=2
    ),
    "sample of endless": lambda m: (
        D(m)
        .sample_from_datasets([D(m).range(4).repeat(), D(m).range(10, 15).repeat()], seed=2)
        .take(20)
    ),
    "options": lambda m: D(m).range(3).with_options(m.data.Options()),
    "assert_cardinality": lambda m: (
        D(m).range(9).filter(lambda x: x > 5).apply(m.data.experimental.assert_cardinality(3))
    ),
}

PIPELINES = {
    f"{group}: {name}": build
    for group, table in (
        ("sources", SOURCES),
        ("maps", MAPS),
        ("batches", BATCHES),
        ("order", ORDER),
    )
    for name, build in table.items()
}
