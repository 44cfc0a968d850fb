"""Every row with arrays of every dtype has TensorFlow's values; which dtypes it takes is test_dtypes'."""

import warnings

import jax.numpy as jnp
import numpy as np
import pytest

from tests.harness.compare import differences
from tf2jax_port.diff.parity import original_side, port_side

from . import cases, rows, test_dtypes
from .test_dtypes import wide_types

__all__ = ["wide_types"]  # the fixture that turns 64-bit types on

ROUNDINGS = 8  # by how many a result may be off: operators of several steps round after each
_IMAGES = "TensorFlow computes it in float32, in an order of its own"
_CONSTANTS = "TensorFlow rounds its constant to float32"
AS_FLOAT32 = {
    "image.adjust_contrast": _IMAGES,
    "image.adjust_gamma": _IMAGES,
    "image.adjust_saturation": _IMAGES,
    "image.per_image_standardization": _IMAGES,
    "image.psnr": _IMAGES,
    "image.ssim": _IMAGES,
    "image.ssim_multiscale": _IMAGES,
    "image.stateless_random_contrast": _IMAGES,
    "image.stateless_random_saturation": _IMAGES,
    "nn.gelu": _CONSTANTS,
    "nn.leaky_relu": _CONSTANTS,
}


def numbers(arrays):
    """The arrays as NumPy has them, bfloat16 as float32, which NumPy can compare."""
    found = [np.asarray(a) for a in arrays]
    return [a.astype(np.float32) if a.dtype.name == "bfloat16" else a for a in found]


def answer(function, flat, point, given):
    """Its numbers, or `None` where it refuses the dtype."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what TensorFlow warns of itself
            return numbers(flat(cases.apply(function, point.row, given)))
    except Exception:  # noqa: BLE001 - which one is what test_dtypes is about
        return None


def tolerance(row, dtype: str) -> float:
    if not jnp.issubdtype(dtype, jnp.inexact):
        return row.tolerance
    single, given = jnp.finfo("float32"), jnp.finfo(dtype)
    of_row = row.tolerance / float(single.eps) if given.bits >= single.bits else 0.0
    rounding = single if row.name in AS_FLOAT32 and given.bits > single.bits else given
    return max(ROUNDINGS, of_row) * float(rounding.eps)


def as_jax(value):
    return list(map(jnp.asarray, value)) if isinstance(value, tuple) else jnp.asarray(value)


def problem(point, names, dtype) -> str:
    row, given = point.row, test_dtypes.arguments(point, names, dtype)
    want = answer(
        original_side.function_of(row), original_side.flat, point, original_side.tensors(given)
    )
    arrays = {n: as_jax(v) for n, v in given.items() if n in point.case.arrays()}
    found = answer(port_side.function_of(row), port_side.flat, point, {**given, **arrays})
    if want is None or found is None:
        return ""
    if row.name in test_dtypes.DIFFERENT:  # the dtype of its result may be another
        want = [w.astype(f.dtype) for w, f in zip(want, found, strict=True)]
    return differences(found, want, tolerance(row, dtype))


def is_compared(row) -> bool:
    return bool(test_dtypes.first_case(row)) and not row.name.startswith("random.")


@pytest.mark.parametrize("row", rows.parameters(is_compared))
def test_values(row):
    point = test_dtypes.first_case(row)
    rows.report(
        {
            f"{', '.join(names)} {dtype}": problem(point, names, dtype)
            for names in test_dtypes.groups(point).values()
            for dtype in test_dtypes.DTYPES
        }
    )


def test_what_is_compared_as_float32_is_there():
    assert AS_FLOAT32.keys() <= {row.name for row in cases.operators()}
