"""What the rewriter writes gives TensorFlow's numbers, except where the row says what differs."""

import ast

import numpy as np
import pytest

from tests.harness import row_answers
from tests.harness.compare import differences
from tf2jax_port.diff.parity import original_side, port_side
from tf2jax_port.rewrite import rewrite
from tf2jax_port.table import Native

from . import cases, rows

# What a row says of a dtype that its cases do not have: another test shows it.
_OF_OTHER_DTYPES = {"cumsum": "tests/parity/measured_rows.py, cumsum-of-bfloat16"}
_DTYPES = ("dtype", "out_type", "output_type", "out_idx", "dtype_hint", "index_type")


def source(point) -> str:
    """A TensorFlow program that calls the operator with the case's arguments."""
    names = point.case.arrays()
    given = [
        f"{name}={name if name in names else _written(name, value)}"
        for name, value in point.case.arguments
    ]
    return (
        f"import tensorflow as tf\n\n\ndef f({', '.join(names)}):\n"
        f"    return tf.{point.row.name}({', '.join(given)})\n"
    )


def _written(name, value) -> str:
    if name in _DTYPES and isinstance(value, str):
        return f"tf.{value}"
    if isinstance(value, float) and not np.isfinite(value):
        return f"float({str(value)!r})"
    return repr(value)


def rewritten(point):
    """The program after the rewriter, as a function of the arrays; `None` where it is a shim."""
    outcome = rewrite(source(point).encode())
    text = outcome.data.decode()
    if "shims" in text or "tf." in text:
        return None
    ast.parse(text)
    scope: dict = {}
    exec(text, scope)
    return lambda arrays: scope["f"](**arrays)


@pytest.mark.parametrize("row", rows.parameters(lambda row: isinstance(row.target, Native)))
def test_native(row):
    found, ran = {}, 0
    differing = bool(row.differs or row.note)
    for point in rows.points_of(row, lambda p: differing or cases.succeeds(p)):
        function = rewritten(point)
        if function is not None:
            ran += 1
            found[point.case.id] = compared(point, function)
    assert ran, "the rewriter writes the expression in none of the cases"
    if row.name in _OF_OTHER_DTYPES:
        assert row.note
        assert not any(found.values())
    elif differing:
        assert any(found.values()), f"nothing differs, although: {row.differs or row.note}"
    else:
        rows.report(found)


def compared(point, function) -> str:
    """What sets the rewritten program apart from TensorFlow, in value or gradient."""
    arrays, _ = port_side.split(point)
    want = row_answers.eager(point).outputs
    try:
        got = [np.asarray(leaf) for leaf in port_side.flat(function(arrays))]
    except (ValueError, TypeError, IndexError, ZeroDivisionError) as error:
        return "" if point.case.raises else f"JAX refuses: {error}"
    if point.case.raises:
        return f"JAX gives an answer, TensorFlow raises {point.case.raises}"
    problem = differences(got, want, 2 * point.row.tolerance)
    outputs = [o for o in want if o.dtype.kind == "f"]
    if problem or not outputs or not cases.floating(point) or point.row.no_gradient:
        return problem
    slopes = port_side.gradients(point, function, original_side.cotangents(outputs))
    return "\n".join(
        filter(
            None,
            (
                differences(a, b, 10 * point.row.tolerance)
                for a, b in zip(slopes, row_answers.gradients(point), strict=True)
            ),
        )
    )
