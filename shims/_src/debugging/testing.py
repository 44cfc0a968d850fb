"""Provide TensorFlow's test cases: `unittest.TestCase` with assertions about arrays."""

from __future__ import annotations

import importlib.util
import tempfile
import unittest
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

_HALF = ("float16", "bfloat16")


def _plain(value: Any) -> Any:
    """Return arrays as NumPy's, and every structure with NumPy arrays at its leaves."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return [_plain(item) for item in value]
    if isinstance(value, (list, tuple)):
        items = [_plain(item) for item in value]
        shapes = {np.shape(item) for item in items if not isinstance(item, (dict, list))}
        flat = not any(isinstance(item, (dict, list)) for item in items)
        return np.asarray(items) if flat and len(shapes) <= 1 else items
    if hasattr(value, "to_list") and not isinstance(value, jax.Array):
        return value.to_list()
    return np.asarray(value.numpy() if hasattr(value, "numpy") else value)


class TestCase(unittest.TestCase):
    """A test case that compares arrays.

    Differs from TensorFlow:
      The class is based on `unittest` alone. The class has the assertions about arrays, `evaluate`
      and `get_temp_dir`, but no methods for sessions and graphs.

    https://www.tensorflow.org/api_docs/python/tf/test/TestCase
    """

    def evaluate(self, tensors: Any) -> Any:
        """Return a structure of tensors with NumPy arrays in their place."""
        return jax.tree.map(
            lambda x: np.array(x.numpy() if hasattr(x, "numpy") else x)[()],
            tensors,
            is_leaf=lambda x: hasattr(x, "numpy"),
        )

    def get_temp_dir(self) -> str:
        """Return a folder that exists until the test has ended."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return folder.name

    def assertAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None) -> None:
        """Assert that all numbers of two structures are near each other."""
        self._each(_plain(a), _plain(b), lambda x, y: self._near(x, y, rtol, atol, msg), msg)

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
    ) -> None:
        """Assert that two arrays are near each other, by the limits of the narrower dtype."""
        names = {str(np.asarray(x).dtype) for x in (_plain(a), _plain(b))}
        for name, relative, absolute in (
            ("float32", float_rtol, float_atol),
            ("float16", half_rtol, half_atol),
            ("bfloat16", bfloat16_rtol, bfloat16_atol),
        ):
            if name in names:
                rtol, atol = max(rtol, relative), max(atol, absolute)
        self.assertAllClose(a, b, rtol, atol, msg)

    def assertNotAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None) -> None:
        """Assert that two structures are not near each other."""
        self._fails(lambda: self.assertAllClose(a, b, rtol, atol), "close", msg)

    def assertAllEqual(self, a, b, msg=None) -> None:
        """Assert that two structures have equal shapes and equal elements; NaN equals NaN."""
        self._each(_plain(a), _plain(b), lambda x, y: self._equal(x, y, msg), msg)

    def assertNotAllEqual(self, a, b, msg=None) -> None:
        """Assert that two structures differ."""
        self._fails(lambda: self.assertAllEqual(a, b), "equal", msg)

    def assertAllGreater(self, a, comparison_target) -> None:
        """Assert that all elements are greater than a number."""
        self._all(a, lambda x: x > comparison_target, f"> {comparison_target}")

    def assertAllGreaterEqual(self, a, comparison_target) -> None:
        """Assert that no element is less than a number."""
        self._all(a, lambda x: x >= comparison_target, f">= {comparison_target}")

    def assertAllLess(self, a, comparison_target) -> None:
        """Assert that all elements are less than a number."""
        self._all(a, lambda x: x < comparison_target, f"< {comparison_target}")

    def assertAllLessEqual(self, a, comparison_target) -> None:
        """Assert that no element is greater than a number."""
        self._all(a, lambda x: x <= comparison_target, f"<= {comparison_target}")

    def assertAllInSet(self, target, expected_set) -> None:
        """Assert that every element is one of a set."""
        self._all(target, lambda x: np.isin(x, list(expected_set)), f"in {expected_set}")

    def assertNear(self, f1, f2, err, msg=None) -> None:
        """Assert that two numbers differ by at most `err`."""
        near = f1 == f2 or abs(float(f1) - float(f2)) <= err
        self._require(near, msg or f"{f1} and {f2} differ by more than {err}.")

    def assertArrayNear(self, farray1, farray2, err, msg=None) -> None:
        """Assert that two lists of numbers have the same length and differ by at most `err`."""
        self._same("lengths", len(farray1), len(farray2), msg)
        for first, second in zip(farray1, farray2, strict=True):
            self.assertNear(first, second, err, msg)

    def assertShapeEqual(self, input_a, input_b, msg=None) -> None:
        """Assert that two arrays have the same shape."""
        self._same("shapes", np.shape(_plain(input_a)), np.shape(_plain(input_b)), msg)

    def assertDTypeEqual(self, target, expected_dtype) -> None:
        """Assert that an array has a dtype."""
        self._same("dtypes", np.asarray(_plain(target)).dtype, np.dtype(expected_dtype))

    def assertLen(self, container, expected_len, msg=None) -> None:
        """Assert the number of elements."""
        self._same("lengths", len(container), expected_len, msg)

    def _require(self, holds, message: str) -> None:
        if not holds:
            raise self.failureException(message)

    def _same(self, what: str, a: Any, b: Any, msg=None) -> None:
        self._require(a == b, f"the {what} {a} and {b} differ{f': {msg}' if msg else '.'}")

    def _each(self, a: Any, b: Any, check: Callable[[Any, Any], None], msg) -> None:
        """Check the arrays of two structures, in pairs."""
        if isinstance(a, dict) or isinstance(b, dict):
            self._same("keys", set(a), set(b), msg)
            for key in a:
                self._each(a[key], b[key], check, msg)
        elif isinstance(a, list) and isinstance(b, list):
            self._same("lengths", len(a), len(b), msg)
            for first, second in zip(a, b, strict=True):
                self._each(first, second, check, msg)
        else:
            check(np.asarray(a), np.asarray(b))

    def _near(self, a: np.ndarray, b: np.ndarray, rtol: float, atol: float, msg) -> None:
        self._same("shapes", a.shape, b.shape, msg)
        x, y = (x.astype(np.float32) if str(x.dtype) in _HALF else x for x in (a, b))
        np.testing.assert_allclose(x, y, rtol=rtol, atol=atol, err_msg=msg or "")

    def _equal(self, a: np.ndarray, b: np.ndarray, msg) -> None:
        self._same("shapes", a.shape, b.shape, msg)
        x, y = (np.char.encode(x) if x.dtype.kind == "U" else x for x in (a, b))
        np.testing.assert_array_equal(x, y, err_msg=msg or "")

    def _all(self, a, holds: Callable[[np.ndarray], np.ndarray], told: str) -> None:
        array = np.asarray(_plain(a))
        self._require(np.all(holds(array)), f"not all elements are {told}: {array}")

    def _fails(self, check: Callable[[], None], told: str, msg) -> None:
        try:
            check()
        except AssertionError:
            return
        raise self.failureException(msg or f"The two values are {told}.")


