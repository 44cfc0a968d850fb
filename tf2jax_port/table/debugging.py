"""Define the table rows of `tf.debugging`, most of which are assertions; see tests/debugging."""

from __future__ import annotations

from tf2jax_port.table.families import shim
from tf2jax_port.table.inputs import INF, NAN, draw, f32, i32
from tf2jax_port.table.row import Case, Row, case_of

_TESTS = "tests/debugging"
_BOTH = "x, y, message=None, summarize=None, name=None"
_SIGN = "x, message=None, summarize=None, name=None"


def _assertion(
    name: str,
    params: str,
    module: str = "debugging.assertions",
    *aliases: str,
    gives: str = "nothing",
) -> Row:
    """Build the table row of an assertion about values."""
    return shim(f"debugging.{name}", params, module, aliases=aliases, tests=_TESTS, gives=gives)


def _shape_assertion(name: str, params: str, *aliases: str, gives: str = "nothing") -> Row:
    """Build the table row of an assertion about static shapes."""
    return _assertion(name, params, "debugging.static_assertions", *aliases, gives=gives)


def _finite(name: str, parameter: str) -> Row:
    """Build the table row of an operator that returns its operand, which must be finite."""

    def one(id: str, array: object, raises: str = "") -> Case:
        return case_of(id, {parameter: array, "message": "m"}, raises=raises)

    return shim(
        f"debugging.{name}",
        f"{parameter}, message, name=None",
        "debugging.numerics",
        tensors=(parameter,),
        inputs=(
            one("normal", draw(3, 4)),
            one("edges", f32([0.0, -0.0, 3e38, 1e-45])),
            one("scalar", f32(0.5)),
            one("nan", f32([1, NAN]), "InvalidArgumentError"),
            one("inf", f32([1, -INF]), "InvalidArgumentError"),
            one("int32", i32([1]), "InvalidArgumentError|TypeError|ValueError"),
        ),
    )


ROWS: tuple[Row, ...] = (
    _assertion(
        "Assert", "condition, data, summarize=None, name=None", "debugging.assertions", "Assert"
    ),
    _assertion("assert_equal", _BOTH, "debugging.assertions", "assert_equal"),
    _assertion("assert_none_equal", "x, y, summarize=None, message=None, name=None"),
    _assertion("assert_less", _BOTH, "debugging.assertions", "assert_less"),
    _assertion("assert_less_equal", _BOTH),
    _assertion("assert_greater", _BOTH, "debugging.assertions", "assert_greater"),
    _assertion("assert_greater_equal", _BOTH),
    _assertion(
        "assert_near", "x, y, rtol=None, atol=None, message=None, summarize=None, name=None"
    ),
    _assertion("assert_positive", _SIGN),
    _assertion("assert_negative", _SIGN),
    _assertion("assert_non_negative", _SIGN),
    _assertion("assert_non_positive", _SIGN),
    _shape_assertion("assert_rank", "x, rank, message=None, name=None", "assert_rank"),
    _shape_assertion("assert_rank_at_least", "x, rank, message=None, name=None"),
    _shape_assertion("assert_rank_in", "x, ranks, message=None, name=None"),
    _shape_assertion("assert_shapes", "shapes, data=None, summarize=None, message=None, name=None"),
    _shape_assertion("assert_type", "tensor, tf_type, message=None, name=None"),
    _shape_assertion("assert_integer", "x, message=None, name=None"),
    _shape_assertion("assert_scalar", "tensor, message=None, name=None"),
    _shape_assertion("assert_same_float_dtype", "tensors=None, dtype=None", gives="a dtype"),
    _shape_assertion("assert_proper_iterable", "values"),
    _shape_assertion("is_numeric_tensor", "tensor", gives="Python's True or False"),
    _finite("check_numerics", "tensor"),
    _finite("assert_all_finite", "x"),
)
