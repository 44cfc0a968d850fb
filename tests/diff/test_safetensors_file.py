"""The file format: held to the library, and strict about every byte."""

import json

import ml_dtypes
import numpy as np
import pytest
import safetensors
import safetensors.numpy

from tf2jax_port.diff.golden_file.safetensors_file import DamagedError, dumps, loads

ARRAYS = {
    "halves": np.array([1.5, -0.0, np.nan], np.float16),
    "brain": np.array([[1.5], [np.inf]], ml_dtypes.bfloat16),
    "wide": np.array(np.pi),
    "narrow": np.arange(6, dtype=np.int8).reshape(2, 3),
    "bits": np.array([True, False]),
    "nothing": np.zeros((0, 3), np.float32),
    "large": np.array([2**64 - 1], np.uint64),
    "ä": np.array([-(2**31)], np.int32),
}
METADATA = {"b": "text", "a": '{"x": "ä"}'}
DATA = dumps(ARRAYS, METADATA)


def same(found, wanted):
    assert list(found) == sorted(wanted, key=lambda n: (-wanted[n].dtype.itemsize, n))
    for name, array in wanted.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        assert found[name].tobytes() == array.tobytes()


def test_what_is_written_is_read():
    arrays, metadata = loads(DATA)
    same(arrays, ARRAYS)
    assert metadata == METADATA
    assert not arrays["wide"].flags.writeable
    assert dumps(dict(reversed(ARRAYS.items())), METADATA) == DATA


def test_the_library_reads_it(tmp_path):
    found = dict(safetensors.deserialize(DATA))
    assert set(found) == set(ARRAYS)
    for name, array in ARRAYS.items():
        assert bytes(found[name]["data"]) == array.tobytes()
        assert found[name]["shape"] == list(array.shape)
    (tmp_path / "file").write_bytes(DATA)
    with safetensors.safe_open(tmp_path / "file", "np") as file:
        assert file.metadata() == METADATA
        assert file.get_tensor("halves").tobytes() == ARRAYS["halves"].tobytes()


def test_what_the_library_writes_is_read():
    arrays = {"x": np.arange(3, dtype=np.float32), "y": np.array([1], np.int64)}
    same(loads(safetensors.numpy.save(arrays, METADATA))[0], arrays)


def test_a_file_that_ends_early():
    for end in range(len(DATA)):
        with pytest.raises(DamagedError, match=r"^the file ends"):
            loads(DATA[:end])
    with pytest.raises(DamagedError, match="1 bytes follow after the last array"):
        loads(DATA + b"\0")


def changed(**entry):
    length = int.from_bytes(DATA[:8], "little")
    header = json.loads(DATA[8 : 8 + length])
    header["wide"] = {**header["wide"], **entry}
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + DATA[8 + length :]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file ends after 0 bytes"),
        (b"\xff" * 20, "the first bytes of the file are not the beginning of a safetensors file"),
        (changed(shape=[2]), "the array wide is not where the header says"),
        (changed(shape=[-1]), "the array wide is not where the header says"),
        (changed(data_offsets=[8, 0]), "the array wide is not where the header says"),
        (
            changed(shape=[2**62], data_offsets=[8, 2**65 + 8]),
            "the file ends in the middle of the array",
        ),
        (changed(dtype="F1"), "the header of the file does not describe the array wide"),
        (changed(shape="x"), "the header of the file does not describe the array wide"),
        ((4).to_bytes(8, "little") + b"[[[[", "the header of the file cannot be read"),
        ((2).to_bytes(8, "little") + b"{}", "the header of the file was changed"),
    ],
)
def test_a_header_that_lies(data, message):
    with pytest.raises(DamagedError, match=message):
        loads(data)
