"""Under somebody else's `jax.jit` the numbers are those of an eager call."""

import jax
import pytest

import shims
from tests.harness.compare import differences
from tf2jax_port.diff.parity import port_side

from . import cases, rows


def has_arrays(point) -> bool:
    return cases.succeeds(point) and bool(point.case.arrays())


def is_bounded(point) -> bool:
    """Whether the inputs alone bound all sizes; the others belong to `test_function`."""
    return has_arrays(point) and not point.case.unbounded


@pytest.mark.parametrize(
    "row", rows.parameters(lambda r: any(map(is_bounded, rows.points_of(r))), every=4)
)
def test_jit_is_eager(row):
    points = rows.points_of(row, is_bounded)
    functions = [port_side.of_arrays(p) for p in points]
    compiled = jax.jit(
        lambda all_arrays: [f(a) for f, a in zip(functions, all_arrays, strict=True)]
    )
    results = compiled([port_side.split(p)[0] for p in points])
    problems = {}
    for point, result in zip(points, results, strict=True):
        want = port_side.eager(point)
        problems[point.case.id] = differences(port_side.flat(result), want, 2 * row.tolerance)
    rows.report(problems)


@pytest.mark.parametrize("point", cases.points(lambda p: p.case.unbounded))
def test_a_size_without_a_bound_is_refused(point):
    arrays, _ = port_side.split(point)
    with pytest.raises(shims.CapacityError):
        jax.jit(port_side.of_arrays(point))(arrays)
