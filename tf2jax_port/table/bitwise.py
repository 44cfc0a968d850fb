"""Define the table rows of `tf.bitwise`."""

from __future__ import annotations

from tf2jax_port.table.families import binary, unary
from tf2jax_port.table.inputs import Draw, Values, empty, f32, i32
from tf2jax_port.table.row import Row, case

_CASES = (
    case("int32", x=i32([1, 3, -5, 127]), y=i32([0, 2, 7, -1])),
    case("uint8", x=Values((1, 200, 255), "uint8"), y=Values((0, 3, 129), "uint8")),
    case("broadcast", x=i32([[1], [6]]), y=i32([3, 4])),
    case("empty", x=empty(0, dtype="int32"), y=empty(0, dtype="int32")),
    case("float32", raises="InvalidArgumentError", x=f32([1]), y=f32([1])),
    case("dtypes", raises="InvalidArgumentError", x=i32([1]), y=Values((1,), "int8")),
)
_ALL_OUT = "differs: if the amount is too large, all bits are shifted out"
_SHIFTS = (
    case("int32", x=i32([1, 3, -5, 127]), y=i32([0, 2, 7, 31])),
    case("uint8", x=Values((1, 200, 255), "uint8"), y=Values((0, 3, 7), "uint8")),
    *_CASES[2:],
    case("int32-too-far", xla=_ALL_OUT, x=i32([1, 1, -8, -1, 5]), y=i32([31, 33, 100, -3, -1])),
    case(
        "int8-too-far",
        xla=_ALL_OUT,
        x=Draw((6,), "int8", -100, 100),
        y=Draw((6,), "int8", -4, 20),
    ),
    case(
        "uint8-too-far",
        xla=_ALL_OUT,
        x=Values((219, 255, 200, 4), "uint8"),
        y=Values((11, 129, 8, 1), "uint8"),
    ),
)
_BEYOND = "if the shift exceeds the width of the dtype, TensorFlow limits the shift, and JAX shifts all bits out"

ROWS: tuple[Row, ...] = (
    unary(
        "bitwise.invert",
        "jnp.invert({x})",
        inputs=(
            case("int32", x=i32([0, 1, -1, 127])),
            case("uint8", x=Values((0, 1, 255), "uint8")),
            case("empty", x=empty(0, dtype="int32")),
            case("float32", raises="InvalidArgumentError", x=f32([1])),
        ),
        takes="integer",
    ),
    binary("bitwise.bitwise_and", "jnp.bitwise_and({x}, {y})", inputs=_CASES, takes="integer"),
    binary("bitwise.bitwise_or", "jnp.bitwise_or({x}, {y})", inputs=_CASES, takes="integer"),
    binary("bitwise.bitwise_xor", "jnp.bitwise_xor({x}, {y})", inputs=_CASES, takes="integer"),
    binary(
        "bitwise.left_shift",
        "jnp.left_shift({x}, {y})",
        own="array.bits:left_shift",
        inputs=_SHIFTS,
        differs=_BEYOND,
        takes="integer",
    ),
    binary(
        "bitwise.right_shift",
        "jnp.right_shift({x}, {y})",
        own="array.bits:right_shift",
        inputs=_SHIFTS,
        differs=_BEYOND,
        takes="integer",
    ),
)
