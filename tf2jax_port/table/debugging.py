"""Rows of `tf.debugging`: statements about values, which give nothing; see tests/debugging."""

from __future__ import annotations

from tf2jax_port.table.families import shim
from tf2jax_port.table.inputs import INF, NAN, draw, f32, i32
from tf2jax_port.table.row import Case, Row, case_of

_TESTS = "tests/debugging"
_BOTH = "x, y, message=None, summarize=None, name=None"
_SIGN = "x, message=None, summarize=None, name=None"


def _stated(
    name: str,
    params: str,
    module: str = "debugging.assertions",
    *aliases: str,
    gives: str = "nothing",
) -> Row:
    return shim(f"debugging.{name}", params, module, aliases=aliases, tests=_TESTS, gives=gives)


def _shape(name: str, params: str, *aliases: str, gives: str = "nothing") -> Row:
    return _stated(name, params, "debugging.static_assertions", *aliases, gives=gives)


def _finite(name: str, parameter: str) -> Row:
    """An operator that hands on an array which must be finite."""

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
    _stated(
        "Assert", "condition, data, summarize=None, name=None", "debugging.assertions", "Assert"
    ),
    _stated("assert_equal", _BOTH, "debugging.assertions", "assert_equal"),
    _stated("assert_none_equal", "x, y, summarize=None, message=None, name=None"),
    _stated("assert_less", _BOTH, "debugging.assertions", "assert_less"),
    _stated("assert_less_equal", _BOTH),
    _stated("assert_greater", _BOTH, "debugging.assertions", "assert_greater"),
    _stated("assert_greater_equal", _BOTH),
    _stated("assert_near", "x, y, rtol=None, atol=None, message=None, summarize=None, name=None"),
    _stated("assert_positive", _SIGN),
    _stated("assert_negative", _SIGN),
    _stated("assert_non_negative", _SIGN),
    _stated("assert_non_positive", _SIGN),
    _shape("assert_rank", "x, rank, message=None, name=None", "assert_rank"),
    _shape("assert_rank_at_least", "x, rank, message=None, name=None"),
    _shape("assert_rank_in", "x, ranks, message=None, name=None"),
    _shape("assert_shapes", "shapes, data=None, summarize=None, message=None, name=None"),
    _shape("assert_type", "tensor, tf_type, message=None, name=None"),
    _shape("assert_integer", "x, message=None, name=None"),
    _shape("assert_scalar", "tensor, message=None, name=None"),
    _shape("assert_same_float_dtype", "tensors=None, dtype=None", gives="a dtype"),
    _shape("assert_proper_iterable", "values"),
    _shape("is_numeric_tensor", "tensor", gives="Python's True or False"),
    _finite("check_numerics", "tensor"),
    _finite("assert_all_finite", "x"),
)
