"""Rows of `tf.nn` whose windows slide: convolutions and pooling."""

from __future__ import annotations

from typing import Any

from tf2jax_port.table.families import shim
from tf2jax_port.table.inputs import INF, NAN, Draw, Values, draw, empty, f32
from tf2jax_port.table.row import Case, Row, case

_EXPLICIT = [[0, 0], [1, 0], [0, 2], [0, 0]]
_IMAGE = draw(2, 5, 4, 3)
_LINE = draw(2, 5, 3)
_BLOCK = draw(1, 4, 3, 2, 2)


def _ints(*shape: int) -> Draw:
    return Draw(shape, "int32", -4, 5)


def _line(values: object) -> Values:
    """Elements of one channel, in one row."""
    assert isinstance(values, list)
    return f32([[[[v] for v in values]]])


_CONV2D = (
    case(
        "same",
        pad=(("input", 1),),
        input=_IMAGE,
        filters=draw(3, 3, 3, 2),
        strides=1,
        padding="SAME",
    ),
    case(
        "same-stride",
        pad=(("input", 0),),
        input=_IMAGE,
        filters=draw(3, 2, 3, 2),
        strides=[2, 3],
        padding="SAME",
    ),
    case(
        "valid",
        pad=(("input", 2),),
        input=_IMAGE,
        filters=draw(2, 3, 3, 2),
        strides=[1, 2, 1, 1],
        padding="VALID",
    ),
    case(
        "valid-stride",
        pad=(("input", 1),),
        input=_IMAGE,
        filters=draw(2, 2, 3, 2),
        strides=2,
        padding="VALID",
    ),
    case(
        "explicit",
        pad=(("input", 0),),
        input=_IMAGE,
        filters=draw(2, 2, 3, 1),
        strides=2,
        padding=_EXPLICIT,
    ),
    case(
        "dilated",
        pad=(("input", 0),),
        input=_IMAGE,
        filters=draw(2, 2, 3, 1),
        strides=1,
        padding="SAME",
        dilations=2,
    ),
    case(
        "groups",
        pad=(("input", 0),),
        input=draw(2, 3, 3, 4),
        filters=draw(2, 2, 2, 4),
        strides=1,
        padding="VALID",
    ),
    case(
        "pointwise-stride",
        pad=(("input", 0),),
        input=_IMAGE,
        filters=draw(1, 1, 3, 2),
        strides=2,
        padding="SAME",
    ),
    case(
        "rank5",
        pad=(("input", 0),),
        input=draw(2, 1, 3, 3, 1),
        filters=draw(2, 2, 1, 1),
        strides=1,
        padding="SAME",
    ),
    case(
        "int32",
        pad=(("input", 0),),
        input=_ints(1, 3, 3, 2),
        filters=_ints(2, 2, 2, 1),
        strides=1,
        padding="SAME",
    ),
    case(
        "nan-inf",
        pad=(("input", 0),),
        gradient=(),
        input=f32([[[[NAN], [1], [2]], [[3], [INF], [5]]]]),
        filters=f32([[[[1]]], [[[2]]]]),
        strides=1,
        padding="SAME",
    ),
    case(
        "empty",
        pad=(("input", 0),),
        input=empty(0, 3, 3, 1),
        filters=draw(2, 2, 1, 1),
        strides=1,
        padding="SAME",
    ),
    case(
        "too-short",
        raises="InvalidArgumentError",
        input=draw(1, 1, 3, 1),
        filters=draw(3, 2, 1, 1),
        strides=1,
        padding="VALID",
    ),
    case(
        "channels",
        raises="InvalidArgumentError",
        input=draw(1, 3, 3, 4),
        filters=draw(2, 2, 3, 1),
        strides=1,
        padding="SAME",
    ),
    case(
        "filters",
        raises="InvalidArgumentError",
        input=_IMAGE,
        filters=draw(2, 2, 3),
        strides=1,
        padding="SAME",
    ),
    case(
        "dtypes",
        raises="InvalidArgumentError",
        input=_IMAGE,
        filters=_ints(2, 2, 3, 1),
        strides=1,
        padding="SAME",
    ),
    case(
        "no-padding",
        raises="InvalidArgumentError",
        input=_IMAGE,
        filters=draw(2, 2, 3, 1),
        strides=1,
        padding="same",
    ),
    case(
        "no-format",
        raises="InvalidArgumentError",
        input=_IMAGE,
        filters=draw(2, 2, 3, 1),
        strides=1,
        padding="SAME",
        data_format="X",
    ),
    case(
        "stride0",
        raises="InvalidArgumentError",
        input=_IMAGE,
        filters=draw(2, 2, 3, 1),
        strides=0,
        padding="SAME",
    ),
    case(
        "strides3",
        raises="ValueError",
        input=_IMAGE,
        filters=draw(2, 2, 3, 1),
        strides=[1, 2, 3],
        padding="SAME",
    ),
    case(
        "batch-stride",
        raises="UnimplementedError",
        input=_IMAGE,
        filters=draw(2, 2, 3, 1),
        strides=[2, 1, 1, 1],
        padding="SAME",
    ),
    case(
        "uint8",
        raises="InvalidArgumentError",
        input=Draw((1, 2, 2, 1), "uint8", 0, 9),
        filters=Draw((1, 1, 1, 1), "uint8", 0, 9),
        strides=1,
        padding="SAME",
    ),
)


