"""TensorFlow's assertions about arrays hold and fail for the same values as TensorFlow's own."""

import unittest

import numpy as np
import pytest
import tensorflow as tf

import shims

A = np.array([1.0, 2.0, np.nan], np.float32)
CASES = [
    ("assertAllClose", A, A),
    ("assertAllClose", A, A + 1e-3),
    ("assertAllClose", A, A[:2]),
    ("assertAllClose", {"a": A, "b": [1.0, 2]}, {"a": A, "b": [1.0, 2]}),
    ("assertAllClose", {"a": A}, {"b": A}),
    ("assertAllClose", [A, A[:1]], [A, A[:1]]),
    ("assertAllClose", [A, A[:1]], [A, A[1:2]]),
    ("assertAllCloseAccordingToType", np.float16([1, 2]), np.float16([1.001, 2])),
    ("assertAllCloseAccordingToType", np.float32([1, 2]), np.float32([1.001, 2])),
    ("assertNotAllClose", [1.0], [1.1]),
    ("assertNotAllClose", [1.0], [1.0]),
    ("assertAllEqual", [1, 2], np.array([1, 2])),
    ("assertAllEqual", [1, 2], np.array([1, 3])),
    ("assertAllEqual", A, A),
    ("assertAllEqual", ["a", "b"], np.array([b"a", b"b"], object)),
    ("assertNotAllEqual", [1, 2], [1, 3]),
    ("assertNotAllEqual", [1, 2], [1, 2]),
    ("assertAllGreater", [1, 2], 0),
    ("assertAllGreater", [1, 2], 1),
    ("assertAllGreaterEqual", [1, 2], 1),
    ("assertAllLess", [1, 2], 2),
    ("assertAllLessEqual", [1, 2], 2),
    ("assertAllInSet", [1, 2], {1, 2, 3}),
    ("assertAllInSet", [1, 4], {1, 2, 3}),
    ("assertShapeEqual", np.zeros([2, 3]), np.ones([2, 3])),
    ("assertShapeEqual", np.zeros([2, 3]), np.ones([3, 2])),
    ("assertDTypeEqual", np.float32([1]), np.float32),
    ("assertDTypeEqual", np.float32([1]), np.int32),
    ("assertLen", [1, 2], 2),
    ("assertLen", [1, 2], 3),
]


def _holds(case, name, arguments):
    try:
        getattr(case, name)(*arguments)
    except AssertionError:
        return False
    return True


@pytest.mark.parametrize("case", CASES, ids=[f"{name}-{n}" for n, (name, *_) in enumerate(CASES)])
def test_assertions_are_those_of_tensorflow(case):
    name, *arguments = case
    wanted = _holds(tf.test.TestCase(), name, arguments)
    assert _holds(shims.test.TestCase(), name, arguments) == wanted


@pytest.mark.parametrize("near", [True, False])
def test_numbers_are_near(near):
    case, other = shims.test.TestCase(), 1.05 if near else 1.2
    assert _holds(case, "assertNear", (1.0, other, 0.1)) == near
    assert _holds(case, "assertArrayNear", ([1.0], [other], 0.1)) == near


def test_tensors_and_variables_are_compared():
    case = shims.test.TestCase()
    variable = shims.Variable([1.0, 2.0])
    case.assertAllEqual(variable, shims.constant([1.0, 2.0]))
    case.assertAllEqual(shims.ragged.constant([[1], [2, 3]]), [[1], [2, 3]])
    with pytest.raises(AssertionError):
        case.assertAllClose(variable + 1, variable)
    assert case.evaluate({"a": variable[0]}) == {"a": 1.0}


def test_a_program_of_tests_runs():
    class Sums(shims.test.TestCase):
        def test_sum(self):
            self.assertAllClose(shims.reduce_sum([1.0, 2.0]), 3.0)
            assert self.get_temp_dir()

        def test_wrong(self):
            self.assertAllClose(shims.reduce_sum([1.0, 2.0]), 4.0)

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Sums).run(result)
    assert (result.testsRun, len(result.failures), len(result.errors)) == (2, 1, 0)


def test_questions_about_gpus():
    gpus = bool(shims.config.list_physical_devices("GPU"))
    assert shims.test.is_gpu_available() == gpus
    assert bool(shims.test.gpu_device_name()) == gpus
    assert shims.test.is_built_with_xla()


@pytest.mark.parametrize("library", [tf, shims])
def test_an_evaluated_array_may_be_changed(library):
    array = library.test.TestCase().evaluate(library.constant([1.0, 2.0]))
    array[0] = 9.0
    assert array.tolist() == [9.0, 2.0]
