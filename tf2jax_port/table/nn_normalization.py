"""Define the table rows of `tf.nn` for moments, normalization, space-to-depth and space-to-batch."""

from __future__ import annotations

from typing import Any

from tf2jax_port.table.families import shim
from tf2jax_port.table.inputs import INF, NAN, Draw, draw, empty, f32, i32
from tf2jax_port.table.row import Row, case

_MOMENTS: dict[str, Any] = {"mean": draw(3), "variance": draw(3, low=0, high=2)}
_PLAIN: dict[str, Any] = {"offset": None, "scale": None, "variance_epsilon": 0.1}
_BLOCK2: dict[str, Any] = {"block_shape": [2, 2]}
_NONE = [[0, 0], [0, 0]]

_TO_BATCH = (
    case("plain", pad=(("input", 0),), input=draw(2, 4, 2, 3), paddings=_NONE, **_BLOCK2),
    case(
        "padded",
        pad=(("input", 1),),
        input=draw(1, 3, 4, 1),
        paddings=[[1, 0], [0, 2]],
        **_BLOCK2,
    ),
    case("one-axis", input=draw(2, 5, 2), block_shape=[3], paddings=[[0, 1]]),
    case("int32", input=Draw((1, 2, 2, 1), "int32", -4, 5), paddings=_NONE, **_BLOCK2),
    case("empty", input=empty(0, 2, 2, 1), paddings=_NONE, **_BLOCK2),
    case(
        "rest",
        raises="InvalidArgumentError",
        input=draw(1, 3, 4, 1),
        paddings=_NONE,
        **_BLOCK2,
    ),
    case(
        "a-number",
        raises="InvalidArgumentError",
        input=draw(1, 4, 4, 1),
        block_shape=2,
        paddings=_NONE,
    ),
)

