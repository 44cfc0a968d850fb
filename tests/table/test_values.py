"""Values, shapes and dtypes are TensorFlow's; so are the errors."""

import builtins

import pytest

import shims
from tests.harness import row_answers
from tests.harness.compare import differences
from tf2jax_port.diff.parity import port_side

from . import cases


@pytest.mark.parametrize("point", cases.points(cases.succeeds))
def test_value_and_dtype(point):
    want = row_answers.eager(point)
    assert want.error is None, f"TensorFlow refuses: {want.error}"
    found = differences(port_side.eager(point), want.outputs, point.row.tolerance)
    if point.case.differs.startswith("value"):
        assert found, f"nothing differs, although: {point.case.differs}"
    else:
        assert not found, found


@pytest.mark.parametrize("point", cases.points(lambda p: bool(p.case.raises)))
def test_errors(point):
    error = row_answers.eager(point).error
    assert error is not None, "TensorFlow gives an answer"
    names = point.case.raises.split("|")
    assert set(names) & {c.__name__ for c in type(error).__mro__}, repr(error)
    with pytest.raises(Exception) as raised:  # noqa: PT011 - the row says which
        port_side.eager(point)
    assert all(isinstance(raised.value, kind(name)) for name in names), repr(raised.value)


def kind(name):
    """The class of an error, by name."""
    return getattr(shims.errors, name, None) or getattr(builtins, name)
