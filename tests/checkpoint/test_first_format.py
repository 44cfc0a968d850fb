"""Checkpoints of TensorFlow's first format are read, and damaged ones refused."""

import numpy as np
import pytest
import tensorflow as tf

import shims.compat.v1 as ours
from shims._src.checkpoint.wire import Malformed, varint, varints
from shims._src.errors import errors

from . import bundles
from .test_damage import places

WIDE = ("bfloat16", "uint32", "uint64", "edges/uint64", "float4_e2m1fn")
TENSORS = {
    name: value
    for name, value in bundles.kinds().items()
    if name not in WIDE and not name.startswith(("float8", "int2", "int4", "uint2", "uint4"))
}
WHOLE = np.arange(12.0, dtype=np.float32).reshape(4, 3)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("first") / "model.ckpt")
    tensors = [tf.constant(value) for value in TENSORS.values()]
    tf.raw_ops.SaveSlices(
        filename=path,
        tensor_names=[*TENSORS, "pieces", "pieces"],
        shapes_and_slices=[""] * len(TENSORS) + ["4 3 0,1:0,3", "4 3 1,3:-"],
        data=[*tensors, tf.constant(WHOLE[:1]), tf.constant(WHOLE[1:])],
    )
    return path


def test_values(path):
    reader, reference = (m.train.load_checkpoint(path) for m in (ours, tf))
    assert reader.get_variable_to_shape_map() == reference.get_variable_to_shape_map()
    assert reader.get_variable_to_dtype_map() == reference.get_variable_to_dtype_map()
    # TensorFlow's own reader refuses `float16` and pieces, which its `Saver` restores.
    found = {name: reader.get_tensor(name) for name in TENSORS}
    bundles.assert_same({k: np.asarray(v, TENSORS[k].dtype) for k, v in found.items()}, TENSORS)
    np.testing.assert_array_equal(reader.get_tensor("pieces"), WHOLE)
    with pytest.raises(errors.NotFoundError, match="Key z not found in checkpoint"):
        reader.get_tensor("z")


def test_a_saver_restores_what_tensorflow_saved(tmp_path):
    def program(tf, **options):
        with tf.Graph().as_default(), tf.Session() as session:
            step = tf.get_variable("step", initializer=np.int64(-3))
            w = tf.get_variable("model/w", initializer=np.float32([1.5, -2.5]))
            session.run(tf.global_variables_initializer())
            saver = tf.train.Saver(**options)
            if options:
                return saver.save(session, str(tmp_path / "m.ckpt"), write_meta_graph=False)
            session.run([step.assign(0), w.assign([0.0, 0.0])])
            saver.restore(session, tf.train.latest_checkpoint(str(tmp_path)))
            return session.run([step, w])

    v1 = tf.compat.v1
    assert program(v1, write_version=v1.train.SaverDef.V1) == str(tmp_path / "m.ckpt")
    step, w = program(ours)
    assert (step, w.tolist()) == (-3, [1.5, -2.5])


def test_damage(path, tmp_path):
    with open(path, "rb") as file:
        whole = file.read()
    theirs = ours.train.load_checkpoint(path)
    expected = {name: theirs.get_tensor(name) for name in theirs.get_variable_to_shape_map()}
    copy, found = tmp_path / "copy", []
    for at in places(len(whole), 60):
        for data in (whole[:at], whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :]):
            copy.write_bytes(data)
            try:
                reader = ours.train.load_checkpoint(copy)
                values = {name: reader.get_tensor(name) for name in expected}
            except errors.DataLossError:
                found.append("error")
            else:
                bundles.assert_same(values, expected)
                found.append("the same")
    assert set(found) == {"error", "the same"}
    assert found.count("the same") < 48  # the end of the file has bytes that say nothing


def test_numbers_side_by_side():
    numbers = [0, 1, 127, 128, 2**31, 2**63 - 1, 2**64 - 1, 2**64 - 300]
    data = b"".join(map(varint, numbers))
    expected = [n - (1 << 64) if n >= 1 << 63 else n for n in numbers]
    assert varints(data).tolist() == expected
    assert varints(b"").tolist() == []
    for bad in (b"\x80", b"\x01\xff", b"\xff" * 10 + b"\x01"):
        with pytest.raises(Malformed, match="a number is cut off"):
            varints(bad)
