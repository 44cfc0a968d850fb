"""Provide `tf.test.TestCase`: absl's test case, extended by sessions and array comparisons.

With it, the existing tests of a TensorFlow project can run on its port to JAX.
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
            "tf.test",
            "absl, which provides the test case, is not installed.",
            do="pip install absl-py",
        )
    ) from error

main = absltest.main
_SEED = 87654321
_HALF = 1e-3
_BRAIN = 1e-2


def get_temp_dir() -> str:
    """Return a temporary folder that the tests of this process share.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/test/get_temp_dir
    """
    folder = os.path.join(tempfile.gettempdir(), f"shims_tests_{os.getpid()}")
    os.makedirs(folder, exist_ok=True)
    return folder


def is_gpu_available(cuda_only=False, min_cuda_compute_capability=None) -> bool:
    """Return whether JAX computes on a GPU."""
    del cuda_only, min_cuda_compute_capability
    return jax.default_backend() == "gpu"


def gpu_device_name() -> str:
    """Return the name of the first GPU, or an empty string."""
    return "/device:GPU:0" if is_gpu_available() else ""


def is_built_with_cuda() -> bool:
    """Return whether JAX computes on a GPU."""
    return is_gpu_available()


class TestCase(absltest.TestCase):
    """A test case with sessions and comparisons of arrays.

    Differs from TensorFlow:
      Comparisons of protocol buffers and of devices are not supported.

    https://www.tensorflow.org/api_docs/python/tf/test/TestCase
    """

    __module__ = "shims.compat.v1.test"

    def setUp(self):
        """Reset the default graph and set TensorFlow's seed for tests."""
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
        """Return a temporary folder of this test case."""
        folder = os.path.join(get_temp_dir(), self.id().replace(os.sep, "_"))
        os.makedirs(folder, exist_ok=True)
        return folder

    # ---- sessions --------------------------------------------------------------------------------

    @contextlib.contextmanager
    def session(self, graph=None, config=None, use_gpu=True, force_gpu=False) -> Iterator[Any]:
        """Open a session inside a `with` block."""
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
        """Open a session that all `with` blocks of one test share."""
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
        """Open a session inside a `with` block: `cached_session`, or a new one if a graph is given."""
        make = self.cached_session if graph is None else self.session
        with make(graph, config, use_gpu, force_gpu) as session:
            yield session

    test_session.__test__ = False  # type: ignore[attr-defined]

    def evaluate(self, tensors):
        """Evaluate nested tensors in the current session, or eagerly if eager execution is enabled."""
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

    def _compare_nested(self, a, b, compare, path: str = "") -> None:
        """Call `compare` on each pair of corresponding arrays in two nested structures."""
        a = a._asdict() if hasattr(a, "_asdict") else a
        b = b._asdict() if hasattr(b, "_asdict") else b
        if isinstance(a, dict):
            self.assertIsInstance(b, dict)
            self.assertCountEqual(a, b)
            for key in a:
                self._compare_nested(a[key], b[key], compare, f"{path}[{key}]")
        elif isinstance(a, (list, tuple)) and not _is_numbers(a, b):
            self.assertEqual(len(a), len(b), f"lengths differ at {path or 'the top'}")
            for i, (x, y) in enumerate(zip(a, b, strict=True)):
                self._compare_nested(x, y, compare, f"{path}[{i}]")
        else:
            compare(self._array(a), self._array(b), path)

    def assertAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None):
        """Check that nested arrays have equal shapes and close values."""

        def compare(x, y, path):
            self.assertEqual(x.shape, y.shape, f"shapes differ {path} {msg or ''}")
            r, a_ = _widen_tolerances(x, y, rtol, atol)
            np.testing.assert_allclose(x, y, r, a_, err_msg=f"{path} {msg or ''}", equal_nan=True)

        self._compare_nested(a, b, compare)

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
        """Check that nested arrays have equal shapes and values as close as their dtypes allow."""
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
        """Check that at least one element of `a` is not close to that of `b`, or that the shapes differ."""
        try:
            self.assertAllClose(a, b, rtol, atol, msg)
        except AssertionError:
            return
        raise AssertionError(msg or "the arrays are close everywhere")

    def assertAllEqual(self, a, b, msg=None):
        """Check that arrays have equal shapes and equal values; NaN equals NaN."""

        def compare(x, y, path):
            self.assertEqual(x.shape, y.shape, f"shapes differ {path} {msg or ''}")
            if x.dtype.kind in "SUO" or y.dtype.kind in "SUO":
                x, y = (
                    np.vectorize(_to_bytes, otypes=[object])(v) if v.size else v for v in (x, y)
                )
            np.testing.assert_array_equal(x, y, err_msg=f"{path} {msg or ''}")

        self._compare_nested(a, b, compare)

    def assertNotAllEqual(self, a, b, msg=None):
        """Check that at least one element of `a` differs from that of `b`, or that the shapes differ."""
        try:
            self.assertAllEqual(a, b, msg)
        except AssertionError:
            return
        raise AssertionError(msg or "the arrays are equal everywhere")

    def assertAllGreater(self, a, comparison_target):
        """Check that all elements are greater than a number."""
        self.assertGreater(np.min(self._array(a)), comparison_target)

    def assertAllGreaterEqual(self, a, comparison_target):
        """Check that all elements are greater than or equal to a number."""
        self.assertGreaterEqual(np.min(self._array(a)), comparison_target)

    def assertAllLess(self, a, comparison_target):
        """Check that all elements are less than a number."""
        self.assertLess(np.max(self._array(a)), comparison_target)

    def assertAllLessEqual(self, a, comparison_target):
        """Check that all elements are less than or equal to a number."""
        self.assertLessEqual(np.max(self._array(a)), comparison_target)

    def assertAllInRange(
        self, target, lower_bound, upper_bound, open_lower_bound=False, open_upper_bound=False
    ):
        """Check that all elements lie between two bounds."""
        (self.assertAllGreater if open_lower_bound else self.assertAllGreaterEqual)(
            target, lower_bound
        )
        (self.assertAllLess if open_upper_bound else self.assertAllLessEqual)(target, upper_bound)

    def assertAllInSet(self, target, expected_set):
        """Check that all elements belong to a set."""
        self.assertLessEqual(set(self._array(target).ravel().tolist()), set(expected_set))

    def assertNear(self, f1, f2, err, msg=None):
        """Check that two numbers differ by at most `err`."""
        self.assertTrue(f1 == f2 or abs(f1 - f2) <= err, f"{f1} != {f2} +/- {err} {msg or ''}")

    def assertArrayNear(self, farray1, farray2, err, msg=None):
        """Check that corresponding elements of two lists differ by at most `err`."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for x, y in zip(farray1, farray2, strict=True):
            self.assertNear(float(x), float(y), err, msg)

    def assertNDArrayNear(self, ndarray1, ndarray2, err, msg=None):
        """Check that the norm of the difference between two arrays is less than `err`."""
        self.assertEqual(ndarray1.shape, ndarray2.shape, msg)
        self.assertLess(np.linalg.norm(ndarray1 - ndarray2), err, msg)

    def assertShapeEqual(self, input_a, input_b, msg=None):
        """Check that two arrays or tensors have equal shapes."""
        shapes = [x.get_shape() if hasattr(x, "get_shape") else x.shape for x in (input_a, input_b)]
        self.assertEqual(*map(_sizes, shapes), msg)

    def assertDTypeEqual(self, target, expected_dtype):
        """Check that an array or tensor has the expected dtype."""
        self.assertEqual(self._array(target).dtype, np.dtype(expected_dtype))

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(  # type: ignore[override]
        self, exception_type, expected_err_re_or_predicate
    ) -> Iterator[Any]:
        """Check that a block raises an error whose message matches a regular expression or a predicate."""
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
        """Check that a block raises an `OpError` whose message matches a regular expression or predicate."""
        return self.assertRaisesWithPredicateMatch(errors.OpError, expected_err_re_or_predicate)


def _is_numbers(a, b) -> bool:
    """Return whether nested lists hold only numbers or strings, and can be compared as arrays."""
    if any(
        is_graph_value(x) or isinstance(x, (dict, np.ndarray))
        for x in (*a, *(b if isinstance(b, (list, tuple)) else ()))
    ):
        return False
    try:
        return np.asarray(a).dtype.kind in "biufcSU"
    except ValueError:
        return False


def _widen_tolerances(x, y, rtol, atol) -> tuple[float, float]:
    """Increase the tolerances for float16 and bfloat16, as TensorFlow does."""
    names = {x.dtype.name, y.dtype.name}
    if "float16" in names:
        return max(rtol, _HALF), max(atol, _HALF)
    if "bfloat16" in names:
        return max(rtol, _BRAIN), max(atol, _BRAIN)
    return rtol, atol


def _to_bytes(value):
    return value.encode() if isinstance(value, str) else value


def _sizes(shape):
    return shape.as_list() if hasattr(shape, "as_list") else list(shape)