def _pooled(*more: Case) -> tuple[Case, ...]:
    """Cases of two-dimensional pooling."""
    windows: dict[str, Any] = {"ksize": 2, "strides": 2, "padding": "SAME"}
    return (
        case("same", pad=(("input", 1),), input=_IMAGE, ksize=3, strides=1, padding="SAME"),
        case("same-stride", input=_IMAGE, ksize=[3, 2], strides=2, padding="SAME"),
        case(
            "valid",
            pad=(("input", 2),),
            input=_IMAGE,
            ksize=[1, 2, 2, 1],
            strides=[1, 2, 1, 1],
            padding="VALID",
        ),
        case("valid-stride", input=_IMAGE, ksize=2, strides=2, padding="VALID"),
        case("gaps", input=_IMAGE, ksize=1, strides=[3, 2], padding="SAME"),
        case("long", input=draw(1, 1, 21, 1), ksize=[1, 13], strides=[1, 2], padding="SAME"),
        case("empty", input=empty(0, 3, 3, 1), **windows),
        case("nothing", input=empty(1, 0, 3, 1), **windows),
        case(
            "too-short",
            raises="InvalidArgumentError",
            input=draw(1, 1, 3, 1),
            ksize=3,
            strides=1,
            padding="VALID",
        ),
        case(
            "ksize0",
            raises="InvalidArgumentError",
            input=_IMAGE,
            ksize=0,
            strides=1,
            padding="SAME",
        ),
        case(
            "stride0",
            raises="InvalidArgumentError",
            input=_IMAGE,
            ksize=1,
            strides=0,
            padding="SAME",
        ),
        case(
            "ksize3", raises="ValueError", input=_IMAGE, ksize=[1, 2, 3], strides=1, padding="SAME"
        ),
        case(
            "no-padding",
            raises="InvalidArgumentError",
            input=_IMAGE,
            ksize=2,
            strides=1,
            padding="same",
        ),
        case(
            "batch",
            raises="UnimplementedError",
            input=_IMAGE,
            ksize=[2, 1, 1, 1],
            strides=1,
            padding="SAME",
        ),
        *more,
    )


_LARGEST = (
    case(
        "ties", input=f32([[[[1], [1], [0]], [[1], [2], [2]]]]), ksize=2, strides=1, padding="SAME"
    ),
    case("nan-first", input=_line([NAN, 1, 2, 3]), ksize=[1, 4], strides=1, padding="VALID"),
    case("nan", input=_line([1, NAN, 3, 2, NAN, NAN]), ksize=[1, 3], strides=1, padding="SAME"),
    case("inf", input=_line([INF, -INF, -INF, -INF]), ksize=[1, 2], strides=1, padding="SAME"),
    case("explicit", input=_IMAGE, ksize=3, strides=2, padding=_EXPLICIT),
    case("int32", input=_ints(1, 3, 3, 2), ksize=2, strides=2, padding="SAME"),
    case("uint8", input=Draw((1, 3, 3, 2), "uint8", 0, 250), ksize=2, strides=2, padding="SAME"),
    case(
        "channels",
        gradient=(),
        input=draw(2, 2, 2, 4),
        ksize=[1, 1, 1, 2],
        strides=[1, 1, 1, 2],
        padding="SAME",
    ),
    case(
        "pads",
        raises="InvalidArgumentError",
        input=_IMAGE,
        ksize=2,
        strides=1,
        padding=[[0, 0], [2, 0], [0, 0], [0, 0]],
    ),
)
_MEANS = (
    case("nan-inf", input=_line([NAN, 1, 2, INF, 3]), ksize=[1, 2], strides=1, padding="SAME"),
    case("explicit", raises="TypeError", input=_IMAGE, ksize=2, strides=2, padding=_EXPLICIT),
    case(
        "int32",
        raises="InvalidArgumentError",
        input=_ints(1, 3, 3, 2),
        ksize=2,
        strides=2,
        padding="SAME",
    ),
)


