"""Define the table rows of pooling, dilation and erosion in `tf.nn`."""

from __future__ import annotations

from typing import Any

from tf2jax_port.table.families import shim
from tf2jax_port.table.inputs import INF, NAN, Draw, draw, empty, f32
from tf2jax_port.table.nn_window_inputs import BLOCK, EXPLICIT, IMAGE, LINE, ints, line
from tf2jax_port.table.row import Case, Row, case


def _pool_cases(*more: Case) -> tuple[Case, ...]:
    """Build the test cases of two-dimensional pooling."""
    windows: dict[str, Any] = {"ksize": 2, "strides": 2, "padding": "SAME"}
    return (
        case("same", pad=(("input", 1),), input=IMAGE, ksize=3, strides=1, padding="SAME"),
        case("same-stride", input=IMAGE, ksize=[3, 2], strides=2, padding="SAME"),
        case(
            "valid",
            pad=(("input", 2),),
            input=IMAGE,
            ksize=[1, 2, 2, 1],
            strides=[1, 2, 1, 1],
            padding="VALID",
        ),
        case("valid-stride", input=IMAGE, ksize=2, strides=2, padding="VALID"),
        case("gaps", input=IMAGE, ksize=1, strides=[3, 2], padding="SAME"),
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
            input=IMAGE,
            ksize=0,
            strides=1,
            padding="SAME",
        ),
        case(
            "stride0",
            raises="InvalidArgumentError",
            input=IMAGE,
            ksize=1,
            strides=0,
            padding="SAME",
        ),
        case(
            "ksize3", raises="ValueError", input=IMAGE, ksize=[1, 2, 3], strides=1, padding="SAME"
        ),
        case(
            "no-padding",
            raises="InvalidArgumentError",
            input=IMAGE,
            ksize=2,
            strides=1,
            padding="same",
        ),
        case(
            "batch",
            raises="UnimplementedError",
            input=IMAGE,
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
    case("nan-first", input=line([NAN, 1, 2, 3]), ksize=[1, 4], strides=1, padding="VALID"),
    case("nan", input=line([1, NAN, 3, 2, NAN, NAN]), ksize=[1, 3], strides=1, padding="SAME"),
    case("inf", input=line([INF, -INF, -INF, -INF]), ksize=[1, 2], strides=1, padding="SAME"),
    case(
        "explicit",
        xla="unsupported: explicit padding",
        input=IMAGE,
        ksize=3,
        strides=2,
        padding=EXPLICIT,
    ),
    case("int32", input=ints(1, 3, 3, 2), ksize=2, strides=2, padding="SAME"),
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
        input=IMAGE,
        ksize=2,
        strides=1,
        padding=[[0, 0], [2, 0], [0, 0], [0, 0]],
    ),
)
_MEANS = (
    case("nan-inf", input=line([NAN, 1, 2, INF, 3]), ksize=[1, 2], strides=1, padding="SAME"),
    case("explicit", raises="TypeError", input=IMAGE, ksize=2, strides=2, padding=EXPLICIT),
    case(
        "int32",
        raises="InvalidArgumentError",
        input=ints(1, 3, 3, 2),
        ksize=2,
        strides=2,
        padding="SAME",
    ),
)