def main(argv=None) -> None:
    """Run the tests of the calling program.

    https://www.tensorflow.org/api_docs/python/tf/test/main
    """
    unittest.main(module="__main__", argv=argv)


def is_gpu_available(cuda_only=False, min_cuda_compute_capability=None) -> bool:
    """Return whether JAX has a GPU.

    Args:
      cuda_only: ignored, because every GPU of JAX counts.
      min_cuda_compute_capability: a pair of numbers, the lowest compute capability that counts.

    Differs from TensorFlow:
      Only GPUs that JAX can use count.

    Under jit:
      A Python value.

    https://www.tensorflow.org/api_docs/python/tf/test/is_gpu_available
    """
    del cuda_only
    wanted = min_cuda_compute_capability
    return any(wanted is None or _capability(device) >= tuple(wanted) for device in _gpus())


def gpu_device_name() -> str:
    """Return the name of the first GPU, or an empty text if there is none.

    https://www.tensorflow.org/api_docs/python/tf/test/gpu_device_name
    """
    return "/device:GPU:0" if _gpus() else ""


def _gpus() -> list[jax.Device]:
    try:
        return jax.devices("gpu")
    except RuntimeError:  # JAX has no such backend
        return []


def _capability(device: jax.Device) -> tuple[int, ...]:
    return tuple(int(part) for part in str(getattr(device, "compute_capability", 0)).split("."))


def is_built_with_cuda() -> bool:
    """Return whether JAX's CUDA plugin is installed.

    https://www.tensorflow.org/api_docs/python/tf/test/is_built_with_cuda
    """
    return any(importlib.util.find_spec(f"jax_cuda{n}_plugin") is not None for n in (12, 13))


def is_built_with_rocm() -> bool:
    """Return whether JAX's ROCm plugin is installed.

    https://www.tensorflow.org/api_docs/python/tf/test/is_built_with_rocm
    """
    return any(importlib.util.find_spec(f"jax_rocm{n}_plugin") is not None for n in (6, 60, 7, 70))


def is_built_with_gpu_support() -> bool:
    """Return whether a GPU plugin of JAX is installed.

    https://www.tensorflow.org/api_docs/python/tf/test/is_built_with_gpu_support
    """
    return is_built_with_cuda() or is_built_with_rocm()


def is_built_with_xla() -> bool:
    """Return `True`: JAX computes with XLA.

    https://www.tensorflow.org/api_docs/python/tf/test/is_built_with_xla
    """
    return True
