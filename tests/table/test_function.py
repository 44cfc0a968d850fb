"""Inside `shims.function`, over sizes that are not known beforehand, operators answer as TensorFlow.

So do errors, which reach the caller from the call. One program runs all cases of a row.
"""

import warnings

import jax
import numpy as np
import pytest

import shims
from tests.harness import row_answers
from tests.harness.compare import differences
from tf2jax_port.diff.parity import port_side

from . import cases, rows
from .test_values import kind


def signature(arrays):
    """The arrays with every size unknown."""
    spec = lambda a: shims.TensorSpec([None] * np.ndim(a), np.asarray(a).dtype)
    return jax.tree.map(spec, arrays)


def outputs(points):
    """What one function gives for all of them."""
    functions = [port_side.of_arrays(p) for p in points]
    arrays = [port_side.split(p)[0] for p in points]

    def program(given):
        return [jax.tree.leaves(f(a)) for f, a in zip(functions, given, strict=True)]

    with warnings.catch_warnings():
        # Some operators need a size as a constant; that costs time, not numbers.
        warnings.simplefilter("ignore", shims.errors.SpecializationWarning)
        return shims.function(program, [signature(arrays)], autograph=False)(arrays)


@pytest.mark.parametrize(
    "row", rows.parameters(lambda r: any(map(cases.succeeds, rows.points_of(r))))
)
def test_function(row):
    points = rows.points_of(row)
    problems = {}
    for point, found in zip(points, outputs(points), strict=True):
        want = row_answers.eager(point).outputs
        different = differences(list(map(np.asarray, found)), want, 2 * row.tolerance)
        if point.case.differs.startswith("value"):
            different = "" if different else f"nothing differs, although: {point.case.differs}"
        problems[point.case.id] = different
    rows.report(problems)


@pytest.mark.parametrize("point", cases.points(lambda p: not cases.succeeds(p)))
def test_errors(point):
    with pytest.raises(Exception) as raised:  # noqa: PT011 - the row says which
        outputs([point])
    names = point.case.raises.split("|")
    assert all(isinstance(raised.value, kind(name)) for name in names), repr(raised.value)
