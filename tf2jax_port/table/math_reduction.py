"""Define the table rows of `tf.math` for reductions, cumulative sums, sorting and counting."""

from __future__ import annotations

from tf2jax_port.table import standard
from tf2jax_port.table.families import native, reduction, shim
from tf2jax_port.table.inputs import INF, NAN, Draw, Values, bools, draw, draw_ints, empty, f32, i32
from tf2jax_port.table.row import Case, Row, Shim, case

_SMALL = "TensorFlow keeps the dtype of 8-bit and 16-bit integers, so results may wrap; JAX returns wider integers"
_EMPTY = "for an empty axis, TensorFlow returns the limit of the dtype, and JAX raises an error"
_NAN_ORDER = "the position of NaN differs; JAX sorts NaN last"
_RUNNING = "axis=0, exclusive=False, reverse=False, name=None"

_INTEGERS = standard.of_integer_reduction()
_BOOLS = standard.of_bool_reduction()
_FIRST_BIN = "differs: NaN falls into the first bin"
_LATE_NAN = "value: NaN stands anywhere in TensorFlow, last in ours"


def _cumulative_cases(differs: str = "") -> tuple[Case, ...]:
    """Build the test cases of cumulative sums and products."""
    return (
        case("rank1", x=draw(5)),
        case("axis1", x=draw(3, 4), axis=1),
        case("axis-1-exclusive", x=draw(3, 4), axis=-1, exclusive=True),
        case("reverse", x=draw(4), reverse=True),
        case("reverse-exclusive", x=draw(4, 2), reverse=True, exclusive=True),
        case("inf-exclusive", x=f32([1, INF, 1]), exclusive=True, differs=differs),
        case("nan", x=f32([1, NAN, 1]), differs=differs),
        case("empty", x=empty(0, 2)),
        case("size1-exclusive", x=f32([3.0]), exclusive=True),
        case("no-such-axis", raises="InvalidArgumentError", x=draw(3), axis=1),
    )


# For a mean, TensorFlow accumulates integers in 64 bits before it divides.
_OVERFLOWING = (
    case("int32-beyond", input_tensor=i32([[2**31 - 1, 2**31 - 2], [-(2**31), -(2**31)]]), axis=1),
    case("uint8-beyond", input_tensor=Values(((250, 10), (3, 4)), "uint8"), axis=1),
    case("int8-beyond", input_tensor=Values(((-128, -127, 0), (127, 127, 126)), "int8"), axis=1),
)


def _arg_cases(nans: tuple[Case, ...]) -> tuple[Case, ...]:
    """Build the test cases of `argmax` and `argmin`."""
    return (
        case("rank1", input=draw(5)),
        case("default-axis", input=f32([[1, 5], [7, 2]])),
        case("axis1", input=draw(3, 4), axis=1),
        case("axis-1", input=draw(2, 3, 4), axis=-1),
        case("ties", input=f32([[1, 3, 3], [2, 2, 1]]), axis=1),
        case("zeros", input=f32([-0.0, 0.0])),
        case("inf", input=f32([[-INF, -INF, 1], [INF, INF, 1]]), axis=1),
        *nans,
        case("int32", input=i32([3, 9, 9, -1])),
        case("int32-positions", input=draw(4), output_type="int32"),
        case("size1", input=f32([[4.0]]), axis=1),
        case("empty", input=empty(3, 0), axis=0),
        case("nothing", raises="InvalidArgumentError", input=empty(0), axis=0),
    )


def _sort_cases(kept: tuple[Case, ...]) -> tuple[Case, ...]:
    """Build the test cases of `sort` and `argsort`."""
    return (
        case("rank1", values=draw(6)),
        case("axis0", values=draw(3, 4), axis=0),
        case("descending", values=draw(3, 4), direction="DESCENDING"),
        case("descending-axis0", values=draw(3, 2), axis=0, direction="DESCENDING"),
        case("ties", values=f32([2, 1, 2, 1, 2])),
        case("ties-descending", values=f32([2, 1, 2, 1, 2]), direction="DESCENDING"),
        case("inf", values=f32([1, INF, -INF, 0])),
        case("int32", values=i32([3, -1, 2, 3])),
        case("int32-descending", values=i32([3, -(2**31), 2**31 - 1, 3]), direction="DESCENDING"),
        *kept,
        case("empty", gradient=(), values=empty(0)),
        case("size1", values=f32([1.0])),
        case("direction", raises="ValueError", values=draw(3), direction="UP"),
    )


