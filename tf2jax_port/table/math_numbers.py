"""Define the rows of `tf.math` for complex parts, division variants, permutations and shapes."""

from __future__ import annotations

from tf2jax_port.table import standard
from tf2jax_port.table.families import native, shim, unary
from tf2jax_port.table.inputs import INF, NAN, Values, bools, draw, empty, f32, i32
from tf2jax_port.table.row import Row, case, case_of

_COMPLEX = Values((1 + 2j, 0j, -1 - 1j, 2.5 + 0j), "complex64")
_SIGNS = case("signs", x=f32([7, -7, 7, -7]), y=f32([2, 2, -2, -2]))
_INT32 = case("int32", x=i32([7, -7, 7, -7]), y=i32([2, 2, -2, -2]))
_NONFINITE = case("nan-inf", x=f32([INF, 5, NAN, 1, 0, -0.0]), y=f32([2, INF, 1, 0, 0, 3]))
_EMPTY = case("empty", x=empty(0, 3), y=draw(1, 3))
_BROADCAST = case("broadcast", x=f32([[5], [-7]]), y=f32([2, 3]))


def _part(name: str, expression: str, param: str) -> Row:
    """Build the table row of a part of complex numbers, such as the imaginary part.

    The operator accepts real operands, too.
    """
    cases = (
        case_of("complex", {param: _COMPLEX}),
        case_of("real", {param: f32([1, -2, 0.0, -0.0, NAN, INF])}),
        case_of("empty", {param: empty(0, 2)}),
    )
    return unary(name, expression, param=param, inputs=cases, takes="number")


