"""Records: messages, files, and parsed examples are those of TensorFlow, in both directions."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.outcomes import outcome, same_error

from .observing import plain_element


def example(m, **features):
    """Make a record of features; a float list, an integer list or a list of bytes each."""
    kinds = {
        float: lambda v: m.Feature(float_list=m.FloatList(value=v)),
        int: lambda v: m.Feature(int64_list=m.Int64List(value=v)),
        bytes: lambda v: m.Feature(bytes_list=m.BytesList(value=v)),
    }
    made = {k: kinds[type(v[0])](v) if v else m.Feature() for k, v in features.items()}
    return m.Example(features=m.Features(feature=made))


FIRST = {"i": [1, -2], "f": [1.5], "b": [b"x\n\xff"], "n": [2], "e": []}
SECOND = {"i": [2**40], "f": [2.5, 0.1], "b": [b""], "n": [1]}
RECORDS = [example(tf.train, **f).SerializeToString() for f in (FIRST, SECOND)]


@pytest.mark.parametrize("features", [FIRST, SECOND, {}])
def test_message(features):
    got, want = example(shims.train, **features), example(tf.train, **features)
    assert got.SerializeToString(deterministic=True) == want.SerializeToString(deterministic=True)
    assert shims.train.Example.FromString(want.SerializeToString()) == got
    single = dict(list(features.items())[:1])
    assert str(example(shims.train, **single)) == str(example(tf.train, **single))


def test_values_can_be_added():
    got, want = shims.train.Example(), tf.train.Example()
    for m in (got, want):
        m.features.feature["a"].int64_list.value.append(3)
        m.features.feature["b"].float_list.value.extend([1.0, 2.5])
    assert got.SerializeToString(True) == want.SerializeToString(deterministic=True)
    assert got.features.feature["a"].WhichOneof("kind") == "int64_list"


def test_sequence_example():
    def made(m):
        steps = [m.Feature(int64_list=m.Int64List(value=[n])) for n in (1, 2)]
        lists = m.FeatureLists(feature_list={"s": m.FeatureList(feature=steps)})
        return m.SequenceExample(context=example(m, k=[7]).features, feature_lists=lists)

    assert made(shims.train).SerializeToString() == made(tf.train).SerializeToString()
    assert str(made(shims.train)) == str(made(tf.train))


@pytest.mark.parametrize(
    ("kind", "value"),
    [("Int64List", [1.5]), ("Int64List", [True]), ("BytesList", ["a"]), ("FloatList", ["a"])],
)
def test_wrong_values(kind, value):
    for m in (shims, tf):
        with pytest.raises(TypeError):
            getattr(m.train, kind)(value=value)


PARSED = {
    "fixed": lambda io, m: {"n": io.FixedLenFeature([], m.int64)},
    "fixed vector": lambda io, m: {"n": io.FixedLenFeature([1], m.int64)},
    "fixed text": lambda io, m: {"b": io.FixedLenFeature([], m.string)},
    "fixed by default": lambda io, m: {"z": io.FixedLenFeature([], m.float32, 1.5)},
    "fixed vector by default": lambda io, m: {"z": io.FixedLenFeature([2], m.int64, [7, 8])},
    "fixed, missing": lambda io, m: {"z": io.FixedLenFeature([], m.float32)},
    "fixed, empty": lambda io, m: {"e": io.FixedLenFeature([], m.float32)},
    "fixed, other size": lambda io, m: {"i": io.FixedLenFeature([2], m.int64)},
    "fixed, other dtype": lambda io, m: {"n": io.FixedLenFeature([], m.float32)},
    "variable": lambda io, m: {"i": io.VarLenFeature(m.int64), "f": io.VarLenFeature(m.float32)},
    "variable text": lambda io, m: {"b": io.VarLenFeature(m.string)},
    "variable, missing": lambda io, m: {"z": io.VarLenFeature(m.string)},
    "variable, other dtype": lambda io, m: {"i": io.VarLenFeature(m.float32)},
    "sequence": lambda io, m: {"f": io.FixedLenSequenceFeature([], m.float32, allow_missing=True)},
    "sequence of vectors": lambda io, m: {"n": io.FixedLenSequenceFeature([1], m.int64, True)},
    "sequence with padding": lambda io, m: {
        "f": io.FixedLenSequenceFeature([], m.float32, True, -1)
    },
    "sequence that must be there": lambda io, m: {"f": io.FixedLenSequenceFeature([], m.float32)},
    "ragged": lambda io, m: {"i": io.RaggedFeature(m.int64)},
    "ragged by another key": lambda io, m: {
        "r": io.RaggedFeature(m.float32, value_key="f", row_splits_dtype=m.int64)
    },
    "ragged, missing": lambda io, m: {"z": io.RaggedFeature(m.int64)},
    "ragged by lengths": lambda io, m: {
        "r": io.RaggedFeature(m.int64, "i", partitions=[io.RaggedFeature.UniformRowLength(1)])
    },
    "nothing": lambda io, m: {},
}


@pytest.mark.parametrize("name", PARSED)
@pytest.mark.parametrize("batch", [False, True])
def test_parse(name, batch):
    def run(m):
        function = m.io.parse_example if batch else m.io.parse_single_example
        return plain_element(function(RECORDS if batch else RECORDS[0], PARSED[name](m.io, m)))

    got, want = outcome(run, shims), outcome(run, tf)
    if want.error is None:
        assert got.error is None, got.error
        assert got.result == want.result
    else:
        assert same_error(got.error, want.error), (got, want)


def test_sparse_feature():
    record = example(tf.train, at=[3, 1], v=[2.5, 3.5]).SerializeToString()

    def run(m):
        feature = {"s": m.io.SparseFeature("at", "v", m.float32, 10)}
        return plain_element(m.io.parse_single_example(record, feature)), plain_element(
            m.io.parse_example([record, record], feature)
        )

    assert run(shims) == run(tf)


@pytest.mark.parametrize("compression", ["", "GZIP", "ZLIB"])
def test_files_both_ways(tmp_path, compression):
    texts = [b"", b"abc", bytes(range(256)) * 20]
    for writer, reader in ((shims, tf), (tf, shims), (shims, shims)):
        path = str(tmp_path / writer.__name__)
        with writer.io.TFRecordWriter(path, writer.io.TFRecordOptions(compression)) as file:
            for text in texts:
                file.write(text)
        ds = reader.data.TFRecordDataset(path, compression_type=compression)
        assert [e.numpy() for e in ds] == texts


def test_damaged_records(tmp_path):
    path = tmp_path / "records"
    with shims.io.TFRecordWriter(str(path)) as file:
        file.write(b"abc")
        file.write(b"defg")
    whole = path.read_bytes()
    for damaged in (
        whole[:-1],
        whole[:13] + b"X" + whole[14:],
        whole[:5] + b"X" + whole[6:],
        whole[:25],
    ):
        path.write_bytes(damaged)

        def read(m):
            return [e.numpy() for e in m.data.TFRecordDataset(str(path))]

        got, want = outcome(read, shims).error, outcome(read, tf).error
        assert type(got).__name__ == type(want).__name__


def test_lines_and_blocks(tmp_path):
    for number, text in enumerate(["a\nbc\n\nd", "x\r\ny\n"]):
        (tmp_path / f"{number}.txt").write_bytes(text.encode())
    names = [str(tmp_path / f"{n}.txt") for n in (0, 1)]

    def run(m):
        m.random.set_seed(2)  # the order of files follows from it, and other tests set it
        d = m.data
        return [
            [e.numpy() for e in ds]
            for ds in (
                d.TextLineDataset(names),
                d.TextLineDataset(names, num_parallel_reads=2),
                d.TextLineDataset(d.Dataset.from_tensor_slices(names)),
                d.TextLineDataset(names[0]).skip(1),
                d.FixedLengthRecordDataset(names[0], 2, 1),
                d.Dataset.list_files(str(tmp_path / "*.txt"), shuffle=False),
                d.Dataset.list_files(str(tmp_path / "*.txt"), seed=1),
            )
        ]

    assert run(shims) == run(tf)


TENSORS = [1.5, [[1, 2]], ["a", "b"], np.zeros((0, 3)), np.array([True, False]), np.float16([1.5])]


@pytest.mark.parametrize("number", range(len(TENSORS)))
def test_serialized_tensors(number):
    value = TENSORS[number]
    want = tf.io.serialize_tensor(tf.convert_to_tensor(value)).numpy()
    got = shims.io.serialize_tensor(value).numpy()
    assert got == want
    dtype = tf.convert_to_tensor(value).dtype
    back = shims.io.parse_tensor(want, dtype.name)
    np.testing.assert_array_equal(back.numpy(), tf.io.parse_tensor(got, dtype).numpy())


CSV = {
    "numbers and text": (["1,2.5,a", '3,,"b,c"'], [0, 1.5, "z"], {}),
    "one line": ("4,5", [1, 2], {}),
    "chosen columns": (["1,2,3"], [1, 2], {"select_cols": [0, 2]}),
    "missing": (["NA,2"], [7, 2], {"na_value": "NA"}),
    "not a number": (["x,2"], [7, 2], {}),
    "too few": (["1"], [7, 2], {}),
    "another delimiter": (["1;2"], [7, 2], {"field_delim": ";"}),
}


@pytest.mark.parametrize("name", CSV)
def test_csv(name):
    records, defaults, options = CSV[name]

    def run(m):
        return [plain_element(c) for c in m.io.decode_csv(records, defaults, **options)]

    got, want = outcome(run, shims), outcome(run, tf)
    assert got.result == want.result
    assert want.error is None or same_error(got.error, want.error)


def test_raw():
    for text, dtype, options in (
        ([b"\x01\x00", b"\x02\x00"], "int16", {}),
        ([b"\x01\x00"], "int16", {"little_endian": False}),
        (b"abc", "uint8", {"fixed_length": 5}),
    ):
        got = shims.io.decode_raw(text, dtype, **options).numpy()
        want = tf.io.decode_raw(text, getattr(tf, dtype), **options).numpy()
        assert got.tolist() == want.tolist()
        assert got.dtype == want.dtype
    with pytest.raises(shims.errors.InvalidArgumentError, match="not a multiple of 2"):
        shims.io.decode_raw(b"abc", "int16")
