"""Gradients are TensorFlow's, at ties, at zeros, and where none flows in."""

import pytest

from . import cases, ours, reference
from .compare import differences


def has_gradient(point) -> bool:
    return cases.succeeds(point) and bool(cases.floating(point))


@pytest.mark.parametrize(
    "point", cases.points(lambda p: has_gradient(p) and not p.row.no_gradient, first=1)
)
def test_gradient(point):
    outputs = [o for o in reference.eager(point).outputs if o.dtype.kind == "f"]
    if not outputs:
        assert not ours.floating_outputs(ours.eager(point))
        return
    got = ours.gradients(point, ours.of_arrays(point), reference.cotangents(outputs))
    want = reference.gradients(point)
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
        reference.gradients(point)
