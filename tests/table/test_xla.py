"""TensorFlow's `jit_compile=True` against TensorFlow eager: the state that each row records.

The expectation is strict: a row that says `differs` or `unsupported` must show it.
"""

import pytest
import tensorflow as tf

from . import cases, reference, rows
from .compare import difference


def compiled(row, points):
    """The outputs of all cases under XLA, one program per row."""
    function = reference.function_of(row)
    names = [p.case.arrays() for p in points]
    given = [reference.tensors(cases.arguments(p)) for p in points]

    @tf.function(jit_compile=True, autograph=False)
    def program(all_arrays):
        results = []
        for arrays, arguments in zip(all_arrays, given, strict=True):
            result = cases.apply(function, row, {**arguments, **arrays})
            results.append(reference.flat(result))
        return results

    return program([{n: g[n] for n in ns} for g, ns in zip(given, names, strict=True)])


@pytest.mark.parametrize("row", rows.parameters())
def test_xla(row):
    points = rows.points_of(row)
    if row.xla.startswith("unsupported"):
        with pytest.raises((tf.errors.OpError, ValueError, TypeError)):
            compiled(row, points)
        return
    results = compiled(row, points)
    problems = {}
    for point, result in zip(points, results, strict=True):
        want = reference.eager(point).outputs
        found = [
            _difference(a.numpy(), b, 2 * row.tolerance) for a, b in zip(result, want, strict=True)
        ]
        problems[point.case.id] = "\n".join(filter(None, found))
    if row.xla.startswith("differs"):
        assert any(problems.values()), f"nothing differs, although: {row.xla}"
    else:
        rows.report(problems)


def _difference(got, want, tolerance) -> str:
    if got.dtype != want.dtype:
        return f"dtype {got.dtype}, eager {want.dtype}"
    if got.dtype.itemsize == 8:
        kind = f"{got.dtype.kind}4"
        got, want = got.astype(kind), want.astype(kind)
    return difference(got, want, tolerance)
