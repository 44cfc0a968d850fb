"""Define the table rows of `tf.raw_ops`, and of names that mean something else in TensorFlow 1."""

from __future__ import annotations

from typing import Any

from tf2jax_port.table.families import shim
from tf2jax_port.table.inputs import INF, NAN, bools, draw, empty, f32, i32
from tf2jax_port.table.row import Case, Row, case

_ROWS = f32([[1, 2], [0, -0.0], [1, 2], [-0.0, 0], [1, 3]])
_UNIQUE: tuple[Case, ...] = (
    case("rows", x=_ROWS, axis=[0]),
    case("columns", x=i32([[1, 2, 1, 2], [3, 4, 3, 5]]), axis=[1], pad=(("x", 1),)),
    case("last", x=i32([[[1, 2, 1]], [[0, 2, 0]]]), axis=[-1], pad=(("x", 2),)),
    case("vector", x=i32([5, 4, 5, 5]), axis=[]),
    case("nan", x=f32([[NAN, 1], [2, INF], [NAN, 1], [2, INF]]), axis=[0]),
    case("empty", x=empty(0, 2), axis=[0]),
    case("int64-positions", x=_ROWS, axis=[0], out_idx="int64"),
    case("matrix-without-axis", raises="InvalidArgumentError", x=_ROWS, axis=[]),
    case("two-axes", raises="InvalidArgumentError", x=_ROWS, axis=[0, 1]),
)
_INITIALIZER = "tests/random"


def _initializer(name: str, params: str, *aliases: str) -> Row:
    """Build the table row of a TensorFlow 1 initializer."""
    return shim(
        f"v1.{name}",
        params,
        "random.initializers_v1",
        aliases=tuple(f"v1.{a}" for a in aliases),
        tests=_INITIALIZER,
        gives="a function of shapes",
    )


_TURNED = f32([[0.8, -0.6, 1.5, 0.6, 0.8, -1.25, 0.01, 0.02]])
_EACH = f32([[1, 0.5, -3.25, 0, 1, 2.5, 0, 0], [-1.5, 0, 4.25, 0.25, -1, 3, 0.1, 0]])


def _projected(
    id: str,
    transforms: object = _TURNED,
    gradient: tuple[str, ...] = ("images",),
    **arguments: object,
) -> Case:
    """Build a case of projected images."""
    given: dict[str, Any] = {
        "images": draw(2, 4, 5, 2),
        "transforms": transforms,
        "output_shape": (5, 4),
        "interpolation": "BILINEAR",
    }
    return case(id, gradient=gradient, **{**given, **arguments})


def _filled(each: Case) -> Case:
    """Build the case of the operator that fills with a given number."""
    arguments: dict[str, Any] = dict(each.arguments)
    return case(each.id, gradient=each.gradient, fill_value=7.5, **arguments)


_PROJECTED = (
    *(
        _projected(f"{mode.lower()}-{way.lower()}", _EACH, interpolation=way, fill_mode=mode)
        for mode in ("CONSTANT", "NEAREST", "REFLECT", "WRAP")
        for way in ("NEAREST", "BILINEAR")
    ),
    _projected("not-defined-somewhere", f32([[1, 0, 0, 0, 1, 0, -1, 0]])),
    _projected("int32", gradient=(), images=i32([[[[1], [20]], [[300], [-7]]]])),
    _projected("one-pixel", images=draw(1, 1, 1, 1), fill_mode="REFLECT"),
    _projected("empty", images=empty(0, 2, 2, 1)),
)

