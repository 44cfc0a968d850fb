"""Checkpoints that TensorFlow writes and reads, for comparison.

Numbers are copied and not computed, so that whatever is compared exactly here holds on every processor.
"""

import numpy as np
import tensorflow as tf

from tests.harness import compare


def write(prefix, tensors):
    """TensorFlow writes a dict of arrays as they are."""
    names = list(tensors)
    tf.raw_ops.SaveV2(
        prefix=str(prefix),
        tensor_names=names,
        shape_and_slices=[""] * len(names),
        tensors=[tf.constant(value) for value in tensors.values()],
    )


def read(prefix):
    """All that TensorFlow finds in a checkpoint, by name."""
    reader = tf.train.load_checkpoint(str(prefix))
    return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


def files(prefix):
    """The bytes of all files of a checkpoint, by what follows the prefix."""
    found = prefix.parent.glob(prefix.name + ".*")
    return {path.name[len(prefix.name) :]: path.read_bytes() for path in found}


def assert_same(found, expected):
    """Fail unless two checkpoints hold the same tensors."""
    compare.assert_same(found, expected, compare.EXACT, compare.Dtypes.SAME)


def kinds():
    """Arrays of every dtype that TensorFlow stores, of every rank, empty ones among them."""
    names = [
        *("float16", "bfloat16", "float32", "float64", "complex64", "complex128", "bool"),
        *(f"{sign}int{bits}" for sign in ("", "u") for bits in (2, 4, 8, 16, 32, 64)),
        *("float8_e5m2", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e4m3b11fnuz"),
        *("float8_e5m2fnuz", "float4_e2m1fn"),
    ]
    ones = {name: np.array([[1, 0, 1]]).astype(tf.as_dtype(name).as_numpy_dtype) for name in names}
    return ones | {
        "edges/float32": np.array([0.0, -0.0, np.nan, np.inf, 1e-45], np.float32),
        "edges/int64": np.array([-(2**63), 2**63 - 1, 0]),
        "edges/uint64": np.array([2**64 - 1], np.uint64),
        "edges/complex": np.array([1 - 2j, complex(np.inf, -0.0)]),
        "scalar": np.float32(2.5),
        "scalar/complex": np.complex64(1j),
        "empty": np.zeros((2, 0, 3), np.int16),
        "large": np.arange(40_000, dtype=np.float64).reshape(4, 100, 100),
        "transposed": np.arange(6.0).reshape(2, 3).T,
        "string": np.array(b"one", object),
        "string/empty": np.array([], object),
        "strings": np.array([[b"", b"\0\xff"], ["é".encode(), b"x" * 70_000]], object),
    }
