"""TensorFlow's `jit_compile=True` against TensorFlow eager: the state that each row records.

The expectation is strict: a row or a case that says `differs` or `unsupported` must show it.
"""

import pytest
import tensorflow as tf

from tests.harness import row_answers
from tests.harness.compare import difference, expected_dtype
from tf2jax_port.diff.parity import original_side
from tf2jax_port.diff.parity.original_side import run_together

from . import cases, rows

# What TensorFlow says of itself changes with TensorFlow, not with us.
pytestmark = pytest.mark.long


def compiled(row, points, *, gradients: bool):
    """The outputs of all cases under XLA, and gradients on request."""
    weights = [original_side.cotangents(row_answers.eager(p).outputs) for p in points]
    return run_together(row, points, jit_compile=True, weights=weights if gradients else ())


def compiles(point) -> bool:
    return cases.succeeds(point) and not point.case.xla


@pytest.mark.parametrize("row", rows.parameters())
def test_xla(row):
    points = rows.points_of(row, compiles)
    gradients = "gradient" in row.xla
    if row.xla.startswith("unsupported"):
        with pytest.raises((tf.errors.OpError, ValueError, TypeError)):
            compiled(row, points, gradients=gradients)
        return
    problems = compared(row, points, gradients=gradients)
    if row.xla.startswith("differs"):
        assert any(problems.values()), f"nothing differs, although: {row.xla}"
    else:
        rows.report(problems)


def compared(row, points, *, gradients: bool) -> dict[str, str]:
    """What differs in each case, `""` where nothing does."""
    results, slopes = compiled(row, points, gradients=gradients)
    problems = {}
    for i, (point, result) in enumerate(zip(points, results, strict=True)):
        want = row_answers.eager(point).outputs
        found = list(map(_difference, result, want, [row.tolerance] * len(want)))
        if gradients:
            for got, right in zip(slopes[i], row_answers.gradients(point), strict=True):
                found += map(_difference, got, right, [5 * row.tolerance] * len(right))
        problems[point.case.id] = "\n".join(filter(None, found))
    return problems


@pytest.mark.parametrize("point", cases.points(lambda p: p.case.xla.startswith("differs")))
def test_a_case_that_xla_answers_otherwise(point):
    problems = compared(point.row, [point], gradients="gradient" in point.case.xla)
    assert any(problems.values()), f"nothing differs, although: {point.case.xla}"


@pytest.mark.parametrize("point", cases.points(lambda p: p.case.xla.startswith("unsupported")))
def test_a_case_that_xla_refuses(point):
    with pytest.raises((tf.errors.OpError, ValueError, TypeError)):
        compiled(point.row, [point], gradients=False)


def _difference(got, want, tolerance) -> str:
    got = got.numpy()
    if got.dtype != want.dtype:
        return f"dtype {got.dtype}, eager {want.dtype}"
    narrow = expected_dtype(got.dtype)
    return difference(got.astype(narrow), want.astype(narrow), 2 * tolerance)