ROWS: tuple[Row, ...] = (
    reduction(
        "reduce_sum",
        "jnp.sum({input_tensor}, axis={axis}, keepdims={keepdims})",
        more=_INTEGERS,
        note=_SMALL,
        takes="number",
    ),
    reduction(
        "reduce_mean",
        "jnp.mean({input_tensor}, axis={axis}, keepdims={keepdims})",
        more=(*_INTEGERS[:3], *_OVERFLOWING),
        note=(
            "TensorFlow truncates the mean of integers to an integer; TensorFlow's sum of float16 values may "
            "overflow, while `shims` sums in float32; if the overflow is wanted, write `reduce_sum(x) / size`"
        ),
        xla="differs: the mean of an empty integer array is -1",
        takes="number",
    ),
    reduction(
        "reduce_max",
        "jnp.max({input_tensor}, axis={axis}, keepdims={keepdims})",
        more=_INTEGERS,
        note=_EMPTY,
        xla="differs: NaN is dropped",
        takes="real",
    ),
    reduction(
        "reduce_min",
        "jnp.min({input_tensor}, axis={axis}, keepdims={keepdims})",
        more=_INTEGERS,
        note=_EMPTY,
        xla="differs: NaN is dropped",
        takes="real",
    ),
    reduction(
        "reduce_prod",
        "jnp.prod({input_tensor}, axis={axis}, keepdims={keepdims})",
        more=_INTEGERS,
        note=_SMALL,
        takes="number",
    ),
    reduction(
        "reduce_any",
        "jnp.any({input_tensor}, axis={axis}, keepdims={keepdims})",
        inputs=_BOOLS,
        takes="bool",
    ),
    reduction(
        "reduce_all",
        "jnp.all({input_tensor}, axis={axis}, keepdims={keepdims})",
        inputs=_BOOLS,
        takes="bool",
    ),
    reduction(
        "reduce_logsumexp",
        "jax.nn.logsumexp({input_tensor}, axis={axis}, keepdims={keepdims})",
        takes="floating",
    ),
    reduction(
        "math.reduce_variance",
        "jnp.var({input_tensor}, axis={axis}, keepdims={keepdims})",
        takes="inexact",
    ),
    reduction(
        "math.reduce_std",
        "jnp.std({input_tensor}, axis={axis}, keepdims={keepdims})",
        more=(
            case("equal-rows", input_tensor=f32([[2, 2], [1, 3]]), axis=1),
            case("int32", raises="TypeError", input_tensor=i32([1, 2])),
        ),
        differs=(
            "where the deviation and the incoming gradient are 0, TensorFlow's gradient is 0 and JAX's gradient is NaN"
        ),
        xla="differs: the gradient of a deviation of 0 is NaN even where the incoming gradient is 0",
        takes="inexact",
    ),
    reduction(
        "math.reduce_euclidean_norm",
        Shim("shims.math.reduce_euclidean_norm"),
        xla="unsupported: no kernel",
        more=(
            case("zero", input_tensor=f32([0, 0])),
            case("int32", input_tensor=i32([3, 5])),
        ),
        takes="number",
    ),
    native(
        "math.count_nonzero",
        "input, axis=None, keepdims=None, dtype=tf.int64, name=None",
        "jnp.count_nonzero({input}, axis={axis}, keepdims={keepdims})",
        own="math.reduction",
        optional=("axis", "keepdims"),
        tensors=("input",),
        renames=(
            ("keep_dims", "keepdims"),
            ("reduction_indices", "axis"),
            ("input_tensor", "input"),
        ),
        inputs=(
            case("all", input=f32([[0, 1, NAN], [-0.0, 2, INF]])),
            case("axis0", input=i32([[0, 1], [3, 0]]), axis=0),
            case("axis1-keepdims", input=bools([[0, 1], [0, 0]]), axis=1, keepdims=True),
            case("int32-result", input=draw(4), dtype="int32"),
            case("empty", input=empty(0, 2), axis=0),
            case("scalar", input=f32(1.0)),
        ),
    ),
    shim(
        "math.zero_fraction",
        "value, name=None",
        "math.reduction",
        aliases=("nn.zero_fraction",),
        inputs=(
            case("some", value=f32([0, 1, -0.0, 4])),
            case("int32", value=i32([[0, 1], [0, 2]])),
            case("nan", value=f32([NAN, 0])),
            case("empty", value=empty(0)),
        ),
    ),
    native(
        "cumsum",
        f"x, {_RUNNING}",
        "jnp.cumsum({x}, axis={axis})",
        own="math.cumulative",
        tensors=("x",),
        aliases=("math.cumsum",),
        inputs=(
            *_cumulative_cases(),
            case("reverse-small", x=f32([1e8, 1, 1]), reverse=True, exclusive=True),
            case("int32", x=draw_ints(4)),
            case("int8", xla="unsupported: no kernel", x=Draw((4,), "int8", 50, 100)),
        ),
        note=(
            "TensorFlow rounds every partial sum of bfloat16 values (the sum of 300 ones is 256), and JAX rounds "
            "only the result; `scan(lambda total, v: total + v, x)` computes TensorFlow's sum"
        ),
        takes="number",
    ),
    native(
        "math.cumprod",
        f"x, {_RUNNING}",
        "jnp.cumprod({x}, axis={axis})",
        own="math.cumulative",
        tensors=("x",),
        inputs=(
            *_cumulative_cases("gradient: TensorFlow divides by the element"),
            case(
                "zero",
                x=f32([2, 0, 3]),
                differs="gradient: TensorFlow's gradient is 0 after an element that is 0",
            ),
            case("int32", x=draw_ints(4)),
        ),
        differs="for elements after a zero, TensorFlow's gradient is 0, and JAX's gradient is correct",
        note=(
            "TensorFlow's gradient is `divide_no_nan(cumsum(y * dy, reverse=True), x)`; use `custom_gradient` if "
            "you need this gradient"
        ),
        takes="number",
    ),
    shim(
        "math.cumulative_logsumexp",
        f"x, {_RUNNING}",
        "math.cumulative",
        tensors=("x",),
        inputs=(
            case("rank1", x=draw(5)),
            case("axis1", x=draw(3, 4), axis=1),
            case("reverse", x=draw(4), reverse=True),
            case("inf", x=f32([-INF, 1, -INF])),
            case("inf-reverse", x=f32([-INF, 0, INF, 1, -INF]), reverse=True),
            case("inf-exclusive", x=f32([-INF, 0, INF, 1]), exclusive=True),
            case("nan", x=f32([1, NAN, 1]), differs="value: TensorFlow drops NaN"),
            case("empty", x=empty(0, 2)),
            case("exclusive", x=draw(4), exclusive=True),
        ),
        takes="floating",
    ),
    native(
        "argmax",
        "input, axis=None, output_type=tf.int64, name=None",
        "jnp.argmax({input}, axis={axis})",
        own="array.sorting",
        defaults=(("axis", "0"),),
        tensors=("input",),
        aliases=("math.argmax",),
        renames=(("dimension", "axis"),),
        inputs=_arg_cases(
            (
                case("nan-first", input=f32([NAN, 1, 3])),
                case("nan-inside", input=f32([1, NAN, 3])),
                case("all-nan", input=f32([NAN, NAN])),
                case("bool", input=bools([0, 1, 1])),
            )
        ),
        note=(
            "TensorFlow never treats NaN as the largest element, JAX always does; TensorFlow returns int64 by default"
        ),
        xla="differs: NaN",
        takes="real bool",
    ),
    native(
        "argmin",
        "input, axis=None, output_type=tf.int64, name=None",
        "jnp.argmin({input}, axis={axis})",
        own="array.sorting",
        defaults=(("axis", "0"),),
        tensors=("input",),
        aliases=("math.argmin",),
        renames=(("dimension", "axis"),),
        inputs=_arg_cases(
            (
                case("nan-first", input=f32([NAN, 3, 1])),
                case("nan-inside", input=f32([1, NAN, 3])),
                case("all-nan", input=f32([NAN, NAN])),
            )
        ),
        note=(
            "TensorFlow never treats NaN as the smallest element, JAX always does; TensorFlow returns int64 by default"
        ),
        xla="differs: NaN",
        takes="real bool",
    ),
    native(
        "sort",
        "values, axis=-1, direction='ASCENDING', name=None",
        "jnp.sort({values}, axis={axis})",
        own="array.sorting",
        optional=("axis",),
        tensors=("values",),
        inputs=_sort_cases(
            (
                case("nan", values=f32([3, NAN, 1, -INF, INF]), differs=_LATE_NAN),
                case(
                    "nan-descending",
                    values=f32([3, NAN, 1]),
                    direction="DESCENDING",
                    differs=_LATE_NAN,
                ),
            )
        ),
        differs=_NAN_ORDER,
        xla="differs: NaN and signed zeros have a different order",
        takes="real",
    ),
    native(
        "argsort",
        "values, axis=-1, direction='ASCENDING', stable=False, name=None",
        "jnp.argsort({values}, axis={axis})",
        own="array.sorting",
        optional=("axis",),
        tensors=("values",),
        inputs=_sort_cases(
            (
                case("zeros", values=f32([0.0, -0.0, 0.0, -1])),
                case("nan", values=f32([3, NAN, 1, -INF, INF]), differs=_LATE_NAN),
            )
        ),
        differs=_NAN_ORDER,
        xla="differs: NaN and signed zeros have a different order",
        takes="real",
    ),
    shim(
        "math.top_k",
        "input, k=1, sorted=True, index_type=tf.int32, name=None",
        "array.sorting",
        tensors=("input",),
        aliases=("nn.top_k",),
        inputs=(
            case("rank1", input=draw(6), k=3),
            case("rank2", input=draw(3, 5), k=2),
            case("default", input=draw(4)),
            case("ties", input=f32([1, 3, 3, 2, 3]), k=4),
            case("zeros", input=f32([-0.0, 0.0, -1]), k=3),
            case("k0", input=draw(2, 3), k=0),
            case("all", input=draw(4), k=4),
            case("inf", input=f32([INF, -INF, INF, 0]), k=3),
            case("int32", input=i32([5, -7, 5, 9]), k=3),
            case(
                "nan",
                input=f32([NAN, 2, NAN, 1]),
                k=3,
                differs="value: in `shims`, NaN comes first",
            ),
            case("k-too-large", raises="InvalidArgumentError", input=draw(2), k=3),
        ),
        xla="differs: NaN and signed zeros have a different order",
        takes="real",
    ),
    native(
        "searchsorted",
        "sorted_sequence, values, side='left', out_type=tf.int32, name=None",
        "jnp.searchsorted({sorted_sequence}, {values}, side={side})",
        own="array.sorting",
        optional=("side",),
        tensors=("sorted_sequence", "values"),
        inputs=(
            case("left", sorted_sequence=f32([1, 3, 5]), values=f32([0, 1, 2, 3, 5, 6])),
            case(
                "right",
                sorted_sequence=f32([1, 3, 3, 5]),
                values=f32([0, 1, 3, 5, 6]),
                side="right",
            ),
            case(
                "batch", sorted_sequence=f32([[1, 2, 3], [4, 5, 6]]), values=f32([[2, 9], [0, 5]])
            ),
            case(
                "rows-flattened",
                sorted_sequence=f32([[[1, 2, 3]], [[4, 5, 6]]]),
                values=f32([[2, 9], [0, 5]]),
                pad=(),
            ),
            case(
                "rows",
                raises="InvalidArgumentError",
                sorted_sequence=f32([[1, 2, 3], [4, 5, 6]]),
                values=f32([[2, 9]]),
            ),
            case("int32", sorted_sequence=i32([1, 3, 5]), values=i32([3, 4])),
            case("nan", sorted_sequence=f32([1, 2, 3]), values=f32([NAN, INF, -INF])),
            case("nan-right", sorted_sequence=f32([1, 2, 3]), values=f32([NAN, 2]), side="right"),
            case("zeros", sorted_sequence=f32([-0.0, 0.0, 1]), values=f32([0.0, -0.0])),
            case("empty", sorted_sequence=empty(0), values=f32([1, 2])),
            case("no-values", sorted_sequence=f32([1, 2]), values=empty(0)),
            case(
                "sides", raises="ValueError", sorted_sequence=f32([1]), values=f32([1]), side="up"
            ),
        ),
        differs="JAX accepts only one sequence, and sorts NaN to another position",
        xla="differs: NaN",
        takes="real",
    ),
    shim(
        "math.in_top_k",
        "targets, predictions, k, name=None",
        "array.sorting",
        aliases=("nn.in_top_k",),
        inputs=(
            case("normal", targets=i32([0, 2, 1]), predictions=draw(3, 4), k=2),
            case("tie", targets=i32([1, 0]), predictions=f32([[1, 1, 0], [1, 1, 0]]), k=1),
            case("out-of-range", targets=i32([5, -1]), predictions=draw(2, 3), k=2),
            case(
                "nan", targets=i32([0, 0, 1]), predictions=f32([[NAN, 1], [1, NAN], [INF, 1]]), k=1
            ),
            case("empty", targets=empty(0, dtype="int32"), predictions=empty(0, 3), k=1),
        ),
        xla="differs: NaN",
        takes="targets: index; predictions: float32",
    ),
    shim(
        "math.bincount",
        "arr, weights=None, minlength=None, maxlength=None, dtype=tf.int32, name=None, axis=None, "
        "binary_output=False",
        "math.histogram",
        inputs=(
            case("normal", unbounded=True, arr=i32([1, 3, 1, 0])),
            case("rank2", unbounded=True, arr=i32([[1, 3], [1, 0]])),
            case("weights", unbounded=True, arr=i32([1, 3, 1]), weights=f32([0.5, 2, 1.5])),
            case("no-weights", unbounded=True, arr=i32([1, 3, 1]), weights=empty(0), gradient=()),
            case("minlength", unbounded=True, arr=i32([1, 2]), minlength=5),
            case("maxlength", arr=i32([1, 7, 2]), maxlength=3),
            case("fixed", arr=i32([1, 7, 2]), minlength=4, maxlength=4),
            case("by-row", unbounded=True, arr=i32([[1, 1], [0, 2]]), axis=-1),
            case("binary", unbounded=True, arr=i32([1, 1, 2]), binary_output=True),
            case("int64-counts", unbounded=True, arr=i32([1, 1, 2]), dtype="int64"),
            case("empty", unbounded=True, arr=empty(0, dtype="int32")),
            case("negative", raises="InvalidArgumentError", arr=i32([-1, 2])),
        ),
        fresh=True,
        no_gradient="TensorFlow registers no gradient",
        takes="index inexact bool",
    ),
    shim(
        "histogram_fixed_width",
        "values, value_range, nbins=100, dtype=tf.int32, name=None",
        "math.histogram",
        inputs=(
            case("normal", values=draw(9), value_range=f32([-2, 2]), nbins=4),
            case("outside", values=f32([-1, 0, 1.5, 5, 15]), value_range=f32([0, 5]), nbins=5),
            case("default", values=draw(4), value_range=f32([-2, 2])),
            case("empty", values=empty(0), value_range=f32([0, 1]), nbins=3),
            case(
                "range",
                raises="InvalidArgumentError",
                values=draw(3),
                value_range=f32([1, 1]),
                nbins=3,
            ),
        ),
        xla="unsupported: no kernel",
        takes="values value_range: index float32 float64",
    ),
    shim(
        "histogram_fixed_width_bins",
        "values, value_range, nbins=100, dtype=tf.int32, name=None",
        "math.histogram",
        inputs=(
            case("normal", values=draw(3, 3), value_range=f32([-2, 2]), nbins=4),
            case("outside", values=f32([-1, 0, 1.5, 5, 15]), value_range=f32([0, 5]), nbins=5),
            case("empty", values=empty(0), value_range=f32([0, 1]), nbins=3),
            case(
                "nan",
                xla=_FIRST_BIN,
                values=f32([NAN, INF, -INF]),
                value_range=f32([0, 1]),
                nbins=3,
            ),
            case("backwards", values=f32([0, 1, 2, 3]), value_range=f32([2, 1]), nbins=3),
            case(
                "empty-range",
                xla=_FIRST_BIN,
                values=f32([0, 1, 2]),
                value_range=f32([1, 1]),
                nbins=3,
            ),
        ),
        takes="values value_range: floating",
    ),
    shim(
        "math.confusion_matrix",
        "labels, predictions, num_classes=None, weights=None, dtype=tf.int32, name=None",
        "math.histogram",
        inputs=(
            case("normal", unbounded=True, labels=i32([1, 2, 4]), predictions=i32([2, 2, 4])),
            case("classes", labels=i32([1, 2]), predictions=i32([2, 2]), num_classes=4),
            case(
                "weights",
                unbounded=True,
                labels=i32([0, 1]),
                predictions=i32([1, 1]),
                weights=i32([2, 3]),
            ),
            case(
                "floats",
                unbounded=True,
                labels=i32([0, 1]),
                predictions=i32([1, 1]),
                dtype="float32",
            ),
            case(
                "out-of-range",
                raises="InvalidArgumentError",
                labels=i32([1, 5]),
                predictions=i32([0, 0]),
                num_classes=3,
            ),
        ),
        fresh=True,
    ),
)