def _of_lines(*more: Case) -> tuple[Case, ...]:
    return (
        case("same", pad=(("input", 1),), input=_LINE, ksize=3, strides=2, padding="SAME"),
        case("valid", input=_LINE, ksize=2, strides=1, padding="VALID"),
        case(
            "channels-first",
            gradient=(),
            input=draw(2, 3, 5),
            ksize=2,
            strides=2,
            padding="SAME",
            data_format="NCW",
        ),
        *more,
    )


def _of_blocks(*more: Case) -> tuple[Case, ...]:
    return (
        case("same", pad=(("input", 1),), input=_BLOCK, ksize=2, strides=1, padding="SAME"),
        case("valid", input=_BLOCK, ksize=[2, 2, 1], strides=[2, 1, 1], padding="VALID"),
        case(
            "channels-first",
            gradient=(),
            input=draw(1, 2, 4, 3, 2),
            ksize=2,
            strides=2,
            padding="SAME",
            data_format="NCDHW",
        ),
        *more,
    )


def _of_any_rank(*more: Case) -> tuple[Case, ...]:
    return (
        case("lines", pad=(("input", 1),), input=_LINE, ksize=2, strides=1, padding="SAME"),
        case("images", input=_IMAGE, ksize=2, strides=2, padding="VALID"),
        case("blocks", gradient=(), input=_BLOCK, ksize=2, strides=1, padding="VALID"),
        case(
            "channels-first",
            gradient=(),
            input=draw(2, 3, 5),
            ksize=2,
            strides=2,
            padding="SAME",
            data_format="NCW",
        ),
        case("rank2", raises="ValueError", input=draw(4, 1), ksize=2, strides=2, padding="SAME"),
        *more,
    )


def _named(name: str, value: object) -> dict[str, Any]:
    """One argument by its name."""
    return {name: value}


def _dilated(x: str) -> tuple[Case, ...]:
    """Cases of dilations and erosions."""
    image = _named(x, _IMAGE)
    ones: dict[str, Any] = {"strides": [1] * 4, "data_format": "NHWC", "dilations": [1] * 4}
    same = {**ones, "padding": "SAME"}
    steps = {**ones, "padding": "VALID", "strides": [1, 2, 1, 1]}
    kernel = draw(2, 3, 3)
    return (
        case("same", pad=((x, 1),), filters=kernel, **image, **same),
        case("valid", pad=((x, 0),), filters=kernel, **image, **steps),
        case(
            "gaps",
            pad=((x, 0),),
            filters=draw(2, 2, 3),
            **image,
            **{**same, "dilations": [1, 2, 1, 1]},
        ),
        case("ties", filters=f32([[[0], [0], [0]]]), **_named(x, _line([1, 1, 1, 1])), **same),
        case("nan", filters=f32([[[0], [1], [0]]]), **_named(x, _line([NAN, NAN, NAN, 1])), **same),
        case(
            "int32", pad=((x, 0),), filters=_ints(2, 2, 1), **_named(x, _ints(1, 3, 3, 1)), **same
        ),
        case("channels", raises="InvalidArgumentError", filters=draw(2, 2, 2), **image, **same),
        case(
            "channels-first",
            raises="ValueError",
            filters=kernel,
            **image,
            **{**same, "data_format": "NCHW"},
        ),
        case("a-number", raises="TypeError", filters=kernel, **image, **{**same, "strides": 1}),
        case(
            "strides2",
            raises="InvalidArgumentError",
            filters=kernel,
            **image,
            **{**same, "strides": [1, 1]},
        ),
    )


_POOL = "input, ksize, strides, padding, data_format={}, name=None"
_TRANSPOSED = (
    "input, filters, output_shape, strides, padding='SAME', data_format={}, dilations=None, "
    "name=None"
)

