"""Define the rows of `tf.image` for random augmentation, crops, and reading and writing files."""

from __future__ import annotations

from typing import Any

from tf2jax_port.table.families import shim
from tf2jax_port.table.image_pixels import unit
from tf2jax_port.table.inputs import INF, NAN, Draw, Values, draw, empty, f32
from tf2jax_port.table.random import OTHER
from tf2jax_port.table.row import Case, Keep, Row, Shim, case

_IMAGE, _BATCH, _BYTES = unit(4, 5, 3), unit(3, 4, 5, 3), Draw((4, 5, 3), "uint8", 0, 256)
_SEED, _FLIPPED = (3, -4), (1, 2)
_NOT_FINITE = f32([[[[NAN, 1]], [[INF, 2]], [[0, 3]]]])
_TESTS = "tests/random"
_BOX = f32([[[0.1, 0.2, 0.5, 0.6]]])
_REFUSED: dict[str, Any] = {"raises": "InvalidArgumentError", "seed": _SEED}
_OF_CROP = (
    "min_object_covered=0.1, aspect_ratio_range=None, area_range=None, max_attempts=None, "
    "use_image_if_no_bounding_boxes=None, name=None"
)
_HOST = "image files are decoded and encoded on the host, with Pillow or imageio"


def _random_rows(name: str, params: str, *cases: Case, **options: Any) -> tuple[Row, Row]:
    """Build the table rows of both variants of a random operator: stateless, with a `seed`, and stateful."""
    given, _, rest = params.partition(", name")
    name_at_the_end = f", name{rest}" if rest else ""
    needed = "seed=None" if name == "random_saturation" else "seed"
    options.setdefault("tolerance", 1e-5)
    return (
        shim(
            f"image.stateless_{name}",
            f"{given}, {needed}{name_at_the_end}",
            "image.random_images",
            inputs=cases,
            xla=OTHER,
            **options,
        ),
        shim(
            f"image.{name}",
            f"{given}, seed=None{name_at_the_end}",
            "image.random_images",
            tests=_TESTS,
        ),
    )


def _of_range(**bounds: Any) -> tuple[Case, ...]:
    """Build the test cases of a random operator that samples a value between `bounds`."""
    wrong: dict[str, Any] = {name: -value for name, value in bounds.items()}
    return (
        case("image", image=_IMAGE, seed=_SEED, **bounds),
        case("batch", image=_BATCH, seed=_SEED, **bounds),
        case("bytes", image=_BYTES, seed=_SEED, **bounds),
        case("bounds", raises="ValueError", image=_IMAGE, seed=_SEED, **wrong),
        case("float-seed", raises="InvalidArgumentError", image=_IMAGE, seed=(1.0, 2.0), **bounds),
    )


_FLIPS: tuple[Case, ...] = (
    case("image", image=_IMAGE, seed=_SEED),
    case("image-turned", image=_IMAGE, seed=_FLIPPED),
    case("batch", image=_BATCH, seed=_SEED),
    case("bytes", image=Draw((3, 4, 5, 1), "uint8", 0, 256), seed=_FLIPPED),
    case("not-finite", image=_NOT_FINITE, seed=_SEED, gradient=()),
    case("rank2", raises="ValueError", image=unit(4, 5), seed=_SEED),
)

_PATCHES: dict[str, Any] = {
    "sizes": (1, 2, 3, 1),
    "strides": (1, 1, 2, 1),
    "rates": (1, 1, 1, 1),
}
_VOLUME: dict[str, Any] = {"ksizes": (1, 2, 1, 2, 1), "strides": (1, 1, 2, 1, 1)}
_BOXES = f32(
    [
        [[0.1, 0.2, 0.6, 0.7], [0, 0, 1, 1], [-0.5, 0.3, 0.4, 1.4]],
        [[0.5, 0.5, 0.2, 0.2], [1.2, 1.2, 1.5, 1.5], [-0.1, -0.1, 0.3, 0.3]],
    ]
)


def _pattern(more: float) -> Values:
    """Describe three images with a fixed pattern, plus a vertical brightness ramp of height `more`."""
    rows = [[[(i * j) % 5 / 5 + more * i / 9] for j in range(8)] for i in range(9)]
    return f32([rows, rows[::-1], [r[::-1] for r in rows]])


