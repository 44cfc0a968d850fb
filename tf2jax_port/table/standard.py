"""Define the standard test cases of similar operators."""

from __future__ import annotations

from tf2jax_port.table.inputs import INF, NAN, Draw, bools, draw, draw_ints, empty, f32, i32
from tf2jax_port.table.row import Case, case, case_of

# Signed zeros, NaN, infinities, rounding ties, and values on both sides of 1.
EDGES = (0.0, -0.0, NAN, INF, -INF, 1.0, -1.0, 0.5, -0.5, 2.0, -2.5, 1.5, 2.5, 30.0, -30.0)


NUMBERS = tuple(e for e in EDGES if e == e)
# TensorFlow's error class varies by operator; the error of `shims` is an instance of all.
MIXED = "InvalidArgumentError|TypeError|ValueError"


def of_floats(param: str, edges: tuple[float, ...] = EDGES) -> tuple[Case, ...]:
    """Build the test cases of one floating-point array."""
    return (
        case_of("normal", {param: draw(3, 4)}),
        case_of("edges", {param: f32(edges)}),
        case_of("empty", {param: empty(0, 3)}),
        case_of("size1", {param: f32([0.7])}),
        case_of("scalar", {param: f32(0.3)}),
        case_of("list", {param: [0.25, 0.75]}),
    )


def of_numbers(param: str) -> tuple[Case, ...]:
    """Build the test cases of one array of floats or integers."""
    return (
        *of_floats(param),
        case_of("int32", {param: i32([0, 1, -3, 7])}),
        case_of("int8", {param: Draw((5,), "int8", -9, 9)}),
    )


def of_two_floats(x: str = "x", y: str = "y") -> tuple[Case, ...]:
    """Build the test cases of two floating-point arrays, with broadcasting."""
    nans = f32([NAN, 1, NAN, INF, -INF, INF, 0.0])
    return (
        case_of("normal", {x: draw(3, 4), y: draw(3, 4)}),
        case_of("broadcast", {x: draw(3, 1), y: draw(4)}),
        case_of("ties", {x: f32([1, 2, 0, -3]), y: f32([1, 1, -0.0, -3])}),
        case_of("zeros", {x: f32([0.0, -0.0, 1, 0]), y: f32([0.0, 0.0, 0.0, 2])}),
        case_of("nan-inf", {x: nans, y: f32([1, NAN, NAN, 2, INF, -INF, NAN])}),
        case_of("empty", {x: empty(0, 3), y: draw(1, 3)}),
        case_of("scalar", {x: f32(0.5), y: draw(3)}),
        case_of("number", {x: draw(3), y: 2.0}),
        case_of("float32-int32", {x: draw(3), y: i32([1, 2, 3])}, raises=MIXED),
        case_of("shapes", {x: draw(3), y: draw(2)}, raises="InvalidArgumentError"),
    )


def of_two_numbers(x: str = "x", y: str = "y") -> tuple[Case, ...]:
    """Build the test cases of two arrays of floats or integers, with broadcasting."""
    return (
        *of_two_floats(x, y),
        case_of("int32", {x: i32([7, -7, 5, 4]), y: i32([2, 2, -3, 4])}),
        case_of("int8", {x: Draw((5,), "int8", -100, 100), y: Draw((5,), "int8", 1, 5)}),
        case_of("int32-2.5", {x: i32([1, 2]), y: 2.5}, raises=MIXED),
    )


def of_two_bools(x: str = "x", y: str = "y") -> tuple[Case, ...]:
    """Build the test cases of two boolean arrays."""
    return (
        case_of("all", {x: bools([0, 0, 1, 1]), y: bools([0, 1, 0, 1])}),
        case_of("broadcast", {x: bools([[0], [1]]), y: bools([0, 1, 1])}),
        case_of("empty", {x: empty(0, dtype="bool"), y: empty(0, dtype="bool")}),
        case_of("scalar", {x: bools(1), y: bools([0, 1])}),
    )


def of_reduction() -> tuple[Case, ...]:
    """Build the test cases of reductions of a floating-point array over various axes."""
    ties = f32([[1, 3, 3], [3, 0, -0.0]])
    return (
        case("all", input_tensor=draw(3, 4)),
        case("axis0", input_tensor=draw(3, 4), axis=0),
        case("axis-1-keepdims", input_tensor=draw(3, 4), axis=-1, keepdims=True),
        case("axes", input_tensor=draw(2, 3, 4), axis=(0, 2)),
        case("axes-list-keepdims", input_tensor=draw(2, 3, 4), axis=[1, -1], keepdims=True),
        case("no-axes", input_tensor=draw(2, 3), axis=()),
        case("ties", input_tensor=ties, axis=1),
        case("one-zero", input_tensor=f32([2, 0, 3])),
        case("two-zeros", input_tensor=f32([2, 0, 0, 3])),
        case("nan", input_tensor=f32([[1, NAN, 3], [4, 5, 6]]), axis=1),
        case("inf", input_tensor=f32([[1, INF, 3], [4, -INF, 6]]), axis=1),
        case("all-minus-inf", input_tensor=f32([-INF, -INF])),
        case("nothing", input_tensor=empty(0, 3), axis=0),
        case("empty", input_tensor=empty(0, 3), axis=1),
        case("size1", input_tensor=f32([[5.0]]), axis=0),
        case("scalar", input_tensor=f32(2.5)),
        case("list", input_tensor=[1.0, 4.0]),
        case("axis-twice", raises="InvalidArgumentError", input_tensor=draw(2, 3), axis=[0, 0]),
        case("no-such-axis", raises="InvalidArgumentError", input_tensor=draw(2, 3), axis=2),
    )


def of_integer_reduction() -> tuple[Case, ...]:
    """Build the test cases of integer reductions, which keep the dtype and wrap on overflow."""
    return (
        case("int32", input_tensor=i32([1, 2, -4, -4])),
        case("int32-axis", input_tensor=draw_ints(3, 4, low=-9, high=9), axis=0),
        case("int32-nothing", input_tensor=empty(0, 2, dtype="int32"), axis=0),
        case("int8-wraps", input_tensor=Draw((4,), "int8", 90, 120)),
        case("uint8-wraps", input_tensor=Draw((4,), "uint8", 90, 200)),
        case("int16", input_tensor=Draw((4,), "int16", -300, 300)),
    )


def of_bool_reduction() -> tuple[Case, ...]:
    """Build the test cases of boolean reductions."""
    rows = bools([[0, 0, 0], [0, 1, 0], [1, 1, 1]])
    return (
        case("all", input_tensor=rows),
        case("axis1", input_tensor=rows, axis=1),
        case("axis0-keepdims", input_tensor=rows, axis=0, keepdims=True),
        case("nothing", input_tensor=empty(0, 3, dtype="bool"), axis=0),
        case("scalar", input_tensor=bools(1)),
    )
