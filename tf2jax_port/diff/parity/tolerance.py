"""Decide whether two results are equal up to rounding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

_NARROW = {
    np.dtype("int64"): np.dtype("int32"),
    np.dtype("uint64"): np.dtype("uint32"),
    np.dtype("float64"): np.dtype("float32"),
    np.dtype("complex128"): np.dtype("complex64"),
}


def expected_dtype(dtype: np.dtype) -> np.dtype:
    """Return the dtype that JAX uses for a TensorFlow dtype: 64 bits only with `jax_enable_x64`."""
    return dtype if jax.config.jax_enable_x64 else _NARROW.get(dtype, dtype)


def difference(got: Any, want: Any, tolerance: float) -> str:
    """Describe the first difference between two arrays (shape, dtype, NaN, infinity, value); `""` if none."""
    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape:
        return f"shape {got.shape}, should be {want.shape}"
    if got.dtype != expected_dtype(want.dtype):
        return f"dtype {got.dtype}, should be {expected_dtype(want.dtype)}"
    if not np.issubdtype(got.dtype, np.number) or np.issubdtype(got.dtype, np.integer):
        return _first_difference(got != want, got, want, "value")
    wide = np.complex128 if np.iscomplexobj(got) else np.float64
    got, want = got.astype(wide), want.astype(wide)
    found = _first_difference(np.isnan(got) != np.isnan(want), got, want, "NaN")
    infinite = np.isinf(got) | np.isinf(want)
    unlike = infinite & _differ_at_infinity(got, want, tolerance) & ~np.isnan(want)
    found = found or _first_difference(unlike, got, want, "inf")
    finite = np.isfinite(got) & np.isfinite(want)
    far = np.zeros(got.shape, bool)
    far[finite] = np.abs(got[finite] - want[finite]) > tolerance * (1 + np.abs(want[finite]))
    return found or _first_difference(far, got, want, "value")


def _differ_at_infinity(got: np.ndarray, want: np.ndarray, tolerance: float) -> np.ndarray:
    """Return a mask of the infinite elements that differ; finite parts may differ by rounding."""
    if not np.iscomplexobj(got):
        return np.asarray(got != want)
    unlike = np.zeros(got.shape, bool)
    for a, b in ((got.real, want.real), (got.imag, want.imag)):
        with np.errstate(invalid="ignore"):
            near = np.isfinite(a) & (np.abs(a - b) <= tolerance * (1 + np.abs(b)))
        unlike |= (a != b) & ~near
    return unlike


def _first_difference(wrong: np.ndarray, got: np.ndarray, want: np.ndarray, what: str) -> str:
    if not np.any(wrong):
        return ""
    place = tuple(np.argwhere(wrong)[0])
    return (
        f"{what} at {tuple(map(int, place))}: {got[place]!r}, should be {want[place]!r} "
        f"({int(np.sum(wrong))} of {wrong.size} differ)"
    )


def differences(got: Sequence[Any], want: Sequence[Any], tolerance: float) -> str:
    """Describe the differences of two lists of arrays; `""` if they are equal."""
    if len(got) != len(want):
        return f"{len(got)} arrays, should be {len(want)}"
    lines = [difference(a, b, tolerance) for a, b in zip(got, want, strict=True)]
    return "\n".join(f"[{i}] {line}" for i, line in enumerate(lines) if line)