ROWS: tuple[Row, ...] = (
    shim(
        "raw_ops.ImageProjectiveTransformV2",
        "images, transforms, output_shape, interpolation, fill_mode='CONSTANT', name=None",
        "raw_ops.projective",
        inputs=_PROJECTED,
        xla="unsupported: no kernel",
    ),
    shim(
        "raw_ops.ImageProjectiveTransformV3",
        "images, transforms, output_shape, fill_value, interpolation, fill_mode='CONSTANT', name=None",
        "raw_ops.projective",
        inputs=tuple(map(_filled, _PROJECTED)),
        xla="unsupported: no kernel",
    ),
    shim(
        "raw_ops.Empty",
        "shape, dtype, init=False, name=None",
        "raw_ops.raw_ops",
        inputs=(
            case("matrix", shape=(2, 3), dtype="float32", init=True),
            case("none", shape=(0,), dtype="int32", init=True),
            case("scalar", shape=(), dtype="bool", init=True),
        ),
    ),
    shim(
        "raw_ops.UniqueV2",
        "x, axis, out_idx=tf.int32, name=None",
        "raw_ops.raw_ops",
        fresh=True,
        inputs=_UNIQUE,
        no_gradient="TensorFlow registers no gradient",
        takes="real bool",
    ),
    shim(
        "raw_ops.UniqueWithCountsV2",
        "x, axis, out_idx=tf.int32, name=None",
        "raw_ops.raw_ops",
        fresh=True,
        inputs=_UNIQUE,
        no_gradient="TensorFlow registers no gradient",
        xla="unsupported: no kernel",
        takes="real bool",
    ),
    shim(
        "v1.where",
        "condition, x=None, y=None, name=None",
        "raw_ops.redefined_in_v1",
        aliases=(),
        fresh=True,
        inputs=(
            case("coordinates", condition=bools([[0, 1], [1, 1]])),
            case("alike", condition=bools([[1, 0], [0, 1]]), x=draw(2, 2), y=draw(2, 2)),
            case("rows", condition=bools([1, 0, 1]), x=draw(3, 2), y=draw(3, 2)),
            case("rows-of-planes", condition=bools([0, 1]), x=draw(2, 2, 2), y=draw(2, 2, 2)),
            case("scalar", condition=bools(1), x=f32([NAN, 1]), y=f32([2, INF])),
            case("not-finite", condition=bools([1, 0]), x=f32([NAN, INF]), y=f32([INF, 2])),
            case("int32", condition=bools([1, 0]), x=i32([1, 2]), y=i32([3, 4])),
            case("empty", condition=empty(0, dtype="bool"), x=empty(0, 2), y=empty(0, 2)),
            case("one-missing", raises="ValueError", condition=bools([1]), x=draw(1)),
            case(
                "columns",
                raises="InvalidArgumentError",
                condition=bools([1, 0]),
                x=draw(3, 2),
                y=draw(3, 2),
            ),
            case(
                "broadcast",
                raises="InvalidArgumentError",
                condition=bools([1, 0]),
                x=draw(2),
                y=draw(1),
            ),
        ),
    ),
    _initializer("zeros_initializer", "dtype=tf.float32", "initializers.zeros"),
    _initializer("ones_initializer", "dtype=tf.float32", "initializers.ones"),
    _initializer(
        "constant_initializer",
        "value=0, dtype=tf.float32, verify_shape=False",
        "initializers.constant",
    ),
    _initializer(
        "random_uniform_initializer",
        "minval=0.0, maxval=None, seed=None, dtype=tf.float32",
        "initializers.random_uniform",
    ),
    _initializer(
        "random_normal_initializer",
        "mean=0.0, stddev=1.0, seed=None, dtype=tf.float32",
        "initializers.random_normal",
    ),
    _initializer(
        "truncated_normal_initializer",
        "mean=0.0, stddev=1.0, seed=None, dtype=tf.float32",
        "initializers.truncated_normal",
    ),
    _initializer(
        "uniform_unit_scaling_initializer",
        "factor=1.0, seed=None, dtype=tf.float32",
        "initializers.uniform_unit_scaling",
    ),
    _initializer(
        "variance_scaling_initializer",
        "scale=1.0, mode='fan_in', distribution='truncated_normal', seed=None, dtype=tf.float32",
        "initializers.variance_scaling",
    ),
    _initializer(
        "glorot_uniform_initializer", "seed=None, dtype=tf.float32", "initializers.glorot_uniform"
    ),
    _initializer(
        "glorot_normal_initializer", "seed=None, dtype=tf.float32", "initializers.glorot_normal"
    ),
    _initializer("initializers.identity", "gain=1.0, dtype=tf.float32"),
    _initializer("initializers.he_normal", "seed=None"),
    _initializer("initializers.he_uniform", "seed=None"),
    _initializer("initializers.lecun_normal", "seed=None"),
    _initializer("initializers.lecun_uniform", "seed=None"),
)
