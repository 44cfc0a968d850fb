"""With `jax_enable_x64` the dtypes are exactly TensorFlow's, 64-bit ones too."""

import dataclasses

import jax
import pytest

from tests.harness import row_answers
from tests.harness.compare import differences
from tf2jax_port.diff.parity import port_side
from tf2jax_port.table.inputs import Draw, Values

from . import cases, rows

# TensorFlow's own faults; one that is mended there fails the run here.
_FAULTS = {("math.erf", "edges"): "the error function of an infinite float64 is NaN"}
_WIDE = {"float32": "float64", "int32": "int64"}


def widened(point):
    """The case with 64-bit arrays."""
    arguments = tuple((name, _wide(value)) for name, value in point.case.arguments)
    return cases.Point(point.row, dataclasses.replace(point.case, arguments=arguments))


def _wide(value):
    if isinstance(value, (Draw, Values)):
        return dataclasses.replace(value, dtype=_WIDE.get(value.dtype, value.dtype))
    return tuple(map(_wide, value)) if isinstance(value, tuple) else value


def _is_equal(point) -> bool:
    return not point.case.differs.startswith("value")


@pytest.mark.parametrize("row", rows.parameters())
def test_exact_dtypes(row):
    problems = {}
    with jax.enable_x64(True):
        for point in rows.points_of(row, _is_equal)[:2]:
            for kind, p in (("as written", point), ("64 bits", widened(point))):
                want = row_answers.eager(p)
                if want.error is None:  # some kernels exist for 32 bits only
                    found = differences(port_side.eager(p), want.outputs, row.tolerance)
                    if kind == "64 bits" and (row.name, p.case.id) in _FAULTS:
                        found = "" if found else "right in TensorFlow by now"
                    problems[f"{p.case.id}, {kind}"] = found
    assert problems
    rows.report(problems)
