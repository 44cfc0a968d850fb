"""Define the table rows of element-wise functions of `tf.math` and `tf`."""

from __future__ import annotations

from tf2jax_port.table import standard
from tf2jax_port.table.families import binary, native, shim, unary
from tf2jax_port.table.inputs import INF, NAN, bools, draw, empty, f32, i32
from tf2jax_port.table.row import Row, Shim, case

_NO_FLOW = "at a singularity with an incoming gradient of 0, TensorFlow's gradient is 0 and JAX's gradient is NaN"
_XLA_NO_FLOW = "differs: the gradient at a singularity is NaN even where the incoming gradient is 0"
_TIES = (
    "at a tie, TensorFlow assigns the whole gradient to the first operand, and JAX assigns half of the gradient to "
    "each operand"
)

_FLOATS = standard.of_two_floats()
_NUMBERS = standard.of_two_numbers()
_INTEGERS = standard.of_numbers("x")
_DIVIDED_BY_ZERO = case(
    "int32-by-zero", raises="InvalidArgumentError", x=i32([7, -7]), y=i32([0, 1])
)

ROWS: tuple[Row, ...] = (
    unary(
        "abs",
        "jnp.abs({x})",
        own="elementwise.elementwise:abs",
        inputs=_INTEGERS,
        differs="at 0, TensorFlow's gradient is 0 and JAX's gradient is 1",
        takes="number -unsigned",
    ),
    unary(
        "sign",
        "jnp.sign({x})",
        own="elementwise.elementwise:sign",
        inputs=_INTEGERS,
        takes="number -unsigned",
    ),
    unary("negative", "jnp.negative({x})", inputs=_INTEGERS, takes="number -unsigned"),
    unary("exp", "jnp.exp({x})", takes="inexact"),
    unary("math.log", "jnp.log({x})", takes="inexact"),
    unary("math.log1p", "jnp.log1p({x})", takes="inexact"),
    unary("math.expm1", "jnp.expm1({x})", takes="inexact"),
    unary(
        "sqrt",
        "jnp.sqrt({x})",
        own="elementwise.elementwise:sqrt",
        differs=_NO_FLOW,
        xla=_XLA_NO_FLOW,
        takes="inexact",
    ),
    unary(
        "math.rsqrt",
        "jax.lax.rsqrt({x})",
        own="elementwise.elementwise:rsqrt",
        differs=_NO_FLOW,
        xla=_XLA_NO_FLOW,
        takes="inexact",
    ),
    unary(
        "math.reciprocal",
        "jnp.reciprocal({x})",
        own="elementwise.elementwise:reciprocal",
        differs=_NO_FLOW,
        xla=_XLA_NO_FLOW,
        takes="inexact",
    ),
    unary("square", "jnp.square({x})", inputs=_INTEGERS, takes="number"),
    unary("sin", "jnp.sin({x})", takes="inexact"),
    unary("cos", "jnp.cos({x})", takes="inexact"),
    unary("tan", "jnp.tan({x})", tolerance=5e-6, takes="inexact"),
    unary("asin", "jnp.arcsin({x})", takes="inexact"),
    unary("acos", "jnp.arccos({x})", takes="inexact"),
    unary("atan", "jnp.arctan({x})", takes="inexact"),
    unary("sinh", "jnp.sinh({x})", tolerance=5e-6, takes="inexact"),
    unary("cosh", "jnp.cosh({x})", tolerance=5e-6, takes="inexact"),
    unary("tanh", "jnp.tanh({x})", aliases=("nn.tanh",), takes="inexact"),
    unary("asinh", "jnp.arcsinh({x})", takes="inexact"),
    unary("acosh", "jnp.arccosh({x})", own="elementwise.elementwise:acosh", takes="inexact"),
    unary("atanh", "jnp.arctanh({x})", takes="inexact"),
    unary("sigmoid", "jax.nn.sigmoid({x})", aliases=("nn.sigmoid",), takes="inexact"),
    unary("math.log_sigmoid", "jax.nn.log_sigmoid({x})", takes="floating"),
    unary(
        "math.softplus",
        "jax.nn.softplus({features})",
        param="features",
        aliases=("nn.softplus",),
        takes="floating",
    ),
    unary("math.erf", "jax.lax.erf({x})", takes="floating"),
    unary("math.erfc", "jax.lax.erfc({x})", takes="floating"),
    unary(
        "math.erfinv",
        "jax.lax.erf_inv({x})",
        own="elementwise.named_integrals:erfinv",
        takes="float32 float64",
    ),
    unary(
        "math.lgamma",
        "jax.lax.lgamma({x})",
        own="elementwise.special:lgamma",
        note="at 0, TensorFlow's gradient is NaN and JAX's gradient is -inf",
        takes="floating -bfloat16",
    ),
    unary(
        "math.digamma",
        "jax.lax.digamma({x})",
        own="elementwise.special:digamma",
        note=(
            "at 0, TensorFlow returns NaN and JAX returns -inf; below -5, TensorFlow's gradient loses digits"
        ),
        takes="floating -bfloat16",
    ),
    unary("floor", "jnp.floor({x})", takes="floating"),
    unary("math.ceil", "jnp.ceil({x})", takes="floating"),
    unary("round", "jnp.round({x})", takes="real"),
    unary("math.rint", "jnp.rint({x})", takes="float32 float64"),
    unary("math.is_nan", "jnp.isnan({x})", takes="floating"),
    unary("math.is_inf", "jnp.isinf({x})", takes="floating"),
    unary("math.is_finite", "jnp.isfinite({x})", takes="floating"),
    unary(
        "logical_not",
        "jnp.logical_not({x})",
        inputs=(
            case("all", x=bools([0, 1])),
            case("empty", x=empty(0, 2, dtype="bool")),
            case("scalar", x=bools(1)),
        ),
        takes="bool",
    ),
    native(
        "atan2",
        "y, x, name=None",
        "jnp.arctan2({y}, {x})",
        tensors=("y", "x"),
        aliases=("math.atan2",),
        inputs=standard.of_two_floats("y", "x"),
        takes="floating",
    ),
    binary("add", "jnp.add({x}, {y})", takes="number"),
    binary("subtract", "jnp.subtract({x}, {y})", takes="number"),
    binary("multiply", "jnp.multiply({x}, {y})", takes="number"),
    binary(
        "divide",
        "jnp.divide({x}, {y})",
        own="elementwise.quotients:divide",
        takes="number",
    ),
    binary(
        "truediv",
        "jnp.true_divide({x}, {y})",
        own="elementwise.quotients:truediv",
        takes="number",
    ),
    binary(
        "math.floordiv",
        "jnp.floor_divide({x}, {y})",
        own="elementwise.quotients:floordiv",
        more=(
            _DIVIDED_BY_ZERO,
            case("infinities", x=f32([INF, -5, 5]), y=f32([2, INF, -INF])),
            case("signs", x=f32([7, -7, 7, -7]), y=f32([2, 2, -2, -2])),
        ),
        differs="values at infinities differ; TensorFlow raises an error for an integer division by zero",
        takes="real",
    ),
    binary(
        "math.floormod",
        "jnp.mod({x}, {y})",
        own="elementwise.quotients:floormod",
        aliases=("math.mod",),
        more=(_DIVIDED_BY_ZERO, case("signs", x=f32([7, -7, 7, -7]), y=f32([2, 2, -2, -2]))),
        note="TensorFlow raises an error for an integer division by zero",
        takes="real",
    ),
    binary(
        "maximum",
        "jnp.maximum({x}, {y})",
        own="elementwise.elementwise:maximum",
        differs=_TIES,
        xla="differs: the result is not NaN if only the second operand is NaN",
        takes="real",
    ),
    binary(
        "minimum",
        "jnp.minimum({x}, {y})",
        own="elementwise.elementwise:minimum",
        differs=_TIES,
        xla="differs: the result is not NaN if only the second operand is NaN",
        takes="real",
    ),
    binary(
        "pow",
        "jnp.power({x}, {y})",
        own="elementwise.elementwise:pow",
        inputs=(
            *_FLOATS,
            case("int32", x=i32([7, -7, 5, 0]), y=i32([2, 3, 0, 0])),
            case("negative-base", x=f32([-2, -2, -0.5]), y=f32([2, 3, 0.5])),
            case("int32-negative", raises="InvalidArgumentError", x=i32([2, 3]), y=i32([1, -1])),
        ),
        differs=(
            "if the base is not positive, TensorFlow's gradient of the exponent is 0 and JAX's gradient is NaN; for "
            "an array of integer exponents, JAX uses only the lowest six bits (0 ** 64 is 1) and accepts negative "
            "exponents"
        ),
        takes="number -unsigned",
    ),
    binary(
        "math.squared_difference",
        "jnp.square(jnp.subtract({x}, {y}))",
        own="elementwise.elementwise:squared_difference",
        note="for complex numbers, TensorFlow squares the absolute value of the difference",
        inputs=(*_FLOATS, *_NUMBERS[-3:-2], *_NUMBERS[-1:]),
        takes="index inexact",
    ),
    binary(
        "math.divide_no_nan",
        Shim("shims.math.divide_no_nan"),
        own="elementwise.quotients:divide_no_nan",
        inputs=_FLOATS,
        takes="number",
    ),
    binary(
        "math.multiply_no_nan",
        Shim("shims.math.multiply_no_nan"),
        own="elementwise.quotients:multiply_no_nan",
        inputs=(*_FLOATS, case("nan-by-zero", x=f32([NAN, INF, 1]), y=f32([0, -0.0, 0]))),
        takes="inexact",
    ),
    binary(
        "math.xlogy",
        Shim("shims.math.xlogy"),
        own="elementwise.quotients:xlogy",
        inputs=(*_FLOATS, case("zero", x=f32([0, 0, 0, -0.0]), y=f32([0, 1, NAN, -1]))),
        takes="inexact",
    ),
    binary(
        "math.xlog1py",
        Shim("shims.math.xlog1py"),
        own="elementwise.quotients:xlog1py",
        inputs=(*_FLOATS, case("zero", x=f32([0, 0, 0, -0.0]), y=f32([0, -1, NAN, -2]))),
        takes="inexact",
    ),
    binary(
        "math.xdivy",
        Shim("shims.math.xdivy"),
        own="elementwise.quotients:xdivy",
        inputs=(*_FLOATS, case("zero", x=f32([0, 0, 0, -0.0]), y=f32([0, 1, NAN, -1]))),
        takes="inexact",
    ),
    shim(
        "math.reciprocal_no_nan",
        "x, name=None",
        "elementwise.quotients",
        tensors=("x",),
        inputs=standard.of_floats("x"),
        takes="inexact",
    ),
    binary("equal", "jnp.equal({x}, {y})"),
    binary("not_equal", "jnp.not_equal({x}, {y})"),
    binary("less", "jnp.less({x}, {y})", takes="real"),
    binary("less_equal", "jnp.less_equal({x}, {y})", takes="real"),
    binary("greater", "jnp.greater({x}, {y})", takes="real"),
    binary("greater_equal", "jnp.greater_equal({x}, {y})", takes="real"),
    binary(
        "logical_and", "jnp.logical_and({x}, {y})", inputs=standard.of_two_bools(), takes="bool"
    ),
    binary("logical_or", "jnp.logical_or({x}, {y})", inputs=standard.of_two_bools(), takes="bool"),
    binary(
        "math.logical_xor",
        "jnp.logical_xor({x}, {y})",
        params="x, y, name='LogicalXor'",
        inputs=standard.of_two_bools(),
        takes="bool",
    ),
    shim(
        "add_n",
        "inputs, name=None",
        "math.sums",
        aliases=("math.add_n",),
        inputs=(
            case("three", inputs=(draw(2, 3), draw(2, 3), draw(2, 3))),
            case("one", inputs=(draw(3),)),
            case("int32", inputs=(i32([1, 2]), i32([3, 4]))),
            case("nan-inf", inputs=(f32([NAN, INF]), f32([1, -INF]))),
            case("empty", inputs=(empty(0), empty(0))),
            case("shapes", raises="InvalidArgumentError", inputs=(draw(3), draw(2))),
        ),
        takes="number",
    ),
    native(
        "clip_by_value",
        "t, clip_value_min, clip_value_max, name=None",
        "jnp.clip({t}, {clip_value_min}, {clip_value_max})",
        own="linalg.clip",
        tensors=("t", "clip_value_min", "clip_value_max"),
        inputs=(
            case("normal", t=draw(3, 4), clip_value_min=-0.5, clip_value_max=1.0),
            case(
                "ties", t=f32([0, 1, 0.5, -1, 2]), clip_value_min=f32(0.0), clip_value_max=f32(1.0)
            ),
            case("crossed", t=f32([0, 1.5, 3]), clip_value_min=2.0, clip_value_max=1.0),
            case("nan-inf", t=f32([NAN, INF, -INF]), clip_value_min=-1.0, clip_value_max=1.0),
            case(
                "arrays",
                t=draw(2, 3),
                clip_value_min=draw(3, low=-1, high=0),
                clip_value_max=draw(2, 1),
            ),
            case("int32", t=i32([-3, 0, 9]), clip_value_min=-1, clip_value_max=5),
            case("empty", t=empty(0, 2), clip_value_min=0.0, clip_value_max=1.0),
        ),
        differs=(
            "where a value equals a limit, TensorFlow passes the whole gradient to `t`, and JAX passes half of the "
            "gradient; results also differ if the lower limit exceeds the upper limit"
        ),
        takes="t: real",
    ),
    shim(
        "clip_by_norm",
        "t, clip_norm, axes=None, name=None",
        "linalg.clip",
        tensors=("t",),
        inputs=(
            case("shorter", t=f32([0.3, 0.4]), clip_norm=1.0),
            case("longer", t=draw(3, 4), clip_norm=1.0),
            case("at-the-norm", t=f32([3, 4]), clip_norm=5.0),
            case("zero", t=f32([0, 0]), clip_norm=1.0),
            case("axes", t=draw(3, 4), clip_norm=1.0, axes=[1]),
            case("nan-inf", t=f32([[NAN, 1], [INF, 1]]), clip_norm=1.0, axes=[1]),
            case("empty", t=empty(0), clip_norm=1.0),
        ),
        takes="floating",
    ),
    shim(
        "clip_by_global_norm",
        "t_list, clip_norm, use_norm=None, name=None",
        "linalg.clip",
        inputs=(
            case("longer", t_list=(draw(3), draw(2, 2)), clip_norm=1.0),
            case("shorter", t_list=(f32([0.1]), f32([0.2])), clip_norm=5.0),
            case("given", t_list=(draw(3), draw(2)), clip_norm=1.0, use_norm=f32(4.0)),
            case("inf", t_list=(f32([INF, 1]), f32([2])), clip_norm=1.0),
            case("nan", t_list=(f32([NAN, 1]), f32([2])), clip_norm=1.0),
        ),
        takes="floating",
    ),
)