def _of_lines(*more: Case) -> tuple[Case, ...]:
    """Build the test cases of one-dimensional pooling."""
    return (
        case("same", pad=(("input", 1),), input=LINE, ksize=3, strides=2, padding="SAME"),
        case("valid", input=LINE, ksize=2, strides=1, padding="VALID"),
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
    """Build the test cases of three-dimensional pooling."""
    return (
        case("same", pad=(("input", 1),), input=BLOCK, ksize=2, strides=1, padding="SAME"),
        case("valid", input=BLOCK, ksize=[2, 2, 1], strides=[2, 1, 1], padding="VALID"),
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
    """Build the test cases of pooling over one, two or three dimensions."""
    return (
        case("lines", pad=(("input", 1),), input=LINE, ksize=2, strides=1, padding="SAME"),
        case("images", input=IMAGE, ksize=2, strides=2, padding="VALID"),
        case("blocks", gradient=(), input=BLOCK, ksize=2, strides=1, padding="VALID"),
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


def _keyword(name: str, value: object) -> dict[str, Any]:
    """Return a dict with one keyword argument."""
    return {name: value}


def _dilation_cases(x: str) -> tuple[Case, ...]:
    """Build the test cases of dilation and erosion."""
    image = _keyword(x, IMAGE)
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
        case("ties", filters=f32([[[0], [0], [0]]]), **_keyword(x, line([1, 1, 1, 1])), **same),
        case(
            "nan", filters=f32([[[0], [1], [0]]]), **_keyword(x, line([NAN, NAN, NAN, 1])), **same
        ),
        case(
            "int32", pad=((x, 0),), filters=ints(2, 2, 1), **_keyword(x, ints(1, 3, 3, 1)), **same
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

ROWS: tuple[Row, ...] = (
    shim(
        "nn.max_pool2d",
        _POOL.format("'NHWC'"),
        "nn.windows.pooling",
        xla="differs: NaN is the largest",
        inputs=_pool_cases(*_LARGEST),
        takes="real -uint32 -uint64",
    ),
    shim(
        "nn.max_pool",
        _POOL.format("None"),
        "nn.windows.pooling",
        renames=(("value", "input"),),
        inputs=_of_any_rank(
            case(
                "explicit",
                xla="unsupported: explicit padding",
                input=IMAGE,
                ksize=3,
                strides=2,
                padding=EXPLICIT,
            ),
        ),
        takes="real -uint32 -uint64",
    ),
    shim(
        "nn.max_pool1d",
        _POOL.format("'NWC'"),
        "nn.windows.pooling",
        inputs=_of_lines(),
        takes="real -uint32 -uint64",
    ),
    shim(
        "nn.max_pool3d",
        _POOL.format("'NDHWC'"),
        "nn.windows.pooling",
        xla="differs: a window without numbers gives minus infinity or NaN",
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
                input=ints(1, 2, 2, 2, 1),
                ksize=2,
                strides=1,
                padding="SAME",
            ),
        ),
        takes="bfloat16 float32",
    ),
    shim(
        "nn.max_pool_with_argmax",
        "input, ksize, strides, padding, data_format='NHWC', output_dtype=tf.int64, "
        "include_batch_in_index=False, name=None",
        "nn.windows.pooling",
        xla="unsupported: no kernel",
        inputs=(
            case("same", pad=(("input", 1),), input=IMAGE, ksize=2, strides=2, padding="SAME"),
            case(
                "batch",
                input=IMAGE,
                ksize=[3, 2],
                strides=1,
                padding="VALID",
                include_batch_in_index=True,
            ),
            case(
                "int32-places",
                gradient=(),
                input=IMAGE,
                ksize=2,
                strides=2,
                padding="SAME",
                output_dtype="int32",
            ),
            case("ties", input=line([1, 1, 0, 1]), ksize=[1, 3], strides=1, padding="SAME"),
            case(
                "nan",
                input=line([1, NAN, 2, -INF, NAN, NAN]),
                ksize=[1, 3],
                strides=1,
                padding="SAME",
            ),
            case("int32", input=ints(1, 3, 3, 2), ksize=2, strides=2, padding="SAME"),
            case(
                "rank3",
                raises="InvalidArgumentError",
                input=LINE,
                ksize=2,
                strides=2,
                padding="SAME",
            ),
            case(
                "channels-first",
                raises="ValueError",
                input=IMAGE,
                ksize=2,
                strides=2,
                padding="SAME",
                data_format="NCHW",
            ),
        ),
        takes="real",
    ),
    shim(
        "nn.avg_pool2d",
        _POOL.format("'NHWC'"),
        "nn.windows.averages",
        renames=(("value", "input"),),
        inputs=_pool_cases(*_MEANS),
        takes="floating",
    ),
    shim(
        "nn.avg_pool",
        _POOL.format("None"),
        "nn.windows.averages",
        renames=(("value", "input"),),
        inputs=_of_any_rank(),
        takes="floating",
    ),
    shim(
        "nn.avg_pool1d",
        _POOL.format("'NWC'"),
        "nn.windows.averages",
        inputs=_of_lines(),
        takes="floating",
    ),
    shim(
        "nn.avg_pool3d",
        _POOL.format("'NDHWC'"),
        "nn.windows.averages",
        inputs=_of_blocks(),
        takes="bfloat16 float32",
    ),
    shim(
        "nn.pool",
        "input, window_shape, pooling_type, strides=None, padding='VALID', data_format=None, "
        "dilations=None, name=None",
        "nn.windows.averages",
        renames=(("dilation_rate", "dilations"),),
        inputs=(
            case("max", pad=(("input", 1),), input=IMAGE, window_shape=[2, 2], pooling_type="MAX"),
            case(
                "avg",
                input=IMAGE,
                window_shape=[2, 2],
                pooling_type="AVG",
                strides=[2, 2],
                padding="SAME",
            ),
            case("dilated", input=IMAGE, window_shape=[2, 2], pooling_type="MAX", dilations=[2, 1]),
            case("dilated-avg", input=LINE, window_shape=[2], pooling_type="AVG", dilations=[2]),
            case(
                "dilated-same",
                raises="ValueError",
                input=IMAGE,
                window_shape=[2, 2],
                pooling_type="MAX",
                dilations=[2, 2],
                padding="SAME",
            ),
            case(
                "both",
                raises="ValueError",
                input=IMAGE,
                window_shape=[2, 2],
                pooling_type="MAX",
                dilations=[2, 2],
                strides=[2, 2],
            ),
            case("kind", raises="ValueError", input=IMAGE, window_shape=[2, 2], pooling_type="MIN"),
            case("rank", raises="ValueError", input=IMAGE, window_shape=[2], pooling_type="MAX"),
        ),
        takes="real -uint32 -uint64",
    ),
    shim(
        "nn.dilation2d",
        "input, filters, strides, padding, data_format, dilations, name=None",
        "nn.windows.morphology",
        xla="unsupported: no kernel",
        inputs=_dilation_cases("input"),
        takes="filters input: real",
    ),
    shim(
        "nn.erosion2d",
        "value, filters, strides, padding, data_format, dilations, name=None",
        "nn.windows.morphology",
        xla="unsupported: no kernel",
        inputs=_dilation_cases("value"),
        takes="filters value: real -unsigned",
    ),
)
