"""Compute histograms with the bucket limits that TensorBoard uses."""

from __future__ import annotations

import numpy as np

_LARGEST = np.finfo(np.float64).max


def _bucket_limits() -> np.ndarray:
    """Return the upper limits of TensorBoard's buckets, a geometric sequence on each side of 0."""
    positive, v = [], 1e-12
    while v < 1e20:
        positive.append(v)
        v *= 1.1
    positive.append(_LARGEST)
    return np.array([*(-x for x in reversed(positive)), 0.0, *positive])


def histogram_of(values: np.ndarray) -> dict:
    """Compute the fields of a `HistogramProto`.

    Args:
      values: finite numbers.
    """
    flat = values.astype(np.float64).ravel()
    limits = _bucket_limits()
    counts = np.bincount(np.searchsorted(limits, flat, side="right"), minlength=len(limits))
    ends, kept = _merge_empty_buckets(limits, counts)
    return {
        "min": np.min(flat) if flat.size else _LARGEST,
        "max": np.max(flat) if flat.size else -_LARGEST,
        "num": float(flat.size),
        # Summed sequentially, for the rounding of TensorFlow.
        "sum": np.cumsum(flat)[-1] if flat.size else 0.0,
        "sum_squares": np.cumsum(flat * flat)[-1] if flat.size else 0.0,
        "bucket_limit": ends,
        "bucket": kept,
    }


def _merge_empty_buckets(limits, counts) -> tuple[list[float], list[float]]:
    """Merge each run of neighboring empty buckets of a histogram into one bucket."""
    ends: list[float] = []
    kept: list[float] = []
    for limit, count in zip(limits.tolist(), counts.tolist(), strict=True):
        if kept and not count and not kept[-1]:
            ends[-1] = limit
        else:
            ends.append(limit)
            kept.append(float(count))
    return ends, kept
