"""Are two results the same? Shapes and dtypes exactly, NaN and infinities in place, values close."""

from __future__ import annotations

import jax
import numpy as np


def leaves(tree) -> list[np.ndarray]:
    return [np.asarray(leaf) for leaf in jax.tree.leaves(tree)]


def assert_close(got, want, tolerance: float, what: str = "outputs") -> None:
    """Raises with every difference; close means relative to the reference's largest magnitude."""
    found = leaves(got), leaves(want)
    problems = []
    if len(found[0]) != len(found[1]):
        problems.append(f"{len(found[0])} leaves, but should be {len(found[1])}")
    for i, (a, b) in enumerate(zip(*found, strict=False)):
        problem = difference(a, b, tolerance)
        if problem:
            problems.append(f"leaf {i}: {problem}")
    if problems:
        raise AssertionError(f"{what} differ\n  " + "\n  ".join(problems))


def difference(a: np.ndarray, b: np.ndarray, tolerance: float) -> str:
    """What differs between `a` and the reference `b`; empty where nothing does."""
    if a.shape != b.shape:
        return f"shape {a.shape}, but should be {b.shape}"
    if a.dtype != b.dtype:
        return f"dtype {a.dtype}, but should be {b.dtype}"
    if not np.issubdtype(a.dtype, np.inexact):
        return "" if np.array_equal(a, b) else f"{a.tolist()}, but should be {b.tolist()}"
    finite = np.isfinite(b)
    if not np.array_equal(np.isfinite(a), finite) or not np.array_equal(
        a[~finite], b[~finite], equal_nan=True
    ):
        return f"other NaN or infinities: {a.tolist()}, but should be {b.tolist()}"
    if not finite.any():
        return ""
    scale = max(1.0, float(np.abs(b[finite]).max()))
    error = float(np.abs(a[finite].astype(np.complex128) - b[finite]).max())
    if error <= tolerance * scale:
        return ""
    return f"off by {error:.3g} (tolerance {tolerance * scale:.3g}): {a.tolist()} != {b.tolist()}"


def assert_same_bits(got, want, what: str) -> None:
    """Raises unless every leaf of both trees has the same bytes."""
    for i, (a, b) in enumerate(zip(leaves(got), leaves(want), strict=True)):
        if a.dtype != b.dtype or a.shape != b.shape or a.tobytes() != b.tobytes():
            raise AssertionError(
                f"{what}: leaf {i} depends on what stands in the padding\n"
                f"  {a.tolist()}\n  {b.tolist()}"
            )
