"""Define the table rows of `tf.image` that move, sample and color pixels."""

from __future__ import annotations

from typing import Any

from tf2jax_port.table.families import shim
from tf2jax_port.table.inputs import INF, NAN, Draw, draw, empty, f32, i32
from tf2jax_port.table.row import Case, Row, case

_BYTES = Draw((4, 5, 3), "uint8", 0, 256)
_NAN_COLOR = "value: TensorFlow compares NaN with the other channels; ours is NaN"
_GLIMPSES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("middle", {}),
    ("corner", {"centered": False}),
    ("middle-pixels", {"normalized": False}),
    ("corner-pixels", {"centered": False, "normalized": False}),
)
_WITH_KERNEL: dict[str, dict[str, Any]] = {
    method: {"method": method, "xla": "unsupported: no kernel", "antialias": antialias}
    for method, antialias in (
        *(("bilinear", True), ("bicubic", True), ("lanczos5", True)),
        *(("lanczos3", False), ("gaussian", False), ("mitchellcubic", False)),
    )
}
_NO_GRADIENT = "gradient: TensorFlow propagates no gradient"
_COLORS = f32(
    [[[0, 0, 0], [1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.2, 0.2, 0.7], [0.7, 0.2, 0.7]]]
)


def unit(*shape: int) -> Draw:
    """Describe a random array of images with values in [0, 1]."""
    return draw(*shape, low=0, high=1)


def _of_images(param: str = "image", **options: Any) -> tuple[Case, ...]:
    """Build the test cases of operators on one image or a batch of images."""
    given: dict[str, Any] = {param: unit(4, 5, 3)}
    return (
        case("image", **{**given, **options}),
        case("batch", **{**given, param: unit(3, 4, 5, 2), **options}),
        case("bytes", **{**given, param: _BYTES, **options}),
        case("nan", **{**given, param: f32([[[NAN], [1]], [[2], [3]]]), **options}),
        case("empty-batch", **{**given, param: empty(0, 4, 5, 1), **options}),
        case("rank2", raises="ValueError", **{**given, param: unit(4, 5), **options}),
    )


def _of_colors(
    param: str, *more: Case, error: str = "InvalidArgumentError", **options: Any
) -> tuple[Case, ...]:
    """Build the test cases of operators on images with three color channels."""
    given: dict[str, Any] = {param: unit(3, 2, 3)}
    return (
        case("normal", **{**given, **options}),
        case("batch", **{**given, param: unit(2, 3, 2, 3), **options}),
        case("colours", gradient=(), **{**given, param: _COLORS, **options}),
        case("empty", **{**given, param: empty(0, 2, 3), **options}),
        case("channels", raises=error, **{**given, param: unit(3, 2, 2), **options}),
        *more,
    )


def _bytes_case(param: str, **options: Any) -> Case:
    """Build the test case of a `uint8` image."""
    arguments: dict[str, Any] = {param: _BYTES, **options}
    return case("bytes", **arguments)


_BOX = "image, offset_height, offset_width, target_height, target_width"
_FRAME: dict[str, Any] = {"offset_height": 1, "offset_width": 0}

