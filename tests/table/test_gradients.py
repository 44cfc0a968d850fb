"""Gradients are TensorFlow's, at ties, at zeros, and where none flows in."""

import pytest

from tests.harness import row_answers
from tests.harness.compare import differences
from tf2jax_port.diff.parity import original_side, port_side

from . import cases


def has_gradient(point) -> bool:
    return cases.succeeds(point) and bool(cases.floating(point))


@pytest.mark.parametrize(
    "point", cases.points(lambda p: has_gradient(p) and not p.row.no_gradient, first=1)
)
def test_gradient(point):
    outputs = [o for o in row_answers.eager(point).outputs if o.dtype.kind == "f"]
    if not outputs:
        assert not port_side.floating_outputs(port_side.eager(point))
        return
    got = port_side.gradients(point, port_side.of_arrays(point), original_side.cotangents(outputs))
    want = row_answers.gradients(point)
    found = [differences(a, b, 10 * point.row.tolerance) for a, b in zip(got, want, strict=True)]
    if point.case.differs.startswith("gradient"):
        assert any(found), f"nothing differs, although: {point.case.differs}"
    elif not point.case.differs:
        assert not any(found), "\n".join(found)


@pytest.mark.parametrize(
    "point", cases.points(lambda p: has_gradient(p) and bool(p.row.no_gradient))
)
def test_tensorflow_has_no_gradient(point):
    with pytest.raises(LookupError):
        row_answers.gradients(point)
