"""`tf.test.TestCase`: one suite over either module passes and fails in the same places."""

from __future__ import annotations

import unittest

import numpy as np
import pytest
import tensorflow.compat.v1 as tensorflow

import shims.compat.v1 as tf


def suite_over(tf):
    """A test case in the manner of TensorFlow 1, of which some tests are meant to fail."""

    class Suite(tf.test.TestCase):
        def test_values(self):
            with tf.Graph().as_default(), self.session() as session:
                x = tf.constant([1.0, 2.0])
                self.assertAllClose([1.0, 2.0], session.run(x))
                self.assertAllEqual(session.run(x * 2.0), np.array([2.0, 4.0]))
                self.assertAllClose(
                    {"a": [1.0], "b": (x.eval(), 3.0)}, {"a": [1.0], "b": ([1, 2], 3)}
                )
                self.assertShapeEqual(np.zeros(2), x)
                with self.assertRaisesOpError("indices"):
                    session.run(tf.gather(x, [5]))

        def test_that_fails_by_value(self):
            self.assertAllClose([1.0, 2.0], [1.0, 2.1])

        def test_that_fails_by_shape(self):
            self.assertAllEqual([1.0, 2.0], [[1.0, 2.0]])

        def test_that_fails_by_structure(self):
            self.assertAllClose({"a": 1.0}, {"b": 1.0})

        def test_near(self):
            self.assertNear(1.0, 1.05, 0.1)
            self.assertAllInRange([1.0, 2.0], 1.0, 2.0)
            self.assertNotAllClose([1.0], [1.1])
            self.assertAllCloseAccordingToType(np.float16([1.0]), np.float16([1.001]))

        def test_that_fails_by_error(self):
            with self.assertRaisesOpError("anything"):
                pass

    return Suite


def failures(tf) -> set[str]:
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(suite_over(tf)).run(result)
    return {test.id().rpartition(".")[2] for test, _ in (*result.failures, *result.errors)}


@pytest.mark.filterwarnings("ignore")  # of absl about results that count no durations
def test_it_fails_where_tensorflows_does():
    ours = failures(tf)
    assert ours == failures(tensorflow)
    assert ours == {
        *("test_that_fails_by_value", "test_that_fails_by_shape"),
        *("test_that_fails_by_structure", "test_that_fails_by_error"),
    }


def test_the_default_graph_begins_anew():
    class Suite(tf.test.TestCase):
        def test_it(self):
            self.assertEqual(tf.constant(1.0).name, "Const:0")
            with self.test_session():
                self.assertAllEqual(tf.constant([1, 2]), [1, 2])
                self.assertEqual(self.evaluate(tf.constant(3)), 3)

    for _ in range(2):
        result = unittest.TestResult()
        Suite("test_it").run(result)
        assert result.wasSuccessful()
