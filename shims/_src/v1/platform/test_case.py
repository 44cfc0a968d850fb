"""`tf.test.TestCase`: absl's test case with sessions, and comparisons of arrays.

A project's own tests are the best proof of its port: they run on it with the same import as the rest.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import tempfile
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from shims._src.errors import errors
from shims._src.v1.graph.default_graph import get_default_graph, reset_default_graph
from shims._src.v1.graph.modes import executing_eagerly
from shims._src.v1.graph.nodes import is_graph_value
from shims._src.v1.session.session import Session, get_default_session

try:
    from absl.testing import absltest
except ImportError as error:
    raise errors.UnimplementedError(
        errors.message(
            "tf.test", "tests are those of absl, which is not installed.", do="pip install absl-py"
        )
    ) from error

main = absltest.main
_SEED = 87654321
_HALF = 1e-3
_BRAIN = 1e-2


def get_temp_dir() -> str:
    """A folder that the tests of this process share.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/test/get_temp_dir
    """
    folder = os.path.join(tempfile.gettempdir(), f"shims_tests_{os.getpid()}")
    os.makedirs(folder, exist_ok=True)
    return folder


def is_gpu_available(cuda_only=False, min_cuda_compute_capability=None) -> bool:
    """Whether JAX computes on a GPU."""
    del cuda_only, min_cuda_compute_capability
    return jax.default_backend() == "gpu"


def gpu_device_name() -> str:
    """The name of the first GPU, or nothing."""
    return "/device:GPU:0" if is_gpu_available() else ""


def is_built_with_cuda() -> bool:
    """Whether JAX computes on a GPU."""
    return is_gpu_available()


class TestCase(absltest.TestCase):
    """A test with sessions and comparisons of arrays.

    Differs from TensorFlow:
      Comparisons of protocol buffers and of devices are not there.

    https://www.tensorflow.org/api_docs/python/tf/test/TestCase
    """

    __module__ = "shims.compat.v1.test"

    def setUp(self):
        """Begin with an empty default graph, and TensorFlow's seed of tests."""
        super().setUp()
        self._cached: Session | None = None
        random.seed(_SEED)
        np.random.seed(_SEED)
        reset_default_graph()
        get_default_graph().seed = _SEED

    def tearDown(self):
        """Close the session of `cached_session`."""
        if self._cached is not None:
            self._cached.close()
        super().tearDown()

    def get_temp_dir(self) -> str:
        """A folder of this test case."""
        folder = os.path.join(get_temp_dir(), self.id().replace(os.sep, "_"))
        os.makedirs(folder, exist_ok=True)
        return folder

    # ---- sessions --------------------------------------------------------------------------------

    @contextlib.contextmanager
    def session(self, graph=None, config=None, use_gpu=True, force_gpu=False) -> Iterator[Any]:
        """A session that is closed at the end of the block."""
        del config, use_gpu, force_gpu
        if executing_eagerly():
            yield None
            return
        with Session(graph=graph) as session:
            yield session

    @contextlib.contextmanager
    def cached_session(
        self, graph=None, config=None, use_gpu=True, force_gpu=False
    ) -> Iterator[Any]:
        """A session that the blocks of one test share."""
        del config, use_gpu, force_gpu
        if executing_eagerly():
            yield None
            return
        if self._cached is None:
            self._cached = Session(graph=graph)
        with self._cached.graph.as_default(), self._cached.as_default():
            yield self._cached

    @contextlib.contextmanager
    def test_session(self, graph=None, config=None, use_gpu=True, force_gpu=False) -> Iterator[Any]:
        """`cached_session`, or `session` where a graph is given."""
        make = self.cached_session if graph is None else self.session
        with make(graph, config, use_gpu, force_gpu) as session:
            yield session

    test_session.__test__ = False  # type: ignore[attr-defined]

    def evaluate(self, tensors):
        """The values of nested tensors, in the session of the block where they are of a graph."""
        if executing_eagerly():
            return jax.tree.map(np.asarray, tensors)
        session = get_default_session()
        if session is None:
            with self.test_session() as session:
                return session.run(tensors)
        return session.run(tensors)

    # ---- comparisons -----------------------------------------------------------------------------

    def _array(self, value) -> np.ndarray:
        if is_graph_value(value):
            value = self.evaluate(value)
        return np.asarray(value)

    def _each(self, a, b, compare, path: str = "") -> None:
        """Compare the arrays of nested values."""
        a = a._asdict() if hasattr(a, "_asdict") else a
        b = b._asdict() if hasattr(b, "_asdict") else b
        if isinstance(a, dict):
            self.assertIsInstance(b, dict)
            self.assertCountEqual(a, b)
            for key in a:
                self._each(a[key], b[key], compare, f"{path}[{key}]")
        elif isinstance(a, (list, tuple)) and not _is_numbers(a, b):
            self.assertEqual(len(a), len(b), f"lengths differ at {path or 'the top'}")
            for i, (x, y) in enumerate(zip(a, b, strict=True)):
                self._each(x, y, compare, f"{path}[{i}]")
        else:
            compare(self._array(a), self._array(b), path)

    def assertAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None):
        """Nested arrays of one shape, and close."""

        def compare(x, y, path):
            self.assertEqual(x.shape, y.shape, f"shapes differ {path} {msg or ''}")
            r, a_ = _widened(x, y, rtol, atol)
            np.testing.assert_allclose(x, y, r, a_, err_msg=f"{path} {msg or ''}", equal_nan=True)

        self._each(a, b, compare)

    def assertAllCloseAccordingToType(
        self,
        a,
        b,
        rtol=1e-6,
        atol=1e-6,
        float_rtol=1e-6,
        float_atol=1e-6,
        half_rtol=1e-3,
        half_atol=1e-3,
        bfloat16_rtol=1e-2,
        bfloat16_atol=1e-2,
        msg=None,
    ):
        """Nested arrays of one shape, and as close as their dtypes allow."""
        kinds = {
            "float32": (float_rtol, float_atol),
            "float16": (half_rtol, half_atol),
            "bfloat16": (bfloat16_rtol, bfloat16_atol),
        }
        found = {self._array(x).dtype.name for x in (*jax.tree.leaves(a), *jax.tree.leaves(b))}
        for name in found & set(kinds):
            rtol, atol = max(rtol, kinds[name][0]), max(atol, kinds[name][1])
        self.assertAllClose(a, b, rtol, atol, msg)

    def assertNotAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None):
        """Arrays that are not close everywhere."""
        try:
            self.assertAllClose(a, b, rtol, atol, msg)
        except AssertionError:
            return
        raise AssertionError(msg or "the arrays are close everywhere")

    def assertAllEqual(self, a, b, msg=None):
        """Arrays of one shape, and equal; NaN equals NaN."""

        def compare(x, y, path):
            self.assertEqual(x.shape, y.shape, f"shapes differ {path} {msg or ''}")
            if x.dtype.kind in "SUO" or y.dtype.kind in "SUO":
                x, y = (np.vectorize(_text, otypes=[object])(v) if v.size else v for v in (x, y))
            np.testing.assert_array_equal(x, y, err_msg=f"{path} {msg or ''}")

        self._each(a, b, compare)

    def assertNotAllEqual(self, a, b, msg=None):
        """Arrays that are not equal everywhere."""
        try:
            self.assertAllEqual(a, b, msg)
        except AssertionError:
            return
        raise AssertionError(msg or "the arrays are equal everywhere")

    def assertAllGreater(self, a, comparison_target):
        """All elements above a number."""
        self.assertGreater(np.min(self._array(a)), comparison_target)

    def assertAllGreaterEqual(self, a, comparison_target):
        """All elements at a number or above."""
        self.assertGreaterEqual(np.min(self._array(a)), comparison_target)

    def assertAllLess(self, a, comparison_target):
        """All elements below a number."""
        self.assertLess(np.max(self._array(a)), comparison_target)

    def assertAllLessEqual(self, a, comparison_target):
        """All elements at a number or below."""
        self.assertLessEqual(np.max(self._array(a)), comparison_target)

    def assertAllInRange(
        self, target, lower_bound, upper_bound, open_lower_bound=False, open_upper_bound=False
    ):
        """All elements between two numbers."""
        (self.assertAllGreater if open_lower_bound else self.assertAllGreaterEqual)(
            target, lower_bound
        )
        (self.assertAllLess if open_upper_bound else self.assertAllLessEqual)(target, upper_bound)

    def assertAllInSet(self, target, expected_set):
        """All elements among some numbers."""
        self.assertLessEqual(set(self._array(target).ravel().tolist()), set(expected_set))

    def assertNear(self, f1, f2, err, msg=None):
        """Two numbers that differ by at most `err`."""
        self.assertTrue(f1 == f2 or abs(f1 - f2) <= err, f"{f1} != {f2} +/- {err} {msg or ''}")

    def assertArrayNear(self, farray1, farray2, err, msg=None):
        """Two lists of numbers that differ by at most `err` each."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for x, y in zip(farray1, farray2, strict=True):
            self.assertNear(float(x), float(y), err, msg)

    def assertNDArrayNear(self, ndarray1, ndarray2, err, msg=None):
        """Two arrays whose difference has at most the norm `err`."""
        self.assertEqual(ndarray1.shape, ndarray2.shape, msg)
        self.assertLess(np.linalg.norm(ndarray1 - ndarray2), err, msg)

    def assertShapeEqual(self, input_a, input_b, msg=None):
        """Two arrays or tensors of one shape."""
        shapes = [x.get_shape() if hasattr(x, "get_shape") else x.shape for x in (input_a, input_b)]
        self.assertEqual(*map(_sizes, shapes), msg)

    def assertDTypeEqual(self, target, expected_dtype):
        """The dtype of an array."""
        self.assertEqual(self._array(target).dtype, np.dtype(expected_dtype))

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(  # type: ignore[override]
        self, exception_type, expected_err_re_or_predicate
    ) -> Iterator[Any]:
        """A block that raises an error whose message matches."""
        with self.assertRaises(exception_type) as caught:
            yield caught
        if callable(expected_err_re_or_predicate):
            self.assertTrue(expected_err_re_or_predicate(caught.exception))
        elif expected_err_re_or_predicate:
            message = getattr(caught.exception, "message", "") or str(caught.exception)
            self.assertTrue(
                re.search(expected_err_re_or_predicate, message),
                f"{message!r} does not match {expected_err_re_or_predicate!r}",
            )

    def assertRaisesOpError(self, expected_err_re_or_predicate):
        """A block that raises an error of an operation whose message matches."""
        return self.assertRaisesWithPredicateMatch(errors.OpError, expected_err_re_or_predicate)


def _is_numbers(a, b) -> bool:
    """Whether nested lists are one array of numbers."""
    if any(
        is_graph_value(x) or isinstance(x, (dict, np.ndarray))
        for x in (*a, *(b if isinstance(b, (list, tuple)) else ()))
    ):
        return False
    try:
        return np.asarray(a).dtype.kind in "biufcSU"
    except ValueError:
        return False


def _widened(x, y, rtol, atol) -> tuple[float, float]:
    """TensorFlow's tolerances of narrow floats."""
    names = {x.dtype.name, y.dtype.name}
    if "float16" in names:
        return max(rtol, _HALF), max(atol, _HALF)
    if "bfloat16" in names:
        return max(rtol, _BRAIN), max(atol, _BRAIN)
    return rtol, atol


def _text(value):
    return value.encode() if isinstance(value, str) else value


def _sizes(shape):
    return shape.as_list() if hasattr(shape, "as_list") else list(shape)
