"""Calls of TensorFlow's own kernel tests: value and dtype, eagerly and in a function.

Equality rests on small numbers that no rounding changes, on quotients and roots, which IEEE rounds, and on
`rounded_product`; logarithms, which each library computes in its own way, have a tolerance.
"""

import jax
import numpy as np
import pytest
import tensorflow

import shims
from tests.harness.compare import EXACT, Dtypes, Tolerance, assert_same, within
from tests.specs.kernel_calls import CALLS

# Calls with logarithms, exponentials or angles in them.
BY_SERIES = {
    "labels of a different dtype",
    "ragged arithmetic",
    "ragged operands by name",
    "sampled losses of labels that are floats",
}


def tolerance(name):
    return within(2e-6) if name in BY_SERIES else EXACT


def leaves(tree):
    flat = tensorflow.nest.flatten(tree, expand_composites=True)
    return [np.asarray(x) for x in flat]


@pytest.mark.parametrize("name", CALLS)
def test_as_tensorflow(name):
    expected = leaves(CALLS[name](tensorflow))
    assert_same(jax.tree.leaves(CALLS[name](shims)), expected, tolerance(name))
    staged = shims.function(lambda: CALLS[name](shims), autograph=False)
    assert_same(jax.tree.leaves(staged()), expected, tolerance(name))


@pytest.mark.parametrize("name", CALLS)
def test_as_tensorflow_with_64_bits(name):
    expected = leaves(CALLS[name](tensorflow))
    with jax.enable_x64(True):
        assert_same(jax.tree.leaves(CALLS[name](shims)), expected, tolerance(name))


def test_an_index_wider_than_32_bits_is_outside():
    indices = np.int64([2**32, 1, -(2**32)])
    with jax.enable_x64(True):
        ours = shims.one_hot(indices, 3)
    np.testing.assert_array_equal(ours, tensorflow.one_hot(indices, 3))


def test_unsigned_seeds_wrap_around():
    seed = np.uint64([5863043690987714530, 2**64 - 5])
    with jax.enable_x64(True):
        ours = shims.random.stateless_uniform([3], seed)
    np.testing.assert_array_equal(ours, tensorflow.random.stateless_uniform([3], seed))


WITH_A_DTYPE = {
    "fft": lambda tf, x: tf.signal.fft(x[0, 0]),
    "rfft": lambda tf, x: tf.signal.rfft(x),
    "irfft": lambda tf, x: tf.signal.irfft(x),
    "nextafter": lambda tf, x: tf.math.nextafter(x, x + 1),
    "rgb_to_hsv": lambda tf, x: tf.image.rgb_to_hsv(x / 16),
    "hsv_to_rgb": lambda tf, x: tf.image.hsv_to_rgb(x / 16),
    "max_pool": lambda tf, x: tf.nn.max_pool(x, 2, 1, "SAME"),
    "max_pool1d": lambda tf, x: tf.nn.max_pool1d(x[0], 2, 1, "SAME"),
    "max_pool2d": lambda tf, x: tf.nn.max_pool2d(x, 2, 1, "SAME"),
    "lrn": lambda tf, x: tf.nn.local_response_normalization(x),
}
NOT_IN_GRAPHS = {  # TensorFlow's graphs have no kernel for the dtype that they keep
    ("fft", "float32"), ("fft", "float64"), ("fft", "int32"), ("nextafter", "int32"),
    ("rgb_to_hsv", "int32"), ("hsv_to_rgb", "int32"), ("lrn", "float64"), ("lrn", "int32"),
}  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
@pytest.mark.parametrize("name", WITH_A_DTYPE)
def test_arrays_of_numpy_become_the_dtype_of_an_operator(name, dtype):
    x = np.arange(12).reshape(1, 2, 2, 3).astype(dtype)

    def call(tf):
        return WITH_A_DTYPE[name](tf, x)

    with jax.enable_x64(True):
        call(tensorflow)  # TensorFlow's very first call knows no defaults yet
        pairs = [(call(shims), call(tensorflow))]
        if (name, dtype) not in NOT_IN_GRAPHS:
            theirs = tensorflow.function(lambda: call(tensorflow))()
            pairs.append((shims.function(lambda: call(shims), autograph=False)(), theirs))
        for ours, theirs in pairs:
            assert_same(ours, theirs, 1e-6, Dtypes.SAME)


def test_eigenvalues_of_complex_diagonals_are_real():
    diagonals = np.complex64([1, 2]), np.complex64([1j])
    ours = shims.linalg.eigh_tridiagonal(*diagonals)
    expected = tensorflow.linalg.eigh_tridiagonal(*diagonals).numpy()
    assert_same(ours, expected, Tolerance(relative=1e-7, absolute=1e-6), Dtypes.SAME)


@pytest.mark.parametrize("sizes", [[2, 7], [2, 2], [9, -1]])
def test_the_sizes_of_a_split_are_checked_when_the_size_is_known(sizes):
    split = shims.function(
        lambda x: shims.split(x, sizes), input_signature=[shims.TensorSpec([None])], autograph=False
    )
    with pytest.raises(shims.errors.InvalidArgumentError, match="split: the sizes do not add up"):
        split(np.arange(6, dtype=np.float32))


def test_constants_made_inside_of_a_function_name_axes():
    def f(x):
        table = shims.reshape(x, shims.constant([2, 3]))
        turned = shims.reverse(shims.transpose(table, shims.constant([1, 0])), shims.constant([0]))
        return turned, shims.reduce_sum(turned, axis=shims.constant([0, 1]))

    staged = shims.function(f, input_signature=[shims.TensorSpec([None])], autograph=False)
    turned, total = staged(np.arange(6, dtype=np.float32))
    np.testing.assert_array_equal(turned, [[2, 5], [1, 4], [0, 3]])
    assert total == 15


def test_one_score_is_not_that_of_every_box():
    staged = shims.function(
        lambda boxes, scores: shims.image.non_max_suppression(boxes, scores, 3),
        input_signature=[shims.TensorSpec([None, 4]), shims.TensorSpec([None])],
        autograph=False,
    )
    with pytest.raises(shims.errors.InvalidArgumentError, match="sizes of two operands differ"):
        staged(np.ones((2, 4), np.float32), np.ones(1, np.float32))
