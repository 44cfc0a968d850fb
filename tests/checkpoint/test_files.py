"""The files are TensorFlow's, byte for byte, and each reads what the other writes.

Arrays are copied and checksums are integers: this holds on every processor.
"""

import numpy as np
import pytest
import tensorflow as tf

from shims._src.checkpoint.bundle_writer import write_bundle
from shims._src.checkpoint.opening import open_checkpoint
from shims._src.checkpoint.partitioned import Partitioned
from shims._src.errors import errors

from . import bundles

_RNG = np.random.default_rng(0)
UNUSUAL = ["a", "a/b", "a/b/c", "a b", "é", "z" * 3000, "a\nb", '"', "\x01", "~", "A", "a" * 2000]
MANY = [f"scope_{i % 7}/layer_{i}/kernel/Adam_{i % 3}" for i in range(9000)]

SETS = {
    "every dtype": bundles.kinds(),
    "unusual names": {name: np.array(len(name)) for name in UNUSUAL},
    "many blocks": {name: np.full(i % 3, i, np.int32) for i, name in enumerate(MANY)},
    "one": {"w": np.ones(3)},
}


@pytest.fixture(scope="module", params=SETS)
def both(request, tmp_path_factory):
    """Some tensors, and where TensorFlow and where we have written them."""
    folder = tmp_path_factory.mktemp("checkpoint")
    tensors = SETS[request.param]
    bundles.write(folder / "theirs", tensors)
    write_bundle(str(folder / "ours"), tensors)
    return tensors, folder / "theirs", folder / "ours"


def test_the_same_bytes(both):
    _, theirs, ours = both
    assert bundles.files(ours) == bundles.files(theirs)
    assert sorted(bundles.files(ours)) == [".data-00000-of-00001", ".index"]


def test_ours_reads_theirs(both):
    tensors, theirs, _ = both
    reader = open_checkpoint(str(theirs))
    bundles.assert_same({name: reader.read(name) for name in reader.names}, tensors)
    assert reader.names == sorted(tensors, key=str.encode)


def test_theirs_reads_ours(both):
    tensors, _, ours = both
    found = bundles.read(ours)
    expected = {name: np.asarray(value) for name, value in tensors.items()}
    bundles.assert_same(
        {name: np.asarray(v, expected[name].dtype) for name, v in found.items()}, expected
    )


def test_several_files_of_data(tmp_path):
    parts = {"a": np.arange(3), "b": np.float32(1)}, {"c/d": np.array([b"x", b"yy"], object)}
    prefixes = [str(tmp_path / f"part{i}") for i in range(2)]
    for prefix, part in zip(prefixes, parts, strict=True):
        bundles.write(prefix, part)
    whole = tmp_path / "whole"
    tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=prefixes, destination_prefix=str(whole))
    assert ".data-00001-of-00002" in bundles.files(whole)
    reader = open_checkpoint(str(whole))
    bundles.assert_same({name: reader.read(name) for name in reader.names}, parts[0] | parts[1])


def test_object_based(tmp_path):
    values = {"x": np.arange(4.0), "y": np.array(3)}
    saved = tf.train.Checkpoint(**{k: tf.Variable(v) for k, v in values.items()})
    reader = open_checkpoint(saved.write(str(tmp_path / "object")))
    suffix = "/.ATTRIBUTES/VARIABLE_VALUE"
    assert reader.names == ["_CHECKPOINTABLE_OBJECT_GRAPH", "x" + suffix, "y" + suffix]
    bundles.assert_same({k: reader.read(k + suffix) for k in values}, values)


def test_quantized_elements_are_integers(tmp_path):
    value = np.array([-1, 2], np.int8)
    tf.raw_ops.SaveV2(
        prefix=str(tmp_path / "q"),
        tensor_names=["q"],
        shape_and_slices=[""],
        tensors=[tf.bitcast(tf.constant(value), tf.qint8)],
    )
    bundles.assert_same({"q": open_checkpoint(str(tmp_path / "q")).read("q")}, {"q": value})


def test_text_and_foreign_byte_orders(tmp_path):
    tensors = {
        "text": np.array(["é", "b"]),
        "bytes": np.array([b"ab"]),
        "big": np.array([1, 2], ">i4"),
    }
    write_bundle(str(tmp_path / "x"), tensors)
    found = bundles.read(tmp_path / "x")
    assert found["text"].tolist() == ["é".encode(), b"b"]
    assert found["bytes"].tolist() == [b"ab"]
    assert found["big"].tolist() == [1, 2]


# Sizes of one byte and of two in the keys of pieces.
PIECES = {
    "rows": [((0, 0), (3, 200)), ((3, 0), (2, 200)), ((5, 0), (2, 200))],
    "columns": [((0, 0), (7, 70)), ((0, 70), (7, 130))],
    "one": [((0, 0), (7, 200))],
}


@pytest.mark.parametrize("pieces", PIECES.values(), ids=PIECES)
def test_partitioned(pieces, tmp_path):
    whole = _RNG.normal(size=(7, 200)).astype(np.float32)
    parts = [(at, whole[tuple(slice(a, a + n) for a, n in zip(at, shape))]) for at, shape in pieces]
    other = np.arange(3)
    tf.raw_ops.SaveV2(
        prefix=str(tmp_path / "theirs"),
        tensor_names=[b"v\0\xff/w"] * len(parts) + [b"v"],
        shape_and_slices=[f"7 200 {_spec(at, piece.shape)}" for at, piece in parts] + [""],
        tensors=[piece for _, piece in parts] + [other],
    )
    name = "v\0\udcff/w"  # bytes that are no text come as `os.fsdecode` gives them
    write_bundle(str(tmp_path / "ours"), {name: Partitioned((7, 200), parts), "v": other})
    assert bundles.files(tmp_path / "ours") == bundles.files(tmp_path / "theirs")
    reader = open_checkpoint(str(tmp_path / "ours"))
    assert reader.names == ["v", name]
    bundles.assert_same({n: reader.read(n) for n in reader.names}, {"v": other, name: whole})


def _spec(at, shape):
    return ":".join(f"{start},{length}" for start, length in zip(at, shape))


def test_a_piece_without_the_others(tmp_path):
    whole = np.arange(6.0)
    write_bundle(str(tmp_path / "x"), {"v": Partitioned((6,), [((2,), whole[2:4])])})
    reader = open_checkpoint(str(tmp_path / "x"))
    np.testing.assert_array_equal(reader.read("v", ((2, 2),)), whole[2:4])
    with pytest.raises(errors.DataLossError, match="the slices do not cover the whole tensor"):
        reader.read("v")
    found = tf.raw_ops.RestoreV2(
        prefix=str(tmp_path / "x"),
        tensor_names=["v"],
        shape_and_slices=["6 2,2"],
        dtypes=[tf.float64],
    )
    np.testing.assert_array_equal(found[0], whole[2:4])


@pytest.mark.parametrize(
    "pieces",
    [
        [((0,), np.ones(2)), ((3,), np.ones(2))],
        [((0,), np.ones(3)), ((1,), np.ones(3))],
        [((-1,), np.ones(4))],
        [((0, 0), np.ones((2, 2)))],
        [((0,), np.ones((2, 2)))],
        [],
    ],
)
def test_pieces_that_make_no_whole(pieces):
    with pytest.raises(ValueError, match=r"^(A slice of|Slices )"):
        Partitioned((4,), pieces)
