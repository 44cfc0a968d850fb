"""Numbers of 64 bits that a program or its caller gives fit 32 bits, or are refused, not wrapped.

Equality rests on conversions, which IEEE rounds, and on integers: it holds on every processor.
"""

import jax
import numpy as np
import pytest
import tensorflow

import shims
from tests.harness.compare import EXACT, Dtypes, assert_same

FUNCTIONS = {
    "plain": shims.function(lambda x: x),
    "unknown size": shims.function(
        lambda x: x, input_signature=[shims.TensorSpec([None], "int64")]
    ),
    "int32": shims.function(lambda x: x, input_signature=[shims.TensorSpec([None], "int32")]),
    "dynamic": shims.dynamic(lambda x: x),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_refused_again_and_again(name):
    f = FUNCTIONS[name]
    for _ in range(2):  # the second call runs by the plan of the first
        assert f(np.array([5, -6])).tolist() == [5, -6]
        with pytest.raises(shims.errors.NarrowingError, match="does not fit int32"):
            f(np.array([5, 10**18]))


def test_unsigned():
    f = shims.function(lambda x: x)
    assert f(np.array([2**32 - 1], np.uint64)).tolist() == [2**32 - 1]
    with pytest.raises(shims.errors.NarrowingError, match="does not fit uint32"):
        f(np.array([2**32], np.uint64))


FLOATS = {
    "plain": FUNCTIONS["plain"],
    "unknown size": shims.function(
        lambda x: x, input_signature=[shims.TensorSpec([None], "float64")]
    ),
    "dynamic": FUNCTIONS["dynamic"],
    "constant": shims.constant,
    "of that dtype": lambda x: shims.constant(x, "float64"),
    "variable": lambda x: shims.Variable(x).read_value(),
    "cast": lambda x: shims.cast(x, "float64"),
}


@pytest.mark.parametrize("name", FLOATS)
def test_floats_that_would_be_infinite(name):
    f = FLOATS[name]
    for _ in range(2):
        assert np.isinf(f(np.array([1.0, -np.inf]))).tolist() == [False, True]
        assert np.isnan(f(np.array([np.nan, 2]))).tolist() == [True, False]
        f(np.array([np.finfo(np.float32).max, -1e-300]))
        for large in (1e39, -1e300):
            with pytest.raises(shims.errors.NarrowingError, match="too large for float32"):
                f(np.array([np.nan, large]))


ASKED_FOR = {
    "constant": lambda tf, x: tf.constant(x, tf.float32),
    "converted": lambda tf, x: tf.convert_to_tensor(x, tf.float32),
    "cast": lambda tf, x: tf.cast(x, tf.float32),
    "to half": lambda tf, x: tf.cast(x, tf.float16),
    "to integers": lambda tf, x: tf.cast(x, tf.int32),
    "to the ends": lambda tf, x: tf.saturate_cast(x, tf.float32),
    "beside an array": lambda tf, x: tf.constant([1.0]) + x[1],
    "chosen": lambda tf, x: tf.where([True, False], tf.constant([1.0, 2.0]), x[1]),
}


@pytest.mark.filterwarnings("ignore:overflow")  # of NumPy, in TensorFlow
@pytest.mark.parametrize("name", ASKED_FOR)
def test_infinite_numbers_that_tensorflow_has_as_well(name):
    x = np.array([1, -1e300])
    found, want = (np.asarray(ASKED_FOR[name](tf, x)) for tf in (shims, tensorflow))
    assert_same(found, want, EXACT, Dtypes.SAME)


@pytest.mark.parametrize("name", ["plain", "dynamic"])
def test_a_single_argument_that_would_be_infinite(name):
    for _ in range(2):
        assert FUNCTIONS[name](np.float64(2.5)) == 2.5
        with pytest.raises(shims.errors.NarrowingError, match="too large for float32"):
            FUNCTIONS[name](np.float64(1e300))


def test_complex_numbers_that_would_be_infinite():
    assert shims.constant(np.array([1 + 2j])).tolist() == [1 + 2j]
    with pytest.raises(shims.errors.NarrowingError, match="too large for complex64"):
        shims.constant(np.array([1e300j]))


WIDE = 2**40
LITERALS = {
    "constant": lambda tf: tf.constant([1, WIDE], tf.int64),
    "one more than int32 has": lambda tf: tf.constant(2**31, tf.int64),
    "unsigned": lambda tf: tf.constant(WIDE, tf.uint64),
    "a converted list": lambda tf: tf.convert_to_tensor([WIDE], tf.int64),
    "beside an array": lambda tf: tf.add(tf.constant([1], tf.int64), WIDE),
    "compared": lambda tf: tf.less(tf.constant([1], tf.int64), 2**31),
    "chosen": lambda tf: tf.where([True, False], tf.constant([1, 2], tf.int64), WIDE),
    "around": lambda tf: tf.pad(tf.constant([5], tf.int64), [[1, 1]], constant_values=WIDE),
    "a limit": lambda tf: tf.clip_by_value(tf.constant([5], tf.int64), WIDE, WIDE),
    "ragged": lambda tf: tf.ragged.constant([[1, WIDE]], tf.int64),
    "a float": lambda tf: tf.cast(3e9, tf.int64),
    "floats": lambda tf: tf.cast(np.float32([1, 3e9]), tf.int64),
}


@pytest.mark.parametrize("name", [*LITERALS, "variable"])
def test_a_number_in_the_program_is_refused_by_value(name):
    program = LITERALS.get(name, lambda tf: tf.Variable(WIDE, dtype=tf.int64).read_value())
    calls = [program] if name == "variable" else [program, shims.function(program, autograph=False)]
    for call in calls:
        for _ in range(2):
            with pytest.raises(shims.errors.NarrowingError, match=r"does not fit u?int32"):
                call(shims)
    with jax.enable_x64(True):
        ours = jax.tree.leaves(program(shims))
    theirs = tensorflow.nest.flatten(program(tensorflow), expand_composites=True)
    for x, y in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(x, y)


WRAPPED = {
    "int32": lambda tf: tf.constant([2**31, 2**40, -1], tf.int32),
    "int32 by hand": lambda tf: tf.convert_to_tensor(2**32 - 1, tf.int32),
    "uint32": lambda tf: tf.constant([-1, 2**32 - 1], tf.uint32),
    "uint8": lambda tf: tf.constant([-1, 300], tf.uint8),
    "beside unsigned": lambda tf: tf.add(tf.constant([1], tf.uint32), -1),
    "ragged": lambda tf: [
        tf.ragged.constant([[0, -1, 300]], dtype).values for dtype in (tf.uint8, tf.uint32, tf.int8)
    ],
    "out of any range": lambda tf: tf.cast(3e9, tf.int32),
}


@pytest.mark.parametrize("name", WRAPPED)
def test_what_wraps_around_in_tensorflow_does(name):
    program = WRAPPED[name]
    for call in (program, shims.function(program, autograph=False)):
        for x, y in zip(
            jax.tree.leaves(call(shims)), tensorflow.nest.flatten(program(tensorflow)), strict=True
        ):
            assert_same(x, y, EXACT, Dtypes.SAME)
