"""The element-wise operators that take ragged operands are all of those that TensorFlow registers."""

import inspect
import operator

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.python.util import dispatch, tf_export

import shims
from tf2jax_port.table import ROWS, Native, Shim, composites

OFFERED = {
    name: row.name for row in ROWS if isinstance(row.target, (Native, Shim)) for name in row.names
}
# TensorFlow registers this function of two arrays as one of one array; here it is one of two.
BINARY = {"math.nextafter"}
# They compute with other operators, which take ragged operands.
COMPOSED = {"image.random_brightness", "image.stateless_random_brightness"}


def registered(functions):
    """The rows of functions of TensorFlow's registry."""
    found = set()
    for function in functions:
        for form in (function, inspect.unwrap(function)):
            found |= {OFFERED[name] for name in tf_export.get_v2_names(form) if name in OFFERED}
    return found


def test_no_row_is_missing():
    unary = registered(dispatch.unary_elementwise_apis()) - BINARY - COMPOSED
    binary = registered(dispatch.binary_elementwise_apis()) | BINARY
    assert len(unary) > 60
    assert len(binary) > 30
    assert unary - set(composites.RAGGED_UNARY) == set()
    assert binary - set(composites.RAGGED_BINARY) == set()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        *((f"math.bessel_{end}", ()) for end in ("i0", "i0e", "i1", "i1e")),
        *((f"math.special.{end}", ()) for end in ("dawsn", "expint", "fresnel_cos", "spence")),
        ("math.special.fresnel_sin", ()),
        ("bitwise.invert", ()),
        ("debugging.check_numerics", ("message",)),
        ("image.convert_image_dtype", ("float16",)),
        ("image.stateless_random_brightness", (0.1, (1, 2))),
        ("nn.sigmoid_cross_entropy_with_logits", "the other"),
    ],
)
def test_values(name, arguments):
    dtype = "int32" if name.startswith("bitwise") else "float32"

    def lists(module):
        x, y = (
            module.ragged.constant(rows, getattr(module, dtype))
            for rows in ([[0, 2], [], [3]], [[1, 3], [], [5]])
        )
        given = (y,) if arguments == "the other" else arguments
        return operator.attrgetter(name)(module)(x, *given)

    actual, expected = lists(shims), lists(tf)
    assert actual.dtype == expected.dtype.as_numpy_dtype
    np.testing.assert_array_equal(actual.row_splits, expected.row_splits)
    np.testing.assert_allclose(actual.flat_values, expected.flat_values, 1e-5)
