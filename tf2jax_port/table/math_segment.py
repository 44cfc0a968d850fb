"""Define the table rows of `tf.math` that reduce segments."""

from __future__ import annotations

from tf2jax_port.table.families import shim
from tf2jax_port.table.inputs import INF, NAN, draw, empty, f32, i32
from tf2jax_port.table.row import Case, Row, case

_SEGMENT = "data, segment_ids, name=None"
_UNSORTED = "data, segment_ids, num_segments, name=None"


def _sorted_cases(*more: Case) -> tuple[Case, ...]:
    """Build the test cases of reductions over sorted segment ids."""
    return (
        case("rank1", unbounded=True, data=draw(5), segment_ids=i32([0, 0, 1, 1, 1])),
        case("rank2", unbounded=True, data=draw(4, 3), segment_ids=i32([0, 0, 1, 2])),
        case("gap", unbounded=True, data=draw(3), segment_ids=i32([0, 0, 2])),
        case("ties", unbounded=True, data=f32([2, 2, 1, 1]), segment_ids=i32([0, 0, 1, 1])),
        case(
            "nan-inf",
            unbounded=True,
            data=f32([1, NAN, INF, 1, -INF]),
            segment_ids=i32([0, 0, 1, 1, 2]),
        ),
        case("size1", unbounded=True, data=f32([[3.0, 4.0]]), segment_ids=i32([0])),
        case("empty", unbounded=True, data=empty(0, 2), segment_ids=empty(0, dtype="int32")),
        case("int32", unbounded=True, data=i32([1, 2, 3, 4]), segment_ids=i32([0, 0, 0, 1])),
        *more,
        case("unsorted", raises="InvalidArgumentError", data=draw(2), segment_ids=i32([1, 0])),
        case("lengths", raises="InvalidArgumentError", data=draw(3), segment_ids=i32([0, 1])),
    )


def _unsorted_cases(*more: Case) -> tuple[Case, ...]:
    """Build the test cases of reductions over unsorted segment ids."""
    nans = f32([1, NAN, INF, 1, -INF])
    flat = i32([2, 0, 2, 1])
    return (
        case("rank1", data=draw(5), segment_ids=i32([1, 0, 1, 2, 0]), num_segments=3),
        case("rank2", data=draw(4, 3), segment_ids=flat, num_segments=3),
        case("rank2-ids", data=draw(2, 2, 3), segment_ids=i32([[2, 0], [2, 1]]), num_segments=3),
        case("gap", data=draw(3), segment_ids=i32([0, 3, 0]), num_segments=5),
        case("ties", data=f32([2, 2, 1, 1]), segment_ids=i32([1, 1, 0, 0]), num_segments=2),
        case("negative-id", data=draw(3), segment_ids=i32([0, -1, 1]), num_segments=2),
        case("nan-inf", data=nans, segment_ids=i32([0, 0, 1, 1, 2]), num_segments=3),
        case("size1", data=f32([[3.0, 4.0]]), segment_ids=i32([0]), num_segments=1),
        case("empty", data=empty(0, 2), segment_ids=empty(0, dtype="int32"), num_segments=2),
        case("no-segments", data=empty(0, 2), segment_ids=empty(0, dtype="int32"), num_segments=0),
        *more,
        case(
            "id-too-large",
            raises="InvalidArgumentError",
            data=draw(2),
            segment_ids=i32([0, 5]),
            num_segments=2,
        ),
        case(
            "lengths",
            raises="InvalidArgumentError",
            data=draw(3),
            segment_ids=i32([0, 1]),
            num_segments=2,
        ),
    )


_INT32 = case("int32", data=i32([1, 2, 3, 4]), segment_ids=i32([1, 0, 1, 3]), num_segments=4)
_ZEROS = case(
    "zeros", data=f32([2, 0, 3, 0, 0, 4]), segment_ids=i32([0, 0, 0, 1, 1, 2]), num_segments=3
)
# Whether TensorFlow drops a NaN depends on the following value and on its SIMD lane.
_NAN_DROPPED = "value: TensorFlow drops a NaN that a number follows; ours is NaN"
_SORTED_NAN = case(
    "nan-first", unbounded=True, data=f32([NAN, 1]), segment_ids=i32([0, 0]), differs=_NAN_DROPPED
)
_NAN_FIRST = case(
    "nan-first",
    data=f32([NAN, 1]),
    segment_ids=i32([0, 0]),
    num_segments=1,
    differs=_NAN_DROPPED,
)
_UNSUPPORTED = "unsupported: the number of segments depends on data"

ROWS: tuple[Row, ...] = (
    shim(
        "math.segment_sum",
        _SEGMENT,
        "math.segment",
        fresh=True,
        inputs=_sorted_cases(),
        xla=_UNSUPPORTED,
        takes="data: number; segment_ids: index",
    ),
    shim(
        "math.segment_mean",
        _SEGMENT,
        "math.segment",
        fresh=True,
        inputs=_sorted_cases(),
        xla=_UNSUPPORTED,
        takes="data: number; segment_ids: index",
    ),
    shim(
        "math.segment_max",
        _SEGMENT,
        "math.segment",
        fresh=True,
        inputs=_sorted_cases(_SORTED_NAN),
        xla=_UNSUPPORTED,
        takes="data: real; segment_ids: index",
    ),
    shim(
        "math.segment_min",
        _SEGMENT,
        "math.segment",
        fresh=True,
        inputs=_sorted_cases(_SORTED_NAN),
        xla=_UNSUPPORTED,
        takes="data: real; segment_ids: index",
    ),
    shim(
        "math.segment_prod",
        _SEGMENT,
        "math.segment",
        fresh=True,
        inputs=_sorted_cases(),
        xla=_UNSUPPORTED,
        takes="data: number; segment_ids: index",
    ),
    shim(
        "math.unsorted_segment_sum",
        _UNSORTED,
        "math.segment",
        inputs=_unsorted_cases(_INT32),
        takes="data: number; segment_ids: index int16",
    ),
    shim(
        "math.unsorted_segment_mean",
        _UNSORTED,
        "math.segment",
        inputs=_unsorted_cases(),
        takes="data: real; segment_ids: index int16",
    ),
    shim(
        "math.unsorted_segment_max",
        _UNSORTED,
        "math.segment",
        inputs=_unsorted_cases(_INT32, _NAN_FIRST),
        xla="differs: NaN is dropped",
        takes="data: real; segment_ids: index",
    ),
    shim(
        "math.unsorted_segment_min",
        _UNSORTED,
        "math.segment",
        inputs=_unsorted_cases(_INT32, _NAN_FIRST),
        xla="differs: NaN is dropped",
        takes="data: real; segment_ids: index",
    ),
    shim(
        "math.unsorted_segment_prod",
        _UNSORTED,
        "math.segment",
        inputs=_unsorted_cases(_INT32, _ZEROS),
        takes="data: number; segment_ids: index",
    ),
    shim(
        "math.unsorted_segment_sqrt_n",
        _UNSORTED,
        "math.segment",
        inputs=_unsorted_cases(),
        takes="data: floating; segment_ids: index int16",
    ),
)
