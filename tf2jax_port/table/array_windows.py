"""Define the table rows of `tf.*` that extract windows, reverse sequences and gather rows."""

from __future__ import annotations

from tf2jax_port.table.families import shim
from tf2jax_port.table.inputs import INF, NAN, draw, empty, f32, i32
from tf2jax_port.table.row import Row, case

_MASKS = (
    "begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0, var=None, "
    "name=None"
)

ROWS: tuple[Row, ...] = (
    shim(
        "slice",
        "input_, begin, size, name=None",
        "array.cutting",
        inputs=(
            case("rank1", input_=draw(5), begin=[1], size=[3]),
            case("rank2", input_=draw(4, 3), begin=[1, 0], size=[2, 2]),
            case("rest", input_=draw(4, 3), begin=[2, 1], size=[-1, -1]),
            case("everything", input_=draw(3, 2), begin=[0, 0], size=[-1, -1]),
            case("nothing", input_=draw(4), begin=[4], size=[0]),
            case("arrays", input_=draw(5), begin=i32([1]), size=i32([2])),
            case("nan-inf", input_=f32([NAN, INF, 1]), begin=[0], size=[2]),
            case("int32", input_=i32([1, 2, 3]), begin=[1], size=[1]),
            case(
                "scalar",
                input_=f32(2.0),
                begin=empty(0, dtype="int32"),
                size=empty(0, dtype="int32"),
            ),
            case("empty", input_=empty(0, 2), begin=[0, 1], size=[0, 1]),
            case("too-long", raises="InvalidArgumentError", input_=draw(3), begin=[1], size=[3]),
            case("negative", raises="InvalidArgumentError", input_=draw(3), begin=[-1], size=[1]),
            case("size-2", raises="InvalidArgumentError", input_=draw(3), begin=[0], size=[-2]),
            case("ranks", raises="InvalidArgumentError", input_=draw(3), begin=[0, 0], size=[1, 1]),
        ),
    ),
    shim(
        "strided_slice",
        f"input_, begin, end, strides=None, {_MASKS}",
        "array.cutting",
        inputs=(
            case("rank1", input_=draw(5), begin=[1], end=[4]),
            case("negative", input_=draw(5), begin=[-3], end=[-1]),
            case("steps", input_=draw(6, 4), begin=[0, 3], end=[6, 0], strides=[2, -1]),
            case("beyond", input_=draw(4), begin=[-9], end=[9], strides=[3]),
            case(
                "backwards",
                input_=draw(4),
                begin=[0],
                end=[0],
                strides=[-1],
                end_mask=1,
                begin_mask=1,
            ),
            case("leading", input_=draw(4, 3), begin=[1], end=[3]),
            case("shrink", input_=draw(4, 3), begin=[0, -1], end=[4, 0], shrink_axis_mask=2),
            case("new-axis", input_=draw(4), begin=[0, 1], end=[0, 3], new_axis_mask=1),
            case("ellipsis", input_=draw(2, 3, 4), begin=[0, 1], end=[0, 3], ellipsis_mask=1),
            case(
                "all-masks",
                input_=draw(2, 3, 4),
                begin=[1, 0, 0, 2],
                end=[0, 0, 0, 0],
                strides=[1, 1, 1, 1],
                begin_mask=8,
                end_mask=8,
                ellipsis_mask=2,
                new_axis_mask=4,
                shrink_axis_mask=1,
            ),
            case("nothing", input_=draw(4), begin=[3], end=[1]),
            case("nan", input_=f32([NAN, 1, -0.0]), begin=[0], end=[2]),
            case("empty", input_=empty(0, 2), begin=[0], end=[3]),
            case(
                "step0",
                raises="InvalidArgumentError",
                input_=draw(3),
                begin=[0],
                end=[1],
                strides=[0],
            ),
            case(
                "out-of-range",
                raises="InvalidArgumentError",
                input_=draw(3),
                begin=[5],
                end=[6],
                shrink_axis_mask=1,
            ),
            case("axes", raises="InvalidArgumentError", input_=draw(3), begin=[0, 0], end=[1, 1]),
        ),
    ),
    shim(
        "reverse_sequence",
        "input, seq_lengths, seq_axis=None, batch_axis=None, name=None",
        "array.cutting",
        inputs=(
            case("rows", input=draw(3, 5), seq_lengths=i32([2, 0, 5]), seq_axis=1),
            case("columns", input=draw(4, 3), seq_lengths=i32([1, 3, 4]), seq_axis=0, batch_axis=1),
            case("rank3", input=draw(2, 3, 4), seq_lengths=i32([4, 2]), seq_axis=2, batch_axis=0),
            case("nan", input=f32([[NAN, 1, 2]]), seq_lengths=i32([2]), seq_axis=1),
            case("int32", input=i32([[1, 2, 3]]), seq_lengths=i32([3]), seq_axis=1),
            case("empty", input=empty(0, 3), seq_lengths=empty(0, dtype="int32"), seq_axis=1),
            case(
                "long",
                raises="InvalidArgumentError",
                input=draw(1, 3),
                seq_lengths=i32([4]),
                seq_axis=1,
            ),
            case(
                "below0",
                raises="InvalidArgumentError",
                input=draw(1, 3),
                seq_lengths=i32([-1]),
                seq_axis=1,
            ),
            case(
                "lengths",
                raises="InvalidArgumentError",
                input=draw(2, 3),
                seq_lengths=i32([1]),
                seq_axis=1,
            ),
            case(
                "one-axis",
                raises="InvalidArgumentError",
                input=draw(2, 3),
                seq_lengths=i32([1, 1]),
                seq_axis=0,
            ),
        ),
        takes="seq_lengths: index",
    ),
    shim(
        "nn.embedding_lookup",
        "params, ids, max_norm=None, name=None",
        "nn.embedding",
        inputs=(
            case("vector", params=draw(4, 3), ids=i32([3, 0, 3])),
            case("matrix", params=draw(4, 3), ids=i32([[3, 0], [1, 1]])),
            case("scalar", params=draw(4, 3), ids=2),
            case(
                "max-norm",
                params=draw(4, 3, low=-5, high=5),
                ids=i32([[3, 0], [1, 1]]),
                max_norm=2.0,
            ),
            case("two-parts", params=(draw(2, 3), draw(2, 3)), ids=i32([3, 0, 2, 1])),
            case("uneven", params=(draw(3, 2), draw(2, 2), draw(2, 2)), ids=i32([0, 2, 3, 4, 6])),
            case("parts-max-norm", params=(draw(2, 3), draw(1, 3)), ids=i32([2, 0]), max_norm=0.5),
            case("nan", params=f32([[NAN, 1], [2, 3]]), ids=i32([0, 1])),
            case("none", params=draw(4, 3), ids=empty(0, dtype="int32")),
            case("out-of-range", raises="InvalidArgumentError", params=draw(3, 2), ids=i32([3])),
            case("negative", raises="InvalidArgumentError", params=draw(3, 2), ids=i32([-1])),
            case("no-table", raises="ValueError", params=[], ids=i32([0])),
        ),
        takes="ids: index int16",
    ),
)