ROWS: tuple[Row, ...] = (
    shim(
        "nn.batch_normalization",
        "x, mean, variance, offset, scale, variance_epsilon, name=None",
        "nn.normalization",
        tolerance=3e-6,
        inputs=(
            case("plain", pad=(("x", 0),), x=draw(2, 3), **_MOMENTS, **_PLAIN),
            case(
                "all",
                x=draw(2, 2, 3),
                **_MOMENTS,
                offset=draw(3),
                scale=draw(3),
                variance_epsilon=1e-3,
            ),
            case(
                "zero",
                x=f32([[1, 2, NAN], [INF, 0, 1]]),
                mean=f32([0, 0, 0]),
                variance=f32([0, 1, 0]),
                offset=f32([1, 1, 1]),
                scale=None,
                variance_epsilon=1e-3,
            ),
            case("empty", x=empty(0, 3), **_MOMENTS, **_PLAIN),
            case(
                "shapes",
                raises="InvalidArgumentError",
                x=draw(2, 3),
                mean=draw(2),
                variance=draw(3, low=0),
                **_PLAIN,
            ),
            case(
                "int32",
                raises="InvalidArgumentError",
                x=i32([[1]]),
                mean=i32([1]),
                variance=i32([1]),
                offset=None,
                scale=None,
                variance_epsilon=1,
            ),
        ),
        takes="x mean variance: inexact",
    ),
    shim(
        "nn.batch_norm_with_global_normalization",
        "input, mean, variance, beta, gamma, variance_epsilon, scale_after_normalization, name=None",
        "nn.normalization",
        renames=(("t", "input"), ("m", "mean"), ("v", "variance")),
        tolerance=3e-6,
        inputs=tuple(
            case(
                name,
                pad=(("input", 0),),
                input=draw(2, 1, 2, 3),
                **_MOMENTS,
                beta=draw(3),
                gamma=draw(3),
                variance_epsilon=epsilon,
                scale_after_normalization=after,
            )
            for name, epsilon, after in (
                ("scaled", 0.1, True),
                ("not-scaled", 0.1, False),
                ("small", 1e-3, True),
            )
        ),
        takes="input mean variance beta gamma: inexact",
    ),
    shim(
        "nn.normalize_moments",
        "counts, mean_ss, variance_ss, shift, name=None",
        "nn.normalization",
        inputs=(
            case("plain", counts=f32(4), mean_ss=draw(3), variance_ss=draw(3), shift=None),
            case("shift", counts=f32(4), mean_ss=draw(3), variance_ss=draw(3), shift=f32(1.5)),
            case("nothing", counts=f32(0), mean_ss=f32([0]), variance_ss=f32([0]), shift=None),
        ),
        takes="counts mean_ss variance_ss: inexact",
    ),
    shim(
        "nn.sufficient_statistics",
        "x, axes, shift=None, keepdims=False, name=None",
        "nn.normalization",
        renames=(("keep_dims", "keepdims"),),
        inputs=(
            case("axis0", x=draw(4, 3), axes=[0]),
            case("shift", x=draw(4, 3), axes=[0, 1], shift=f32(0.5), keepdims=True),
            case("nan", x=f32([[NAN, 1], [2, INF]]), axes=[1]),
            case("nothing", x=empty(0, 2), axes=[0]),
        ),
        takes="number",
    ),
    shim(
        "nn.weighted_moments",
        "x, axes, frequency_weights, keepdims=False, name=None",
        "nn.normalization",
        renames=(("keep_dims", "keepdims"),),
        tolerance=3e-6,
        inputs=(
            case("rows", x=draw(4, 3), axes=[0], frequency_weights=draw(4, 1, low=0.1)),
            case("number", x=draw(4, 3), axes=[0, 1], frequency_weights=f32(2), keepdims=True),
            case("int32", x=draw(4, 3), axes=[0], frequency_weights=i32([[0], [1], [2], [1]])),
            case("zeros", x=draw(2, 3), axes=[0], frequency_weights=f32([[0], [0]])),
            case(
                "nan",
                x=f32([[NAN, 1], [2, 3]]),
                axes=[1],
                frequency_weights=f32([[0], [1]]),
            ),
        ),
    ),
    shim(
        "nn.local_response_normalization",
        "input, depth_radius=5, bias=1, alpha=1, beta=0.5, name=None",
        "nn.normalization",
        aliases=("nn.lrn",),
        tolerance=1e-5,
        inputs=(
            case("default", pad=(("input", 0),), input=draw(2, 1, 2, 5)),
            case("radius1", input=draw(2, 2, 1, 4), depth_radius=1, bias=2.0, alpha=0.5, beta=0.75),
            case("empty", input=empty(0, 1, 2, 3)),
            case("rank3", raises="InvalidArgumentError", input=draw(2, 2, 3)),
            case("float64", raises="InvalidArgumentError", input=i32([[[[1]]]])),
        ),
        takes="float16 float32",
    ),
    shim(
        "nn.depth_to_space",
        "input, block_size, data_format='NHWC', name=None",
        "nn.space",
        inputs=(
            case("plain", pad=(("input", 1),), input=draw(2, 3, 2, 8), block_size=2),
            case("three", input=draw(1, 2, 1, 9), block_size=3),
            case("int32", input=Draw((1, 1, 2, 4), "int32", -4, 5), block_size=2),
            case("empty", input=empty(0, 2, 2, 4), block_size=2),
            case("rest", raises="InvalidArgumentError", input=draw(1, 2, 2, 6), block_size=2),
            case("size1", raises="InvalidArgumentError", input=draw(1, 2, 2, 6), block_size=1),
            case(
                "channels-first",
                raises="NotFoundError",
                input=draw(1, 4, 2, 2),
                block_size=2,
                data_format="NCHW",
            ),
            case(
                "no-format",
                raises="InvalidArgumentError",
                input=draw(1, 2, 2, 4),
                block_size=2,
                data_format="X",
            ),
        ),
    ),
    shim(
        "nn.space_to_depth",
        "input, block_size, data_format='NHWC', name=None",
        "nn.space",
        inputs=(
            case("plain", pad=(("input", 1),), input=draw(2, 4, 6, 2), block_size=2),
            case("three", input=draw(1, 3, 6, 1), block_size=3),
            case("empty", input=empty(0, 2, 2, 4), block_size=2),
            case("rest", raises="InvalidArgumentError", input=draw(1, 2, 3, 1), block_size=2),
            case("rank3", raises="InvalidArgumentError", input=draw(2, 2, 1), block_size=2),
        ),
    ),
    shim(
        "space_to_batch",
        "input, block_shape, paddings, name=None",
        "nn.space",
        aliases=("nn.space_to_batch",),
        inputs=_TO_BATCH,
        takes="real",
    ),
    shim(
        "space_to_batch_nd",
        "input, block_shape, paddings, name=None",
        "nn.space",
        inputs=_TO_BATCH,
        takes="real",
    ),
    shim(
        "batch_to_space",
        "input, block_shape, crops, name=None",
        "nn.space",
        inputs=(
            case("plain", pad=(("input", 1),), input=draw(4, 3, 2, 1), crops=_NONE, **_BLOCK2),
            case("cropped", input=draw(8, 2, 3, 1), crops=[[1, 0], [0, 2]], **_BLOCK2),
            case("one-axis", input=draw(6, 2, 2), block_shape=[3], crops=[[0, 1]]),
            case("empty", input=empty(0, 2, 2, 1), crops=_NONE, **_BLOCK2),
            case(
                "rest",
                raises="InvalidArgumentError",
                input=draw(6, 2, 2, 1),
                crops=_NONE,
                **_BLOCK2,
            ),
            case(
                "too-much",
                raises="InvalidArgumentError",
                input=draw(4, 2, 2, 1),
                crops=[[5, 0], [0, 0]],
                **_BLOCK2,
            ),
        ),
        takes="real",
    ),
)