ROWS: tuple[Row, ...] = (
    *_random_rows("random_brightness", "image, max_delta", *_of_range(max_delta=0.3)),
    *_random_rows(
        "random_contrast",
        "image, lower, upper",
        *_of_range(lower=0.5, upper=1.5),
        no_gradient="TensorFlow registers no gradient",
    ),
    *_random_rows(
        "random_hue",
        "image, max_delta",
        *_of_range(max_delta=0.2),
        case("more-than-half", raises="ValueError", image=_IMAGE, seed=_SEED, max_delta=0.7),
        no_gradient="TensorFlow registers no gradient",
    ),
    *_random_rows(
        "random_saturation",
        "image, lower, upper",
        *_of_range(lower=0.5, upper=1.5),
        case("no-seed", raises="ValueError", image=_IMAGE, lower=0.5, upper=1.5),
        no_gradient="TensorFlow registers no gradient",
    ),
    *_random_rows("random_flip_left_right", "image", *_FLIPS),
    *_random_rows("random_flip_up_down", "image", *_FLIPS),
    *_random_rows(
        "random_crop",
        "value, size, name=None",
        case("image", value=_IMAGE, size=(2, 3, 3), seed=_SEED),
        case("vector", value=draw(6), size=[2], seed=_SEED, pad=()),
        case("all-of-it", value=draw(3, 2), size=(3, 2), seed=_SEED, pad=()),
        case("int32", value=Draw((5, 2), "int32", 0, 9), size=(2, 1), seed=_SEED),
        case("too-large", raises="InvalidArgumentError", value=draw(3), size=[4], seed=_SEED),
        case("rank", raises="InvalidArgumentError", value=draw(3), size=[1, 1], seed=_SEED),
    ),
    shim(
        "image.stateless_sample_distorted_bounding_box",
        f"image_size, bounding_boxes, seed, {_OF_CROP}",
        "image.random_crop",
        inputs=(
            case("one", image_size=(40, 90, 3), bounding_boxes=_BOX, seed=_SEED),
            case(
                "some",
                image_size=(90, 41, 1),
                bounding_boxes=f32([[[0, 0, 1, 1], [0.5, 0.5, 0.5, 0.5], [0.2, 0.1, 0.3, 0.9]]]),
                seed=_FLIPPED,
                min_object_covered=0.5,
                aspect_ratio_range=(0.5, 2.0),
                area_range=(0.1, 0.9),
                pad=(("bounding_boxes", 1),),
            ),
            case(
                "never",
                image_size=(50, 50, 3),
                bounding_boxes=f32([[[0, 0, 1, 1]]]),
                seed=_SEED,
                min_object_covered=0.99,
                area_range=(0.1, 0.2),
                max_attempts=3,
            ),
            case(
                "no-box",
                image_size=(9, 9, 3),
                bounding_boxes=empty(0, 0, 4),
                seed=_SEED,
                use_image_if_no_bounding_boxes=True,
            ),
            case("no-box-given", image_size=(9, 9, 3), bounding_boxes=empty(0, 0, 4), **_REFUSED),
            case("outside", image_size=(9, 9, 3), bounding_boxes=f32([[[0, 0, 2, 1]]]), **_REFUSED),
            case("area", image_size=(9, 9, 3), bounding_boxes=_BOX, area_range=(0, 1), **_REFUSED),
            case(
                "covered",
                image_size=(9, 9, 3),
                bounding_boxes=_BOX,
                min_object_covered=-1.0,
                **_REFUSED,
            ),
        ),
        takes="image_size: signed uint8",
        no_gradient="the operator has no gradient",
        xla="unsupported: no kernel",
    ),
    shim(
        "image.sample_distorted_bounding_box",
        f"image_size, bounding_boxes, seed=0, {_OF_CROP}",
        "image.random_crop",
        tests=_TESTS,
    ),
    # Windows and frames.
    shim(
        "image.extract_patches",
        "images, sizes, strides, rates, padding, name=None",
        "image.windows",
        inputs=(
            case("valid", images=unit(2, 4, 5, 2), **_PATCHES, padding="VALID"),
            case("same", images=unit(3, 4, 5, 1), **_PATCHES, padding="SAME"),
            case(
                "rates",
                images=unit(1, 5, 6, 1),
                **{**_PATCHES, "rates": (1, 2, 2, 1)},
                padding="SAME",
                pad=(("images", 1),),
            ),
            case("int32", images=Draw((1, 3, 3, 1), "int32", 0, 9), **_PATCHES, padding="VALID"),
            case("nothing", images=unit(1, 1, 3, 1), **_PATCHES, padding="VALID", gradient=()),
            case(
                "too-large",
                raises="InvalidArgumentError",
                images=unit(1, 2, 1, 1),
                **{**_PATCHES, "sizes": (1, 4, 1, 1)},
                padding="VALID",
            ),
            case(
                "batches",
                raises="UnimplementedError",
                images=unit(1, 2, 2, 1),
                **{**_PATCHES, "sizes": (2, 1, 1, 1)},
                padding="SAME",
            ),
            case(
                "padding",
                raises="InvalidArgumentError",
                images=unit(1, 2, 2, 1),
                **_PATCHES,
                padding="FULL",
            ),
        ),
        takes="number",
    ),
    shim(
        "extract_volume_patches",
        "input, ksizes, strides, padding, name=None",
        "image.windows",
        inputs=(
            case("valid", input=unit(2, 3, 4, 3, 2), **_VOLUME, padding="VALID"),
            case("same", input=unit(2, 3, 4, 3, 1), **_VOLUME, padding="SAME"),
            case(
                "complex",
                raises="InvalidArgumentError",
                input=Draw((1, 2, 2, 2, 1), "complex64"),
                **_VOLUME,
                padding="SAME",
            ),
        ),
        xla="unsupported: no kernel",
        takes="real",
    ),
    shim(
        "image.resize_with_pad",
        "image, target_height, target_width, method='bilinear', antialias=False",
        "image.windows",
        tolerance=4e-6,
        inputs=(
            case("wide", image=_IMAGE, target_height=3, target_width=9),
            case("high", image=_BATCH, target_height=9, target_width=4),
            case("bytes", image=_BYTES, target_height=7, target_width=7, method="nearest"),
            case(
                "nothing",
                raises="ValueError",
                image=_IMAGE,
                target_height=0,
                target_width=9,
            ),
            case("rank2", raises="ValueError", image=unit(4, 5), target_height=2, target_width=2),
        ),
        fresh=True,
        takes="real -uint32 -uint64",
    ),
    shim(
        "image.draw_bounding_boxes",
        "images, boxes, colors, name=None",
        "image.windows",
        inputs=(
            case("own-colours", images=unit(2, 5, 6, 3), boxes=_BOXES, colors=None),
            case("colours", gradient=(), images=unit(2, 7, 6, 4), boxes=_BOXES, colors=unit(2, 4)),
            case("grey", images=unit(2, 3, 3, 1), boxes=_BOXES, colors=None),
            case("none", images=unit(1, 3, 3, 3), boxes=empty(1, 0, 4), colors=None),
            case(
                "half",
                images=Draw((2, 5, 6, 3), "float16", 0.0, 1.0),
                boxes=_BOXES,
                colors=None,
            ),
            case(
                "few-channels",
                raises="InvalidArgumentError",
                images=unit(2, 3, 3, 3),
                boxes=_BOXES,
                colors=unit(2, 2),
            ),
            case(
                "batch",
                raises="InvalidArgumentError",
                images=unit(1, 3, 3, 3),
                boxes=_BOXES,
                colors=None,
            ),
        ),
        xla="unsupported: no kernel",
        takes="images: float16 float32; boxes: float32",
    ),
    Row(
        "image.ResizeMethod",
        None,
        Shim("shims.image.ResizeMethod"),
        own="image.windows:ResizeMethod",
    ),
    shim(
        "image.ssim_multiscale",
        "img1, img2, max_val, power_factors=(0.0448, 0.2856, 0.3001, 0.2363, 0.1333), "
        "filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03",
        "image.quality",
        tolerance=2e-5,
        inputs=(
            case(
                "two-scales",
                img1=_pattern(0.0),
                img2=_pattern(0.1),
                max_val=1.0,
                power_factors=(0.3, 0.7),
                filter_size=3,
            ),
            case(
                "unlike",
                img1=unit(3, 9, 8, 2),
                img2=unit(3, 9, 8, 2),
                max_val=1.0,
                power_factors=(0.3, 0.7),
                filter_size=3,
                differs="gradient: TensorFlow's gradient is NaN where the structures are opposite",
            ),
            case(
                "bytes",
                img1=Draw((7, 6, 1), "uint8", 0, 200),
                img2=Draw((7, 6, 1), "uint8", 50, 256),
                max_val=255,
                power_factors=(0.5, 0.5),
                filter_size=2,
                pad=(),
            ),
            case(
                "window",
                raises="InvalidArgumentError",
                img1=unit(9, 9, 1),
                img2=unit(9, 9, 1),
                max_val=1.0,
            ),
        ),
        takes="img1 img2: real",
    ),
    # Files.
    *(
        Row(f"image.{name}", params, Keep(_HOST), own=f"image.{module}:{name}")
        for module, name, params in (
            ("encoding", "adjust_jpeg_quality", "image, jpeg_quality, dct_method='', name=None"),
            ("files", "decode_and_crop_jpeg", "contents, crop_window"),
            ("files", "decode_bmp", "contents, channels=0, name=None"),
            ("files", "decode_gif", "contents, name=None"),
            ("files", "decode_image", "contents, channels=None, dtype=tf.uint8, name=None"),
            ("files", "decode_jpeg", "contents, channels=0"),
            ("files", "decode_png", "contents, channels=0, dtype=tf.uint8, name=None"),
            ("encoding", "encode_jpeg", "image, format='', quality=95"),
            ("encoding", "encode_png", "image, compression=-1, name=None"),
            ("files", "extract_jpeg_shape", "contents, output_type=tf.int32, name=None"),
            ("files", "is_jpeg", "contents, name=None"),
            (
                "encoding",
                "random_jpeg_quality",
                "image, min_jpeg_quality, max_jpeg_quality, seed=None",
            ),
            (
                "encoding",
                "stateless_random_jpeg_quality",
                "image, min_jpeg_quality, max_jpeg_quality, seed",
            ),
        )
    ),
)