ROWS: tuple[Row, ...] = (
    shim(
        "complex",
        "real, imag, name=None",
        "elementwise.complex_parts",
        tensors=("real", "imag"),
        aliases=("dtypes.complex",),
        inputs=(
            case("normal", real=draw(3, 2), imag=draw(3, 2), gradient=()),
            case("broadcast", real=f32([1, 2]), imag=f32(1.0), gradient=()),
            case("nan-inf", real=f32([NAN, INF, 1]), imag=f32([1, -INF, NAN]), gradient=()),
            case("empty", real=empty(0), imag=empty(0), gradient=()),
            case("int32", raises="TypeError", real=i32([1]), imag=i32([2])),
        ),
        takes="float32 float64",
    ),
    _part("math.real", "jnp.real({input})", "input"),
    _part("math.conj", "jnp.conj({x})", "x"),
    shim(
        "math.imag",
        "input, name=None",
        "elementwise.complex_parts",
        tensors=("input",),
        inputs=(
            case("complex", input=_COMPLEX),
            case("real", input=f32([1, -2, NAN])),
            case("int32", input=i32([1, 2])),
            case("empty", input=empty(0, 2)),
        ),
    ),
    shim(
        "math.angle",
        "input, name=None",
        "elementwise.complex_parts",
        tensors=("input",),
        inputs=(
            case("complex", input=_COMPLEX),
            case("real", input=f32([1, -2, 0.0, -0.0, NAN, INF, -INF])),
            case("empty", input=empty(0, 2)),
        ),
        takes="inexact",
    ),
    shim(
        "truncatediv",
        "x, y, name=None",
        "elementwise.truncating",
        tensors=("x", "y"),
        inputs=(_SIGNS, _INT32, _NONFINITE, _EMPTY),
        takes="real",
    ),
    native(
        "truncatemod",
        "x, y, name=None",
        "jax.lax.rem({x}, {y})",
        own="elementwise.truncating:truncatemod",
        tensors=("x", "y"),
        inputs=(_SIGNS, _INT32, _NONFINITE, _EMPTY, _BROADCAST),
        no_gradient="TensorFlow has no gradient rule for this operator",
        note="TensorFlow's function broadcasts, and raises `InternalError` if an integer is divided by zero",
        takes="index float32 float64",
    ),
    native(
        "realdiv",
        "x, y, name=None",
        "jnp.divide({x}, {y})",
        own="elementwise.quotients:realdiv",
        tensors=("x", "y"),
        inputs=standard.of_two_floats(),
        takes="inexact",
    ),
    shim(
        "math.scalar_mul",
        "scalar, x, name=None",
        "math.weighted_sums",
        tensors=("scalar", "x"),
        aliases=("scalar_mul",),
        inputs=(
            case("array", scalar=f32(2.0), x=draw(3, 2)),
            case("number", scalar=-0.5, x=f32([1, NAN, INF, 0])),
            case("int32", scalar=3, x=i32([1, -2])),
            case("empty", scalar=2.0, x=empty(0, 2)),
            case("vector", raises="ValueError", scalar=f32([2, 1]), x=f32([1, 2])),
            case("int32-2.5", raises="TypeError", scalar=2.5, x=i32([1, 2])),
        ),
        takes="number",
    ),
    shim(
        "math.accumulate_n",
        "inputs, shape=None, tensor_dtype=None, name=None",
        "math.weighted_sums",
        inputs=(
            case("two", inputs=(draw(2, 3), draw(2, 3))),
            case("shape", inputs=(f32([1, NAN]), f32([3, 4])), shape=[2]),
            case("int32", inputs=(i32([1, 2]), i32([3, 4]), i32([5, 6]))),
            case("shapes", raises="ValueError", inputs=(draw(3), draw(2))),
            case("none", raises="ValueError", inputs=()),
        ),
        takes="number",
    ),
    shim(
        "math.polyval",
        "coeffs, x, name=None",
        "math.weighted_sums",
        inputs=(
            case("numbers", coeffs=[2.0, 0.0, -1.0], x=f32([0, 1, -2, NAN, INF])),
            case("constant", coeffs=[3.0], x=f32([1, 2])),
            case("nothing", coeffs=[], x=f32([1, 2])),
            case("int32", coeffs=[1, 2], x=i32([1, -2])),
            case("tuple", raises="ValueError", coeffs=(1.0, 2.0), x=f32([1])),
            case("int32-float32", raises="InvalidArgumentError", coeffs=[1, 2.0], x=i32([1])),
        ),
    ),
    shim(
        "math.invert_permutation",
        "x, name=None",
        "array.monotony",
        tensors=("x",),
        inputs=(
            case("four", x=i32([2, 0, 3, 1])),
            case("one", x=i32([0])),
            case("empty", x=empty(0, dtype="int32")),
            case("twice", raises="InvalidArgumentError", x=i32([0, 0, 1])),
            case("too-large", raises="InvalidArgumentError", x=i32([0, 3, 1])),
            case("negative", raises="InvalidArgumentError", x=i32([0, -1])),
            case("rank2", raises="InvalidArgumentError", x=i32([[0]])),
        ),
        takes="index",
    ),
    *(
        shim(
            f"math.{name}",
            "x, name=None",
            "array.monotony",
            tensors=("x",),
            inputs=(
                case("rises", x=f32([1, 2, 3])),
                case("ties", x=f32([1, 2, 2, 5])),
                case("falls", x=i32([1, 3, 2])),
                case("nan", x=f32([1, NAN, 2])),
                case("rows", x=f32([[1, 2], [3, 4]])),
                case("empty", x=empty(0)),
                case("scalar", x=f32(1.0)),
                case("bool", raises="TypeError", x=bools([0, 1])),
            ),
            takes="real",
        )
        for name in ("is_non_decreasing", "is_strictly_increasing")
    ),
    native(
        "math.nextafter",
        "x1, x2, name=None",
        "jnp.nextafter({x1}, {x2})",
        own="elementwise.elementwise:nextafter",
        tensors=("x1", "x2"),
        inputs=(
            case("steps", x1=f32([0, 1, 1, -0.0]), x2=f32([1, 0, 1, -1])),
            case("nan-inf", x1=f32([NAN, INF, 0, 1]), x2=f32([1, 0, NAN, INF])),
            case("empty", x1=empty(0), x2=empty(0)),
        ),
        takes="float32 float64",
    ),
    shim(
        "broadcast_dynamic_shape",
        "shape_x, shape_y",
        "array.shape_arithmetic",
        tensors=("shape_x", "shape_y"),
        inputs=(
            case("ones", shape_x=i32([1, 2]), shape_y=i32([3, 1]), pad=()),
            case("shorter", shape_x=i32([3]), shape_y=i32([2, 3]), pad=()),
            case("nothing", shape_x=i32([0]), shape_y=i32([1]), pad=()),
            case("scalar", shape_x=empty(0, dtype="int32"), shape_y=i32([2]), pad=()),
            case("differ", raises="InvalidArgumentError", shape_x=i32([2]), shape_y=i32([3])),
        ),
        takes="index",
    ),
    shim(
        "unravel_index",
        "indices, dims, name=None",
        "array.shape_arithmetic",
        tensors=("indices", "dims"),
        inputs=(
            case("vector", indices=i32([2, 5, 7]), dims=i32([3, 3]), pad=(("indices", 0),)),
            case("scalar", indices=i32(5), dims=i32([2, 2, 2]), pad=()),
            case("too-large", raises="InvalidArgumentError", indices=i32([9]), dims=i32([3, 3])),
            case("zero", raises="InvalidArgumentError", indices=i32([1]), dims=i32([0, 3])),
            case("rank2", raises="InvalidArgumentError", indices=i32([[1]]), dims=i32([3, 3])),
            case(
                "empty",
                raises="InvalidArgumentError",
                indices=empty(0, dtype="int32"),
                dims=i32([3, 3]),
            ),
        ),
        xla="unsupported: no kernel",
        takes="index",
    ),
    shim(
        "shape_n",
        "input, out_type=tf.int32, name=None",
        "array.shape_arithmetic",
        inputs=(
            case("two", input=(draw(2, 3), draw(4))),
            case("int64", input=(draw(2), f32([1])), out_type="int64"),
            case("empty", input=(empty(0, 2),)),
        ),
    ),
    shim(
        "identity_n",
        "input, name=None",
        "array.shape_arithmetic",
        inputs=(
            case("two", input=(draw(2, 3), i32([4]))),
            case("one", input=(f32([NAN, INF]),)),
            case("empty", input=(empty(0, 2),)),
            case("none", raises="InvalidArgumentError", input=()),
        ),
    ),
    shim(
        "required_space_to_batch_paddings",
        "input_shape, block_shape, base_paddings=None, name=None",
        "array.shape_arithmetic",
        inputs=(
            case("two", input_shape=i32([5, 7]), block_shape=i32([2, 3]), pad=()),
            case(
                "paddings",
                input_shape=i32([5, 7]),
                block_shape=i32([2, 3]),
                base_paddings=i32([[1, 0], [2, 1]]),
                pad=(),
            ),
            case("numbers", input_shape=[4], block_shape=[2]),
            case(
                "no-blocks",
                input_shape=empty(0, dtype="int32"),
                block_shape=empty(0, dtype="int32"),
                base_paddings=empty(0, dtype="int32"),
                pad=(),
            ),
            case("float32", raises="ValueError", input_shape=f32([5]), block_shape=i32([2])),
        ),
    ),
    shim(
        "bitcast",
        "input, type, name=None",
        "array.bits",
        tensors=("input",),
        inputs=(
            case("int32", input=f32([1, -1, NAN]), type="int32", gradient=()),
            case("narrower", input=f32([1, -1]), type="uint8", gradient=()),
            case("wider", input=Values(((0, 0, 128, 63), (0, 0, 0, 64)), "uint8"), type="float32"),
            case(
                "complex",
                xla="unsupported: complex numbers",
                input=f32([[1, 2]]),
                type="complex64",
                gradient=(),
            ),
            case("parts", xla="unsupported: complex numbers", input=_COMPLEX, type="float32"),
            case(
                "shape", raises="InvalidArgumentError", input=Values((1, 2), "uint8"), type="int32"
            ),
        ),
        takes="number",
    ),
)