ROWS: tuple[Row, ...] = (
    # Geometric operations.
    shim("image.flip_left_right", "image", "image.layout", inputs=_of_images()),
    shim("image.flip_up_down", "image", "image.layout", inputs=_of_images()),
    shim("image.transpose", "image, name=None", "image.layout", inputs=_of_images()),
    shim(
        "image.rot90",
        "image, k=1, name=None",
        "image.layout",
        inputs=(
            *_of_images(),
            case("k2", image=unit(4, 5, 3), k=2),
            case("k-1", image=unit(4, 5, 3), k=-1),
            case("k4-batch", image=unit(2, 4, 5, 3), k=4),
        ),
    ),
    shim(
        "image.central_crop",
        "image, central_fraction",
        "image.layout",
        fresh=True,
        inputs=(
            *_of_images(central_fraction=0.5),
            case("odd", image=unit(7, 9, 1), central_fraction=0.8),
            case("third", image=unit(10, 3, 1), central_fraction=0.3333),
            case("all", image=unit(3, 4, 1), central_fraction=1.0),
            case("all-rank2", image=unit(3, 4), central_fraction=1.0),
            case("zero", raises="ValueError", image=unit(3, 4, 1), central_fraction=0.0),
            case("too-much", raises="ValueError", image=unit(3, 4, 1), central_fraction=1.5),
        ),
    ),
    shim(
        "image.crop_to_bounding_box",
        _BOX,
        "image.layout",
        inputs=(
            *_of_images(offset_height=1, offset_width=0, target_height=1, target_width=2),
            case(
                "all",
                image=unit(3, 4, 1),
                **_FRAME | {"offset_height": 0},
                target_height=3,
                target_width=4,
            ),
            case(
                "outside",
                raises="ValueError",
                image=unit(3, 4, 1),
                **_FRAME,
                target_height=3,
                target_width=4,
            ),
            case(
                "nothing",
                raises="ValueError",
                image=unit(3, 4, 1),
                **_FRAME,
                target_height=0,
                target_width=4,
            ),
        ),
    ),
    shim(
        "image.pad_to_bounding_box",
        _BOX,
        "image.layout",
        inputs=(
            *_of_images(offset_height=1, offset_width=0, target_height=6, target_width=5),
            case("tight", image=unit(3, 4, 1), **_FRAME, target_height=4, target_width=4),
            case(
                "small",
                raises="ValueError",
                image=unit(3, 4, 1),
                **_FRAME,
                target_height=3,
                target_width=4,
            ),
            case(
                "before",
                raises="ValueError",
                image=unit(3, 4, 1),
                offset_height=-1,
                offset_width=0,
                target_height=9,
                target_width=9,
            ),
        ),
    ),
    shim(
        "image.resize_with_crop_or_pad",
        "image, target_height, target_width",
        "image.layout",
        inputs=(
            *_of_images(target_height=3, target_width=8),
            case("odd", image=unit(5, 4, 1), target_height=2, target_width=7),
            case("even", image=unit(4, 5, 1), target_height=7, target_width=2),
            case("same", image=unit(4, 5, 1), target_height=4, target_width=5),
            case("zero", raises="ValueError", image=unit(4, 5, 1), target_height=0, target_width=2),
        ),
    ),
    # Resampling.
    shim(
        "image.resize",
        "images, size, method='bilinear', preserve_aspect_ratio=False, antialias=False, name=None",
        "image.sampling",
        tolerance=4e-6,
        xla="differs: NaN reaches pixels that are not read",
        inputs=(
            *_of_images("images", size=[6, 3]),
            case("up", images=unit(2, 3, 1), size=[7, 8]),
            case("down", images=unit(9, 8, 2), size=[2, 3]),
            case("same", images=unit(2, 3, 1), size=[2, 3]),
            case("one", images=unit(1, 1, 1), size=[2, 3]),
            case("to-one", images=unit(4, 5, 1), size=[1, 1]),
            case("nearest-up", images=unit(2, 3, 1), size=[7, 8], method="nearest"),
            case("nearest-down", images=unit(9, 8, 2), size=[2, 3], method="nearest"),
            case("nearest-bytes", images=_BYTES, size=[2, 9], method="nearest"),
            case(
                "bicubic-up",
                images=unit(4, 5, 2),
                size=[7, 9],
                method="bicubic",
                xla="unsupported: no kernel",
            ),
            case(
                "bicubic-down",
                images=unit(9, 8, 2),
                size=[4, 3],
                method="bicubic",
                xla="unsupported: no kernel",
            ),
            case(
                "area",
                images=unit(9, 8, 2),
                size=[4, 3],
                method="area",
                gradient=(),
                xla="unsupported: no kernel",
            ),
            *(
                case(f"{method}-antialias", images=unit(9, 4, 2), size=size, **_WITH_KERNEL[method])
                for method, size in (
                    ("bilinear", [4, 3]),
                    ("bicubic", [2, 9]),
                    ("lanczos5", [3, 5]),
                )
            ),
            *(
                case(method, images=unit(5, 7, 1), size=[8, 3], **_WITH_KERNEL[method])
                for method in ("lanczos3", "gaussian", "mitchellcubic")
            ),
            case(
                "antialias-nan",
                images=f32([[[1], [2], [3], [4], [NAN], [6], [7], [8]]]),
                size=[1, 4],
                antialias=True,
                gradient=(),
                xla="unsupported: no kernel",
            ),
            case("aspect", pad=(), images=unit(4, 8, 1), size=[6, 6], preserve_aspect_ratio=True),
            case("array", unbounded=True, pad=(), images=unit(2, 3, 1), size=i32([4, 2])),
            case("zero", raises="InvalidArgumentError", images=unit(2, 3, 1), size=[0, 2]),
            case("method", raises="ValueError", images=unit(2, 3, 1), size=[2, 2], method="linear"),
            case("one-number", raises="ValueError", images=unit(2, 3, 1), size=[2]),
        ),
        takes="real -uint32 -uint64",
    ),
    shim(
        "image.extract_glimpse",
        "input, size, offsets, centered=True, normalized=True, noise='uniform', name=None",
        "image.glimpses",
        tensors=("input",),
        inputs=(
            *(
                case(
                    name,
                    input=unit(2, 5, 4, 2),
                    size=[3, 2],
                    offsets=f32([[0.3, -0.4], [-1.1, 0.9]]),
                    noise="zero",
                    pad=(("input", 0), ("offsets", 0)),
                    **options,
                )
                for name, options in _GLIMPSES
            ),
            case("inside", input=unit(1, 4, 4, 1), size=[2, 2], offsets=f32([[0, 0]])),
            case(
                "noise",
                raises="InvalidArgumentError",
                input=unit(1, 4, 4, 1),
                size=[2, 2],
                offsets=f32([[0, 0]]),
                noise="pink",
            ),
            case(
                "fewer-points",
                raises="InvalidArgumentError",
                input=unit(2, 4, 4, 1),
                size=[2, 2],
                offsets=f32([[0, 0]]),
                noise="zero",
            ),
        ),
        note="for glimpses beyond the edge of the image, only `noise='zero'` is supported: TensorFlow's noise cannot "
        "be reproduced",
        no_gradient="TensorFlow registers no gradient",
        xla="unsupported: no kernel",
        takes="float32",
    ),
    shim(
        "image.crop_and_resize",
        "image, boxes, box_indices, crop_size, method='bilinear', extrapolation_value=0.0, name=None",
        "image.sampling",
        tolerance=4e-6,
        xla="unsupported: no kernel",
        inputs=(
            case(
                "normal",
                image=unit(3, 4, 5, 2),
                boxes=f32([[0, 0, 1, 1], [0.1, 0.2, 0.8, 0.7]]),
                box_indices=i32([0, 2]),
                crop_size=[3, 4],
                pad=(("boxes", 0), ("box_indices", 0)),
            ),
            case(
                "flipped",
                image=unit(1, 4, 5, 1),
                boxes=f32([[0.93, 0.82, 0.11, 0.23]]),
                box_indices=i32([0]),
                crop_size=[3, 2],
            ),
            case(
                "outside",
                image=unit(1, 4, 5, 1),
                boxes=f32([[-0.53, -0.21, 1.33, 1.47]]),
                box_indices=i32([0]),
                crop_size=[5, 5],
                extrapolation_value=-3.0,
            ),
            case(
                "one-pixel",
                image=unit(1, 4, 5, 1),
                boxes=f32([[0.13, 0.21, 0.73, 0.87]]),
                box_indices=i32([0]),
                crop_size=[1, 1],
            ),
            case(
                "nearest",
                image=unit(2, 4, 5, 1),
                boxes=f32([[0.13, 0.21, 0.73, 0.87]]),
                box_indices=i32([1]),
                crop_size=[3, 3],
                method="nearest",
            ),
            case(
                "bytes",
                image=Draw((1, 4, 5, 3), "uint8", 0, 256),
                boxes=f32([[0.13, 0.21, 0.73, 0.87]]),
                box_indices=i32([0]),
                crop_size=[3, 3],
                gradient=(),
            ),
            case(
                "none",
                image=unit(1, 4, 5, 1),
                boxes=empty(0, 4),
                box_indices=empty(0, dtype="int32"),
                crop_size=[3, 3],
            ),
            case(
                "no-such-image",
                raises="OutOfRangeError",
                image=unit(1, 4, 5, 1),
                boxes=f32([[0, 0, 1, 1]]),
                box_indices=i32([1]),
                crop_size=[3, 3],
            ),
            case(
                "counts",
                raises="InvalidArgumentError",
                image=unit(1, 4, 5, 1),
                boxes=f32([[0, 0, 1, 1]]),
                box_indices=i32([0, 0]),
                crop_size=[3, 3],
            ),
            case(
                "size0",
                raises="InvalidArgumentError",
                image=unit(1, 4, 5, 1),
                boxes=f32([[0, 0, 1, 1]]),
                box_indices=i32([0]),
                crop_size=[0, 3],
            ),
        ),
        takes="box_indices: int32",
    ),
    # Colors.
    shim(
        "image.convert_image_dtype",
        "image, dtype, saturate=False, name=None",
        "image.color",
        inputs=(
            case("bytes-float", image=_BYTES, dtype="float32"),
            case("float-bytes", image=f32([0, 0.1, 0.5, 0.999, 1]), dtype="uint8"),
            case("float-bytes-saturate", image=f32([-0.5, 0.5, 2.0]), dtype="uint8", saturate=True),
            case("float-int16", image=f32([0.0, 0.25, 1.0]), dtype="int16"),
            case("bytes-int16", image=_BYTES, dtype="int16"),
            case("int16-bytes", image=Draw((4,), "int16", 0, 32767), dtype="uint8"),
            case("same", image=unit(3), dtype="float32"),
            case("float16", image=unit(3), dtype="float16"),
            case("empty", image=empty(0, 3), dtype="uint8"),
            case("bool", raises="AttributeError", image=unit(3), dtype="bool"),
        ),
        takes="real",
    ),
    shim(
        "image.rgb_to_grayscale",
        "images, name=None",
        "image.color",
        inputs=_of_colors("images", _bytes_case("images")),
        takes="real",
    ),
    shim(
        "image.grayscale_to_rgb",
        "images, name=None",
        "image.color",
        inputs=(
            case("normal", images=unit(3, 2, 1)),
            case("vector", raises="ValueError", images=unit(1)),
            case("bytes", images=Draw((2, 2, 1), "uint8", 0, 256)),
            case("empty", images=empty(0, 1)),
            case("channels", raises="ValueError", images=unit(3, 2, 2)),
        ),
        takes="number bool -uint16",
    ),
    *(
        shim(
            f"image.{name}",
            "images",
            "image.color",
            inputs=_of_colors("images"),
            takes="inexact",
        )
        for name in ("rgb_to_yuv", "yuv_to_rgb", "rgb_to_yiq", "yiq_to_rgb")
    ),
    shim(
        "image.rgb_to_hsv",
        "images, name=None",
        "image.color",
        tolerance=4e-6,
        inputs=(
            *_of_colors("images", error="FailedPreconditionError"),
            case("black-and-gray", images=f32([[[0, 0, 0], [0.5, 0.5, 0.5]]])),
            case("below-zero", images=f32([[[0.3, -0.14, 0.1], [-0.3, -0.14, -0.1]]])),
            case("infinite", images=f32([[[-1, 3, INF]]])),
            case(
                "nan",
                xla="differs: NaN counts as the largest channel",
                images=f32([[[NAN, 0.3, 0.1]]]),
                differs=_NAN_COLOR,
            ),
        ),
        takes="floating",
    ),
    shim(
        "image.hsv_to_rgb",
        "images, name=None",
        "image.color",
        tolerance=4e-6,
        inputs=(
            case("normal", images=unit(3, 2, 3), differs=_NO_GRADIENT),
            case("batch", images=unit(2, 3, 2, 3), differs=_NO_GRADIENT),
            case("colours", images=_COLORS, gradient=()),
            case("empty", images=empty(0, 2, 3)),
            case("channels", raises="FailedPreconditionError", images=unit(3, 2, 2)),
        ),
        takes="floating",
    ),
    shim(
        "image.adjust_brightness",
        "image, delta",
        "image.color",
        inputs=(
            case("normal", image=unit(3, 2, 3), delta=0.3),
            case("down", image=unit(3, 2, 3), delta=-0.3),
            case("bytes", image=_BYTES, delta=0.25),
            case("array", image=unit(3, 2), delta=f32(0.1)),
            case("nan", image=f32([NAN, 1]), delta=0.1),
            case("empty", image=empty(0, 2, 3), delta=0.1),
        ),
        takes="real",
    ),
    shim(
        "image.adjust_contrast",
        "images, contrast_factor",
        "image.color",
        no_gradient="TensorFlow registers no gradient",
        tolerance=4e-6,
        inputs=(
            case("normal", images=unit(4, 3, 2), contrast_factor=2.0),
            case("batch", images=unit(2, 4, 3, 2), contrast_factor=0.5),
            case("bytes", images=_BYTES, contrast_factor=1.5),
            case("nan", images=f32([[[NAN, 1], [2, 3]]]), contrast_factor=2.0),
            case("rank2", raises="InvalidArgumentError", images=unit(3, 2), contrast_factor=2.0),
        ),
        takes="real -float16",
    ),
    shim(
        "image.adjust_gamma",
        "image, gamma=1, gain=1",
        "image.color",
        inputs=(
            case("normal", image=unit(3, 2, 3), gamma=2.2),
            case("gain", image=unit(3, 2, 3), gamma=0.5, gain=1.5),
            case("nothing", image=unit(3, 2, 3)),
            case("bytes", image=_BYTES, gamma=2.0),
            case("empty", image=empty(0, 2), gamma=2.0),
            case("negative", raises="ValueError", image=unit(2), gamma=-1.0),
        ),
        takes="real",
    ),
    shim(
        "image.adjust_hue",
        "image, delta, name=None",
        "image.color",
        tolerance=1e-5,
        inputs=(
            *_of_colors("image", _bytes_case("image", delta=0.2), delta=0.3),
            case(
                "nan",
                xla="differs: NaN is dropped",
                image=f32([[[2, NAN, NAN]]]),
                delta=0.3,
                differs=_NAN_COLOR,
            ),
        ),
        no_gradient="TensorFlow registers no gradient",
        takes="real -float16",
    ),
    shim(
        "image.adjust_saturation",
        "image, saturation_factor, name=None",
        "image.color",
        tolerance=1e-5,
        inputs=(
            *_of_colors(
                "image", _bytes_case("image", saturation_factor=0.5), saturation_factor=1.7
            ),
            case("nan", image=f32([[[2, NAN, NAN]]]), saturation_factor=1.7, differs=_NAN_COLOR),
        ),
        no_gradient="TensorFlow registers no gradient",
        takes="real -float16",
    ),
    shim(
        "image.per_image_standardization",
        "image",
        "image.layout",
        tolerance=4e-6,
        inputs=(
            case("image", image=unit(4, 5, 3)),
            case("batch", image=unit(2, 4, 5, 3)),
            case("bytes", image=_BYTES),
            case("uniform", image=f32([[[2.0], [2.0]], [[2.0], [2.0]]]), gradient=()),
            case("nan", image=f32([[[NAN], [1]]])),
            case("rank2", raises="ValueError", image=unit(3, 2)),
        ),
    ),
    # Comparing images.
    shim(
        "image.psnr",
        "a, b, max_val, name=None",
        "image.quality",
        tolerance=4e-6,
        inputs=(
            case("image", a=unit(4, 5, 3), b=unit(4, 5, 3), max_val=1.0),
            case("batch", a=unit(3, 4, 5, 1), b=unit(3, 4, 5, 1), max_val=2.0),
            case("bytes", a=_BYTES, b=_BYTES, max_val=255),
            case("equal", a=f32([[[1.0]]]), b=f32([[[1.0]]]), max_val=1.0, gradient=()),
            case("rank2", raises="InvalidArgumentError", a=unit(4, 5), b=unit(4, 5), max_val=1.0),
            case(
                "shapes",
                raises="InvalidArgumentError",
                a=unit(4, 5, 1),
                b=unit(4, 4, 1),
                max_val=1.0,
            ),
        ),
        takes="a b: real",
    ),
    shim(
        "image.ssim",
        "img1, img2, max_val, filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03, "
        "return_index_map=False",
        "image.quality",
        tolerance=2e-5,
        inputs=(
            case("image", img1=unit(12, 13, 2), img2=unit(12, 13, 2), max_val=1.0, pad=()),
            case("batch", img1=unit(3, 12, 11, 1), img2=unit(3, 12, 11, 1), max_val=1.0),
            case("small", img1=unit(2, 5, 6, 1), img2=unit(2, 5, 6, 1), max_val=1.0, filter_size=3),
            case(
                "map",
                img1=unit(2, 5, 6, 1),
                img2=unit(2, 5, 6, 1),
                max_val=1.0,
                filter_size=4,
                filter_sigma=0.8,
                return_index_map=True,
            ),
            case(
                "window",
                raises="InvalidArgumentError",
                img1=unit(5, 6, 1),
                img2=unit(5, 6, 1),
                max_val=1.0,
            ),
            case(
                "shapes", raises="ValueError", img1=unit(4, 5, 1), img2=unit(4, 4, 1), max_val=1.0
            ),
        ),
        takes="img1 img2: real",
    ),
    shim(
        "image.total_variation",
        "images, name=None",
        "image.quality",
        tolerance=4e-6,
        inputs=(
            case("image", images=unit(4, 5, 3)),
            case("batch", images=unit(3, 4, 5, 2)),
            case("uniform", images=f32([[[2.0], [2.0]], [[2.0], [3.0]]])),
            case("one-pixel", images=unit(1, 1, 1)),
            case("nan", images=f32([[[NAN], [1]]])),
            case("rank2", raises="ValueError", images=unit(3, 2)),
        ),
        takes="number -unsigned",
    ),
    shim(
        "image.image_gradients",
        "image",
        "image.quality",
        inputs=(
            case("normal", image=unit(2, 4, 5, 3)),
            case("one-pixel", image=unit(2, 1, 1, 1)),
            case("nan", image=f32([[[[NAN], [1]], [[2], [3]]]])),
            case("rank3", raises="ValueError", image=unit(3, 2, 1)),
        ),
        takes="number",
    ),
    shim(
        "image.sobel_edges",
        "image",
        "image.quality",
        tolerance=4e-6,
        inputs=(
            case("normal", image=unit(2, 4, 5, 3)),
            case("small", image=unit(2, 2, 3, 1)),
            case("nan", image=f32([[[[NAN], [1]], [[2], [3]]]])),
        ),
        takes="floating",
    ),
)