ROWS: tuple[Row, ...] = (
    shim(
        "nn.conv2d",
        "input, filters, strides, padding, data_format='NHWC', dilations=None, name=None",
        "windows.convolution",
        renames=(("filter", "filters"),),
        tolerance=1e-5,
        inputs=_CONV2D,
    ),
    shim(
        "nn.conv1d",
        "input, filters, stride, padding, data_format='NWC', dilations=None, name=None",
        "windows.convolution",
        renames=(("value", "input"),),
        tolerance=1e-5,
        inputs=(
            case(
                "same",
                pad=(("input", 1),),
                input=_LINE,
                filters=draw(2, 3, 2),
                stride=2,
                padding="SAME",
            ),
            case(
                "valid",
                pad=(("input", 0),),
                input=_LINE,
                filters=draw(3, 3, 2),
                stride=[1],
                padding="VALID",
            ),
            case(
                "dilated",
                pad=(("input", 0),),
                input=_LINE,
                filters=draw(2, 3, 2),
                stride=1,
                padding="VALID",
                dilations=2,
            ),
            case(
                "rank4",
                pad=(("input", 0),),
                input=draw(2, 1, 5, 3),
                filters=draw(2, 3, 2),
                stride=1,
                padding="SAME",
            ),
            case(
                "explicit",
                raises="TypeError",
                input=_LINE,
                filters=draw(2, 3, 2),
                stride=1,
                padding=[[0, 0], [1, 1], [0, 0]],
            ),
            case(
                "strides2",
                raises="ValueError",
                input=_LINE,
                filters=draw(2, 3, 2),
                stride=[1, 2],
                padding="SAME",
            ),
        ),
    ),
    shim(
        "nn.conv3d",
        "input, filters, strides, padding, data_format='NDHWC', dilations=None, name=None",
        "windows.convolution",
        renames=(("filter", "filters"),),
        tolerance=1e-5,
        inputs=(
            case(
                "same",
                pad=(("input", 1),),
                input=_BLOCK,
                filters=draw(2, 2, 1, 2, 2),
                strides=[1, 1, 1, 1, 1],
                padding="SAME",
            ),
            case(
                "valid",
                pad=(("input", 0),),
                input=_BLOCK,
                filters=draw(2, 2, 2, 2, 1),
                strides=[1, 2, 1, 1, 1],
                padding="VALID",
            ),
            case(
                "dilated",
                pad=(("input", 0),),
                input=_BLOCK,
                filters=draw(2, 2, 1, 2, 1),
                strides=[1] * 5,
                padding="VALID",
                dilations=[1, 2, 1, 1, 1],
                gradient=(),
            ),
            case(
                "groups",
                raises="InvalidArgumentError",
                input=draw(1, 2, 2, 2, 4),
                filters=draw(1, 1, 1, 2, 4),
                strides=[1] * 5,
                padding="SAME",
            ),
            case(
                "a-number",
                raises="TypeError",
                input=_BLOCK,
                filters=draw(2, 2, 1, 2, 1),
                strides=1,
                padding="SAME",
            ),
            case(
                "int32",
                raises="InvalidArgumentError",
                input=_ints(1, 2, 2, 2, 1),
                filters=_ints(1, 1, 1, 1, 1),
                strides=[1] * 5,
                padding="SAME",
            ),
        ),
    ),
    shim(
        "nn.convolution",
        "input, filters, strides=None, padding='VALID', data_format=None, dilations=None, name=None",
        "windows.convolution",
        renames=(("filter", "filters"), ("dilation_rate", "dilations")),
        tolerance=1e-5,
        inputs=(
            case("line", pad=(("input", 1),), input=_LINE, filters=draw(2, 3, 2)),
            case(
                "image",
                pad=(("input", 0),),
                input=_IMAGE,
                filters=draw(2, 2, 3, 1),
                strides=2,
                padding="SAME",
            ),
            case(
                "dilated", pad=(("input", 0),), input=_IMAGE, filters=draw(2, 2, 3, 1), dilations=2
            ),
            case(
                "block",
                pad=(("input", 0),),
                input=_BLOCK,
                filters=draw(2, 1, 1, 2, 1),
                padding="SAME",
                data_format="NDHWC",
            ),
            case(
                "both",
                raises="ValueError",
                input=_IMAGE,
                filters=draw(2, 2, 3, 1),
                strides=2,
                dilations=2,
            ),
            case(
                "explicit",
                raises="TypeError",
                input=_IMAGE,
                filters=draw(2, 2, 3, 1),
                padding=_EXPLICIT,
            ),
            case("rank2", raises="ValueError", input=_IMAGE, filters=draw(2, 2)),
        ),
    ),
    shim(
        "nn.atrous_conv2d",
        "value, filters, rate, padding, name=None",
        "windows.convolution",
        tolerance=1e-5,
        inputs=(
            case(
                "same",
                pad=(("value", 1),),
                value=_IMAGE,
                filters=draw(2, 2, 3, 2),
                rate=2,
                padding="SAME",
            ),
            case(
                "valid",
                pad=(("value", 0),),
                value=_IMAGE,
                filters=draw(2, 2, 3, 2),
                rate=3,
                padding="VALID",
            ),
            case(
                "rate1",
                pad=(("value", 0),),
                value=_IMAGE,
                filters=draw(2, 2, 3, 2),
                rate=1,
                padding="VALID",
            ),
            case(
                "rate0",
                raises="ValueError",
                value=_IMAGE,
                filters=draw(2, 2, 3, 2),
                rate=0,
                padding="VALID",
            ),
        ),
    ),
    shim(
        "nn.conv2d_transpose",
        _TRANSPOSED.format("'NHWC'"),
        "windows.transposed",
        renames=(("value", "input"), ("filter", "filters")),
        tolerance=1e-5,
        inputs=(
            case(
                "same",
                pad=(("input", 0),),
                input=draw(2, 3, 2, 3),
                filters=draw(3, 3, 2, 3),
                output_shape=[2, 6, 4, 2],
                strides=2,
            ),
            case(
                "odd",
                pad=(("input", 0),),
                input=draw(2, 3, 2, 3),
                filters=draw(3, 3, 2, 3),
                output_shape=[2, 5, 3, 2],
                strides=2,
            ),
            case(
                "valid",
                pad=(("input", 0),),
                input=draw(2, 3, 2, 3),
                filters=draw(2, 3, 2, 3),
                output_shape=[2, 7, 5, 2],
                strides=[2, 2],
                padding="VALID",
            ),
            case(
                "explicit",
                pad=(("input", 0),),
                input=draw(1, 2, 2, 1),
                filters=draw(3, 3, 1, 1),
                output_shape=[1, 3, 3, 1],
                strides=2,
                padding=[[0, 0], [1, 1], [1, 1], [0, 0]],
            ),
            case(
                "dilated",
                pad=(("input", 0),),
                input=draw(1, 3, 3, 1),
                filters=draw(2, 2, 1, 1),
                output_shape=[1, 3, 3, 1],
                strides=1,
                dilations=2,
            ),
            case(
                "int32",
                pad=(("input", 0),),
                input=_ints(1, 2, 2, 1),
                filters=_ints(3, 3, 1, 1),
                output_shape=[1, 4, 4, 1],
                strides=2,
            ),
            case(
                "dtypes",
                raises="InvalidArgumentError",
                input=draw(1, 2, 2, 1),
                filters=_ints(3, 3, 1, 1),
                output_shape=[1, 4, 4, 1],
                strides=2,
            ),
        ),
    ),
    shim(
        "nn.conv1d_transpose",
        _TRANSPOSED.format("'NWC'"),
        "windows.transposed",
        tolerance=1e-5,
        inputs=(
            case(
                "same",
                pad=(("input", 0),),
                input=draw(2, 3, 2),
                filters=draw(3, 1, 2),
                output_shape=[2, 6, 1],
                strides=2,
            ),
            case(
                "valid",
                pad=(("input", 0),),
                input=draw(2, 3, 2),
                filters=draw(3, 1, 2),
                output_shape=[2, 7, 1],
                strides=2,
                padding="VALID",
            ),
            case(
                "channels-first",
                pad=(("input", 0),),
                input=draw(2, 2, 3),
                filters=draw(3, 1, 2),
                output_shape=[2, 1, 6],
                strides=2,
                data_format="NCW",
            ),
        ),
    ),
    shim(
        "nn.conv3d_transpose",
        _TRANSPOSED.format("'NDHWC'"),
        "windows.transposed",
        renames=(("value", "input"), ("filter", "filters")),
        tolerance=1e-5,
        inputs=(
            case(
                "same",
                pad=(("input", 0),),
                input=draw(2, 2, 2, 2, 1),
                filters=draw(3, 2, 1, 2, 1),
                output_shape=[2, 4, 4, 2, 2],
                strides=[1, 2, 2, 1, 1],
            ),
            case(
                "one-stride",
                pad=(("input", 0),),
                input=draw(1, 2, 2, 1, 1),
                filters=draw(3, 3, 1, 1, 1),
                output_shape=[1, 4, 4, 2, 1],
                strides=2,
            ),
            case(
                "valid",
                pad=(("input", 0),),
                input=draw(1, 2, 2, 1, 1),
                filters=draw(2, 2, 1, 1, 1),
                output_shape=[1, 3, 3, 1, 1],
                strides=1,
                padding="VALID",
            ),
        ),
    ),
    shim(
        "nn.conv_transpose",
        _TRANSPOSED.format("None"),
        "windows.transposed",
        tolerance=1e-5,
        inputs=(
            case(
                "image",
                pad=(("input", 0),),
                input=draw(2, 3, 2, 3),
                filters=draw(3, 3, 2, 3),
                output_shape=[2, 6, 4, 2],
                strides=2,
            ),
            case(
                "line",
                pad=(("input", 0),),
                input=draw(2, 3, 2),
                filters=draw(3, 1, 2),
                output_shape=[2, 6, 1],
                strides=2,
            ),
            case(
                "a-number",
                raises="ValueError",
                input=draw(2, 3, 2),
                filters=draw(3, 1, 2),
                output_shape=6,
                strides=2,
            ),
        ),
    ),
    shim(
        "nn.atrous_conv2d_transpose",
        "value, filters, output_shape, rate, padding, name=None",
        "windows.transposed",
        tolerance=1e-5,
        inputs=(
            case(
                "valid",
                pad=(("value", 0),),
                value=draw(2, 2, 3, 1),
                filters=draw(3, 3, 2, 1),
                output_shape=[2, 6, 7, 2],
                rate=2,
                padding="VALID",
            ),
            case(
                "same",
                pad=(("value", 0),),
                value=draw(2, 2, 3, 1),
                filters=draw(3, 3, 2, 1),
                output_shape=[2, 2, 3, 2],
                rate=2,
                padding="SAME",
            ),
            case(
                "rate1",
                pad=(("value", 0),),
                value=draw(1, 2, 2, 1),
                filters=draw(3, 3, 1, 1),
                output_shape=[1, 2, 2, 1],
                rate=1,
                padding="SAME",
            ),
        ),
    ),
    shim(
        "nn.depthwise_conv2d",
        "input, filter, strides, padding, data_format=None, dilations=None, name=None",
        "windows.depthwise",
        renames=(("rate", "dilations"),),
        tolerance=1e-5,
        inputs=(
            case(
                "same",
                pad=(("input", 1),),
                input=draw(2, 4, 3, 2),
                filter=draw(3, 2, 2, 2),
                strides=[1, 1, 1, 1],
                padding="SAME",
            ),
            case(
                "stride",
                pad=(("input", 0),),
                input=draw(2, 5, 4, 2),
                filter=draw(2, 2, 2, 1),
                strides=[1, 2, 2, 1],
                padding="VALID",
            ),
            case(
                "explicit",
                pad=(("input", 0),),
                input=draw(2, 3, 4, 2),
                filter=draw(2, 2, 2, 1),
                strides=[1, 1, 1, 1],
                padding=_EXPLICIT,
            ),
            case(
                "dilated",
                pad=(("input", 0),),
                input=draw(2, 4, 4, 2),
                filter=draw(2, 2, 2, 2),
                strides=[1, 1, 1, 1],
                padding="VALID",
                dilations=[2, 1],
            ),
            case(
                "empty",
                pad=(("input", 0),),
                input=empty(0, 3, 3, 2),
                filter=draw(2, 2, 2, 1),
                strides=[1, 1, 1, 1],
                padding="SAME",
            ),
            case(
                "a-number",
                raises="TypeError",
                input=draw(2, 4, 3, 2),
                filter=draw(3, 2, 2, 2),
                strides=1,
                padding="SAME",
            ),
            case(
                "strides2",
                raises="InvalidArgumentError",
                input=draw(2, 4, 3, 2),
                filter=draw(3, 2, 2, 2),
                strides=[1, 1],
                padding="SAME",
            ),
            case(
                "int32",
                raises="InvalidArgumentError",
                input=_ints(1, 3, 3, 2),
                filter=_ints(2, 2, 2, 1),
                strides=[1, 1, 1, 1],
                padding="SAME",
            ),
        ),
    ),
    shim(
        "nn.depthwise_conv2d_backprop_input",
        "input_sizes, filter, out_backprop, strides, padding, data_format='NHWC', "
        "dilations=[1, 1, 1, 1], name=None",
        "windows.depthwise",
        tolerance=1e-5,
        inputs=(
            case(
                "same",
                pad=(("out_backprop", 0),),
                input_sizes=[2, 4, 3, 2],
                filter=draw(3, 2, 2, 2),
                out_backprop=draw(2, 4, 3, 4),
                strides=[1, 1, 1, 1],
                padding="SAME",
            ),
            case(
                "stride",
                pad=(("out_backprop", 0),),
                input_sizes=[1, 5, 4, 2],
                filter=draw(2, 2, 2, 1),
                out_backprop=draw(1, 2, 2, 2),
                strides=[1, 2, 2, 1],
                padding="VALID",
            ),
            case(
                "one",
                pad=(("out_backprop", 0),),
                input_sizes=[1, 3, 3, 1],
                filter=draw(1, 1, 1, 1),
                out_backprop=draw(1, 3, 3, 1),
                strides=[1, 1, 1, 1],
                padding="VALID",
            ),
        ),
    ),
    shim(
        "nn.depthwise_conv2d_backprop_filter",
        "input, filter_sizes, out_backprop, strides, padding, data_format='NHWC', "
        "dilations=[1, 1, 1, 1], name=None",
        "windows.depthwise",
        tolerance=1e-5,
        inputs=(
            case(
                "same",
                pad=(("input", 0),),
                input=draw(2, 4, 3, 2),
                filter_sizes=[3, 2, 2, 2],
                out_backprop=draw(2, 4, 3, 4),
                strides=[1, 1, 1, 1],
                padding="SAME",
            ),
            case(
                "stride",
                pad=(("input", 0),),
                input=draw(1, 5, 4, 2),
                filter_sizes=[2, 2, 2, 1],
                out_backprop=draw(1, 2, 2, 2),
                strides=[1, 2, 2, 1],
                padding="VALID",
            ),
            case(
                "one",
                pad=(("input", 0),),
                input=draw(1, 3, 3, 1),
                filter_sizes=[1, 1, 1, 1],
                out_backprop=draw(1, 3, 3, 1),
                strides=[1, 1, 1, 1],
                padding="VALID",
            ),
        ),
    ),
    shim(
        "nn.separable_conv2d",
        "input, depthwise_filter, pointwise_filter, strides, padding, data_format=None, "
        "dilations=None, name=None",
        "windows.depthwise",
        renames=(("rate", "dilations"),),
        tolerance=1e-5,
        inputs=(
            case(
                "same",
                pad=(("input", 1),),
                input=draw(2, 4, 3, 2),
                depthwise_filter=draw(3, 2, 2, 2),
                pointwise_filter=draw(1, 1, 4, 3),
                strides=[1, 1, 1, 1],
                padding="SAME",
            ),
            case(
                "stride",
                pad=(("input", 0),),
                input=draw(1, 5, 4, 2),
                depthwise_filter=draw(2, 2, 2, 1),
                pointwise_filter=draw(1, 1, 2, 1),
                strides=[1, 2, 2, 1],
                padding="VALID",
            ),
            case(
                "dilated",
                pad=(("input", 0),),
                input=draw(1, 4, 4, 2),
                depthwise_filter=draw(2, 2, 2, 1),
                pointwise_filter=draw(1, 1, 2, 1),
                strides=[1, 1, 1, 1],
                padding="VALID",
                dilations=[2, 2],
            ),
            case(
                "large",
                raises="ValueError",
                input=draw(1, 5, 4, 2),
                depthwise_filter=draw(2, 2, 2, 1),
                pointwise_filter=draw(1, 2, 2, 1),
                strides=[1, 1, 1, 1],
                padding="VALID",
            ),
            case(
                "channels",
                raises="InvalidArgumentError",
                input=draw(1, 5, 4, 2),
                depthwise_filter=draw(2, 2, 2, 2),
                pointwise_filter=draw(1, 1, 3, 1),
                strides=[1, 1, 1, 1],
                padding="VALID",
            ),
        ),
    ),
    shim(
        "nn.max_pool2d",
        _POOL.format("'NHWC'"),
        "windows.pooling",
        inputs=_pooled(*_LARGEST),
    ),
    shim(
        "nn.max_pool",
        _POOL.format("None"),
        "windows.pooling",
        renames=(("value", "input"),),
        inputs=_of_any_rank(
            case("explicit", input=_IMAGE, ksize=3, strides=2, padding=_EXPLICIT),
        ),
    ),
    shim(
        "nn.max_pool1d",
        _POOL.format("'NWC'"),
        "windows.pooling",
        inputs=_of_lines(),
    ),
    shim(
        "nn.max_pool3d",
        _POOL.format("'NDHWC'"),
        "windows.pooling",
        inputs=_of_blocks(
            case(
                "ties",
                input=f32([[[[[1], [1], [NAN], [0]]]]]),
                ksize=[1, 1, 2],
                strides=1,
                padding="SAME",
            ),
            case(
                "no-numbers",
                input=f32([[[[[NAN], [-INF]]]]]),
                ksize=[1, 1, 2],
                strides=1,
                padding="SAME",
            ),
            case(
                "int32",
                raises="InvalidArgumentError",
                input=_ints(1, 2, 2, 2, 1),
                ksize=2,
                strides=1,
                padding="SAME",
            ),
        ),
    ),
    shim(
        "nn.max_pool_with_argmax",
        "input, ksize, strides, padding, data_format='NHWC', output_dtype=tf.int64, "
        "include_batch_in_index=False, name=None",
        "windows.pooling",
        inputs=(
            case("same", pad=(("input", 1),), input=_IMAGE, ksize=2, strides=2, padding="SAME"),
            case(
                "batch",
                input=_IMAGE,
                ksize=[3, 2],
                strides=1,
                padding="VALID",
                include_batch_in_index=True,
            ),
            case(
                "int32-places",
                gradient=(),
                input=_IMAGE,
                ksize=2,
                strides=2,
                padding="SAME",
                output_dtype="int32",
            ),
            case("ties", input=_line([1, 1, 0, 1]), ksize=[1, 3], strides=1, padding="SAME"),
            case(
                "nan",
                input=_line([1, NAN, 2, -INF, NAN, NAN]),
                ksize=[1, 3],
                strides=1,
                padding="SAME",
            ),
            case("int32", input=_ints(1, 3, 3, 2), ksize=2, strides=2, padding="SAME"),
            case(
                "rank3",
                raises="InvalidArgumentError",
                input=_LINE,
                ksize=2,
                strides=2,
                padding="SAME",
            ),
            case(
                "channels-first",
                raises="ValueError",
                input=_IMAGE,
                ksize=2,
                strides=2,
                padding="SAME",
                data_format="NCHW",
            ),
        ),
    ),
    shim(
        "nn.avg_pool2d",
        _POOL.format("'NHWC'"),
        "windows.averages",
        renames=(("value", "input"),),
        inputs=_pooled(*_MEANS),
    ),
    shim(
        "nn.avg_pool",
        _POOL.format("None"),
        "windows.averages",
        renames=(("value", "input"),),
        inputs=_of_any_rank(),
    ),
    shim(
        "nn.avg_pool1d",
        _POOL.format("'NWC'"),
        "windows.averages",
        inputs=_of_lines(),
    ),
    shim(
        "nn.avg_pool3d",
        _POOL.format("'NDHWC'"),
        "windows.averages",
        inputs=_of_blocks(),
    ),
    shim(
        "nn.pool",
        "input, window_shape, pooling_type, strides=None, padding='VALID', data_format=None, "
        "dilations=None, name=None",
        "windows.averages",
        renames=(("dilation_rate", "dilations"),),
        inputs=(
            case("max", pad=(("input", 1),), input=_IMAGE, window_shape=[2, 2], pooling_type="MAX"),
            case(
                "avg",
                input=_IMAGE,
                window_shape=[2, 2],
                pooling_type="AVG",
                strides=[2, 2],
                padding="SAME",
            ),
            case(
                "dilated", input=_IMAGE, window_shape=[2, 2], pooling_type="MAX", dilations=[2, 1]
            ),
            case("dilated-avg", input=_LINE, window_shape=[2], pooling_type="AVG", dilations=[2]),
            case(
                "dilated-same",
                raises="ValueError",
                input=_IMAGE,
                window_shape=[2, 2],
                pooling_type="MAX",
                dilations=[2, 2],
                padding="SAME",
            ),
            case(
                "both",
                raises="ValueError",
                input=_IMAGE,
                window_shape=[2, 2],
                pooling_type="MAX",
                dilations=[2, 2],
                strides=[2, 2],
            ),
            case(
                "kind", raises="ValueError", input=_IMAGE, window_shape=[2, 2], pooling_type="MIN"
            ),
            case("rank", raises="ValueError", input=_IMAGE, window_shape=[2], pooling_type="MAX"),
        ),
    ),
    shim(
        "nn.dilation2d",
        "input, filters, strides, padding, data_format, dilations, name=None",
        "windows.morphology",
        inputs=_dilated("input"),
    ),
    shim(
        "nn.erosion2d",
        "value, filters, strides, padding, data_format, dilations, name=None",
        "windows.morphology",
        inputs=_dilated("value"),
    ),
)
