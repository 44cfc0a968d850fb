"""Where a plain JAX port gives another number than TensorFlow: one program for each such place.

A program is an expression over a library `m`, its `v1` and arrays `x`, `y`, `z`. What it raises, or why ours is
another number on purpose, stands beside it.
"""

from __future__ import annotations

import dataclasses

import numpy as np

NAN, INF = float("nan"), float("inf")


@dataclasses.dataclass(frozen=True)
class Measured:
    """A program, its arrays, and what is known of it.

    Attributes:
      id: what it is about.
      text: the expression.
      arrays: the values of `x`, `y` and `z`; lists of numbers with a point are float32.
      raises: the class of TensorFlow's error.
      own: `value` or `gradient` where ours is another one on purpose.
      rtol: how close it has to be.
    """

    id: str
    text: str
    arrays: tuple
    raises: str = ""
    own: str = ""
    rtol: float = 2e-6


def _row(id: str, text: str, *arrays, **known) -> Measured:
    return Measured(id, text, tuple(map(_array, arrays)), **known)


def _array(value):
    array = np.asarray(value)
    if isinstance(value, (np.ndarray, np.generic)):
        return array
    return array.astype({"f": np.float32, "i": np.int32}.get(array.dtype.kind, array.dtype))


_KEPT = "m.where(x > 0, {}, 0.0)"
_TO_UINT8 = "m.cast(x, m.uint8)"

GRADIENTS = (
    _row("maximum", "m.maximum(x, y)", [1.0, 2, 0], [1.0, 1, -0.0]),
    _row("minimum", "m.minimum(x, y)", [1.0, 2], [1.0, 3]),
    _row("maximum-nan", "m.maximum(x, y)", [NAN, 1, NAN], [1, NAN, NAN]),
    _row("abs", "m.abs(x)", [0.0, -0.0, -1, NAN]),
    _row("absolute-error", "m.reduce_mean(m.abs(x - 1))", [1.0, 2]),
    _row("relu", "m.nn.relu(x)", [0.0, 1, NAN]),
    _row("leaky-relu", "m.nn.leaky_relu(x)", [0.0, -1, 1]),
    _row("selu", "m.nn.selu(x)", [0.0]),
    _row("clip", "m.clip_by_value(x, y, z)", [0.0, 1, 0.5, -1, 2], 0.0, 1.0),
    _row("clip-crossed", "m.clip_by_value(x, y, z)", [0.0, 1.5, 3], 2.0, 1.0),
    _row("clip-by-norm-of-zero", "m.clip_by_norm(x, 1.0)", [0.0, 0]),
    _row("clip-by-norm-at-bound", "m.clip_by_norm(x, 5.0)", [3.0, 4]),
    _row("clip-by-global-norm", "m.clip_by_global_norm([x, y], 1.0)[0]", [INF, 1], [2.0]),
    _row("where-sqrt", _KEPT.format("m.sqrt(x)"), [0.0, -1, 1]),
    _row("where-rsqrt", _KEPT.format("m.math.rsqrt(x)"), [0.0, -1, 1]),
    _row("where-reciprocal", _KEPT.format("m.math.reciprocal(x)"), [0.0, -1, 1]),
    _row("mask-times-sqrt", "m.reduce_sum(y * m.sqrt(x))", [0.0, 4], [0.0, 1]),
    _row(
        "pairwise",
        "m.where(m.eye(2) > 0, 0.0, m.sqrt(m.reduce_sum((x[:, None] - x[None]) ** 2, -1)))",
        [[1.0, 2], [3, 5]],
    ),
    _row("where-norm", "m.where(y > 0, m.norm(x, axis=1), 0.0)", [[0.0, 0], [3, 4]], [0.0, 1]),
    _row(
        "where-deviation",
        "m.where(y > 0, m.math.reduce_std(x, 1), 0.0)",
        [[1.0, 1], [3, 4]],
        [0.0, 1],
    ),
    _row("where-log", _KEPT.format("m.math.log(x)"), [0.0, -1, 1]),
    _row("log-of-mask", "m.reduce_sum(m.math.log(m.boolean_mask(x, x > 0)))", [0.0, 2]),
    _row("norm-of-zero", "m.norm(x)", [0.0, 0]),
    _row("deviation-of-equal", "m.math.reduce_std(x)", [2.0, 2]),
    _row("euclidean-norm-of-zero", "m.math.reduce_euclidean_norm(x)", [0.0, 0]),
    _row("l2-normalize-zero", "m.nn.l2_normalize(x)", [0.0, 0]),
    _row("l2-normalize-small", "m.nn.l2_normalize(x)", [1e-7, 0]),
    _row("norm-1", "m.norm(x, ord=1)", [0.0, -1]),
    _row("pow-of-negative", "m.pow(x, y)", [-2.0, -2], [2.0, 3]),
    _row("xlogy", "m.math.xlogy(x, y)", [0.0, 0, 0], [0.0, 1, NAN]),
    _row("xlog1py", "m.math.xlog1py(x, y)", [0.0], [-1.0]),
    _row("xdivy", "m.math.xdivy(x, y)", [0.0], [0.0]),
    _row("multiply-no-nan", "m.math.multiply_no_nan(x, y)", [NAN, INF], [0.0, 0]),
    _row("divide-no-nan", "m.math.divide_no_nan(x, y)", [1.0, 0], [0.0, 0]),
    _row("reciprocal-no-nan", "m.math.reciprocal_no_nan(x)", [0.0, 2]),
    _row("cumprod", "m.math.cumprod(x)", [2.0, 0, 3], own="gradient"),
    _row("segment-prod", "m.math.segment_prod(x, [0, 0, 1])", [2.0, 0, 3]),
    _row("unsorted-segment-prod", "m.math.unsorted_segment_prod(x, [1, 1, 0], 2)", [2.0, 0, 3]),
    _row(
        "softmax-loss-of-heavy-labels",
        "m.nn.softmax_cross_entropy_with_logits([[2.0, 1.0]], x)",
        [[0.0, 0]],
    ),
    _row(
        "softmax-loss-of-no-labels",
        "m.nn.softmax_cross_entropy_with_logits([[0.0, 0.0]], x)",
        [[3.0, 1]],
    ),
    _row("sigmoid-loss", "m.nn.sigmoid_cross_entropy_with_logits([1.0, 0.0], x)", [0.0, 0]),
    _row(
        "weighted-loss",
        "m.nn.weighted_cross_entropy_with_logits([1.0, 0.0], x, 3.0)",
        [0.0, 0],
    ),
    _row("scatter-twice", "m.tensor_scatter_nd_update(x, [[0], [0]], y)", [0.0, 0], [1.0, 2]),
    _row("stitch-twice", "m.dynamic_stitch([[0, 1], [1, 2]], [x, y])", [1.0, 2], [3.0, 4]),
    _row(
        "scatter-outside",
        "m.scatter_nd([[0], [5]], x, [3])",
        [1.0, 2],
        raises="InvalidArgumentError",
    ),
    *(
        _row(
            f"complex-{name}",
            f"m.abs({text}) + m.math.imag({text})",
            np.complex64([1 + 2j, 3 - 1j]),
        )
        for name, text in (
            ("square", "m.square(x)"),
            ("multiply", "x * x"),
            ("exp", "m.exp(x)"),
            ("itself", "x"),
        )
    ),
    _row("complex-abs-of-zero", "m.abs(x)", np.complex64([0])),
    *(
        _row(f"no-gradient-{name}", text, [1.5, 2.0])
        for name, text in (
            ("floor", "m.floor(x)"),
            ("ceil", "m.math.ceil(x)"),
            ("round", "m.round(x)"),
            ("floordiv", "x // 1.0"),
            ("stop", "m.stop_gradient(x)"),
            ("unused", "m.ones([2])"),
        )
    ),
    _row("eigenvectors", "m.linalg.eigh(x)[1] ** 2", [[1.0, 0], [0, 1]]),
    _row("max-pool-nan", "m.nn.max_pool1d(x, 4, 4, 'VALID')", [[[NAN], [1.0], [2], [3]]]),
    _row("softplus", "m.nn.softplus(x)", [INF, -INF, 100.0, -100]),
    _row("silu", "m.nn.silu(x)", [100.0, -100, 0]),
    _row("largest-of-equal", "m.reduce_max(x)", [2.0, 2, 1]),
    _row("top-k-of-equal", "m.math.top_k(x, 2)[0]", [2.0, 2, 2]),
    _row("sort-of-equal", "m.sort(x) * m.constant([1.0, 2.0, 3.0])", [2.0, 2, 1]),
    _row("scatter-max-of-equal", "m.tensor_scatter_nd_max(x, [[0], [0]], y)", [1.0, 0], [1.0, 1]),
)

VALUES = (
    _row("largest-of-none", "m.reduce_max(x, 1)", np.zeros((2, 0), np.float32)),
    _row("smallest-of-none", "m.reduce_min(x, 1)", np.zeros((2, 0), np.int32)),
    _row("mean-of-integers", "m.reduce_mean(x)", [1, 2, -4, -4]),
    _row("sum-of-int8", "m.reduce_sum(x)", np.int8([100, 100])),
    _row("sum-of-uint8", "m.reduce_sum(x)", np.uint8([200, 100])),
    _row("product-of-int8", "m.reduce_prod(x)", np.int8([100, 2])),
    _row("mean-of-float16", "m.reduce_mean(m.fill([2000], x))", np.float16(100), own="value"),
    _row(
        "cumsum-of-bfloat16",
        "m.cast(m.cumsum(m.ones([300], m.bfloat16))[-1], m.float32)",
        own="value",
    ),
    _row("deviation-of-integers", "m.math.reduce_std(x)", [1, 2], raises="TypeError"),
    _row("sum-of-bools", "m.reduce_sum(x)", [True], raises="InvalidArgumentError"),
    _row("quotient-of-integers", "m.cast(x / 2, m.float32)", [1, 3]),
    _row("floordiv-of-infinities", "m.math.floordiv(x, y)", [INF, -5, 5], [2, INF, -INF]),
    _row("floordiv-by-zero", "m.math.floordiv(x, 0)", [7, -7], raises="InvalidArgumentError"),
    _row("mod-by-zero", "m.math.mod(x, 0)", [7, -7], raises="InvalidArgumentError"),
    _row("integer-power", "m.pow(x, -1)", [2], raises="InvalidArgumentError"),
    _row("cast-to-int32", "m.cast(x, m.int32)", [NAN, INF, 3e9, -3e9]),
    _row("cast-to-uint8", _TO_UINT8, [-1, 256, 300.5, NAN, INF]),
    _row("range", "m.range(1, 1.3, 0.1)"),
    _row("argmax-nan", "[m.argmax(x), m.argmin(x)]", [1, NAN, 3]),
    _row("argmax-nan-first", "m.argmax(x)", [NAN, 1, 3]),
    _row("argmax-axis", "m.argmax(x)", [[1.0, 5], [7, 2]]),
    _row("sort-nan", "m.sort(x)", [3, NAN, 1, -INF, INF], own="value"),
    _row("top-k-nan", "m.math.top_k(x, 3)[0]", [NAN, 2, NAN, 1], own="value"),
    _row("top-k-of-zeros", "m.math.top_k(x, 2)[1]", [-0.0, 0, -1]),
    _row("top-k-too-many", "m.math.top_k(x, 3)", [1.0], raises="InvalidArgumentError"),
    _row("one-hot-outside", "m.one_hot(x, 3)", [-1, 3, 1]),
    _row("searchsorted-nan", "m.searchsorted(x, [float('nan')])", [1.0, 2, 3]),
    _row("unique", "m.unique_with_counts(x)", [3, 1, 3, 2]),
    _row("unique-nan", "m.unique(m.stop_gradient(x))", [NAN, 1, NAN]),
    _row("in-top-k", "m.math.in_top_k([1], x, 1)", [[1.0, 1, 0]]),
    _row("where", "m.where(x > 0)", [[1, 0], [0, 2]]),
    _row("count-nonzero", "m.math.count_nonzero(x)", [1, 0, 2]),
    _row("histogram", "m.histogram_fixed_width(x, [0.0, 5.0], 5)", [-1.0, 15, 2]),
    _row("bincount-negative", "m.math.bincount(x)", [-1, 1], raises="InvalidArgumentError"),
    _row("confusion", "m.math.confusion_matrix(x, [0], 2)", [5], raises="InvalidArgumentError"),
    _row("embedding", "m.nn.embedding_lookup(x, [5])", [[1.0]], raises="InvalidArgumentError"),
    _row("gather-after", "m.gather(x, 5)", [1.0, 2, 3], raises="InvalidArgumentError"),
    _row("gather-before", "m.gather(x, -1)", [1, 2, 3], raises="InvalidArgumentError"),
    _row("slice-outside", "m.slice(x, [2], [2])", [1.0, 2, 3], raises="InvalidArgumentError"),
    _row("scatter-before", "m.scatter_nd([[-1]], x, [3])", [1.0], raises="InvalidArgumentError"),
    _row("segment-max-gap", "m.math.segment_max(x, [0, 0, 2])", [1.0, 2, 3]),
    _row("segment-min-gap", "m.math.segment_min(x, [0, 0, 2])", [1.0, 2, 3]),
    _row("segment-mean-gap", "m.math.segment_mean(x, [0, 0, 2])", [1.0, 2, 3]),
    *(
        _row(
            f"unsorted-{kind}-gap", f"m.math.unsorted_segment_{kind}(x, [0, 0, 2], 3)", [1.0, 2, 3]
        )
        for kind in ("mean", "sqrt_n", "max", "min")
    ),
    _row("unsorted-max-gap-int", "m.math.unsorted_segment_max(x, [0, 2], 3)", [1, 2]),
    _row("unsorted-sum-negative", "m.math.unsorted_segment_sum(x, [0, -1], 2)", [1.0, 2]),
    _row(
        "unsorted-sum-outside",
        "m.math.unsorted_segment_sum(x, [0, 2], 2)",
        [1.0, 2],
        raises="InvalidArgumentError",
    ),
    _row(
        "segment-unsorted", "m.math.segment_sum(x, [1, 0])", [1.0, 2], raises="InvalidArgumentError"
    ),
    _row("cumsum-exclusive", "m.cumsum(x, exclusive=True)", [1, INF, 1]),
    _row("cumsum-reverse", "m.cumsum(x, exclusive=True, reverse=True)", [1e8, 1, 1]),
    _row("igamma-of-zero", "m.math.igamma(x, 1.0)", [0.0]),
    _row("digamma-of-zero", "m.math.digamma(x)", [0.0]),
    _row("lgamma-of-zero", "m.math.lgamma(x)", [0.0]),
    _row("softmax-inf", "m.nn.softmax(x)", [INF, 0], own="value"),
    _row("softmax-masked", "m.nn.softmax(x)", [-1e9, -1e9]),
    _row("denormal-sqrt", "m.sqrt(x)", [1e-40]),
    *(
        _row(f"singular-{name}", text, [[1.0, 2], [2, 4]], raises="InvalidArgumentError")
        for name, text in (("inverse", "m.linalg.inv(x)"), ("solve", "m.linalg.solve(x, x)"))
    ),
    _row("cholesky-lower", "m.linalg.cholesky(x)", [[4.0, 100], [2, 3]]),
    _row("eigh-lower", "m.linalg.eigvalsh(x)", [[4.0, 100], [2, 3]]),
    _row("triangular", "m.linalg.triangular_solve(x, [[1.0], [2.0]])", [[2.0, 9], [1, 4]]),
    _row(
        "least-squares",
        "m.linalg.lstsq(m.stop_gradient(x), [[1.0], [1.0]], fast=False)",
        [[1.0, 1], [1, 1]],
    ),
    _row("svd", "[m.linalg.svd(x)[0], m.abs(m.linalg.svd(x)[2])]", [[1.0, 2], [3, 4]]),
    _row("matrix-norm", "m.norm(x)", [[1.0, 2], [3, 4]]),
)

_MIXED = "InvalidArgumentError"
TYPES = (
    _row(
        "signs",
        "[m.math.floormod(x, y), m.truncatemod(x, y), x % y, x // y]",
        [7, -7, 7, -7],
        [3, 3, -3, -3],
    ),
    _row("int-and-float", "m.add(x, y)", [1], [1.0], raises=_MIXED),
    _row("two-floats", "m.add(x, y)", [1.0], np.float16([1]), raises=_MIXED),
    _row("int-by-python-float", "m.multiply(x, 2.5)", [1], raises="TypeError"),
    _row("bools", "m.add(x, x)", [True], raises=_MIXED),
    _row("concat", "m.concat([x, y], 0)", [1], [1.0], raises=_MIXED),
    _row("equal", "m.equal(x, y)", [1], [1.0], raises=_MIXED),
    _row("wrapping", "m.cast(x, m.uint8)", [-300]),
    _row("shape", "[m.shape(x), m.size(x)]", [[1.0, 2]]),
    _row(
        "wide-results",
        "[m.where(x), m.argmax(m.cast(x, m.int32)), m.math.count_nonzero(x)]",
        [True, False],
    ),
    _row("wide-splits", "m.RaggedTensor.from_row_lengths(x, [1, 1]).row_splits", [1.0, 2]),
)

_IMAGE = np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1)
LAYERS = (
    _row("avg-pool", "m.nn.avg_pool2d(x, 3, 2, 'SAME')", _IMAGE),
    _row("conv", "m.nn.conv2d(x, m.ones([3, 3, 1, 1]), 2, 'SAME')", _IMAGE),
    *(
        _row(
            f"conv-transpose-{n}",
            f"m.nn.conv2d_transpose(x, y, [1, {n}, {n}, 1], 2, 'SAME')",
            _IMAGE[:, :3, :3],
            np.arange(9, dtype=np.float32).reshape(3, 3, 1, 1),
        )
        for n in (5, 6)
    ),
    _row(
        "patches",
        "m.image.extract_patches(x, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], 'VALID')",
        _IMAGE.reshape(1, 4, 2, 2),
    ),
    _row("gelu", "m.nn.gelu(x)", [-1.0]),
    _row("resize", "m.image.resize(x, [2, 2])", _IMAGE),
    _row("resize-bicubic", "m.image.resize(x, [3, 3], 'bicubic')", _IMAGE, rtol=1e-5),
    _row("resize-1", "v1.image.resize_bilinear(x, [3, 3])", _IMAGE[:, :2, :2]),
    _row("resize-1-nearest", "v1.image.resize_nearest_neighbor(x, [3, 3])", _IMAGE),
    _row(
        "resize-1-corners",
        "v1.image.resize_bilinear(x, [3, 3], align_corners=True)",
        _IMAGE,
    ),
    _row("to-uint8", "m.image.convert_image_dtype(x, m.uint8)", [0.999]),
    _row("to-grayscale", "m.image.rgb_to_grayscale(x)", [[[1.0, 2, 3]]]),
    _row("standardized-flat", "m.image.per_image_standardization(x)", [[[2.0], [2]], [[2], [2]]]),
    _row("hann", "m.signal.hann_window(4)"),
    _row("l2-loss", "m.nn.l2_loss(x)", [1.0, 2]),
    *(
        _row(
            f"weighted-loss-{name}",
            f"v1.losses.mean_squared_error([0.0, 0.0], x, {weights})",
            [2.0, 3],
        )
        for name, weights in (("one", [2.0, 0.0]), ("none", [0.0, 0.0]))
    ),
    _row(
        "log-poisson",
        "m.nn.log_poisson_loss(y, x, compute_full_loss=True)",
        [0.0, 0, 0],
        [0.0, 1, 2],
    ),
    *(
        _row(
            f"sparse-label-{label}",
            f"m.nn.sparse_softmax_cross_entropy_with_logits([{label}], x)",
            [[1.0, 2]],
            raises="InvalidArgumentError",
        )
        for label in (-1, 5)
    ),
    _row(
        "ctc-infeasible",
        "m.nn.ctc_loss([[1, 1, 1]], x, [3], [3], logits_time_major=False, blank_index=0)",
        [[[0.1, 0.2], [0.3, 0.1], [0.2, 0.5]]],
    ),
)
ROWS = (*GRADIENTS, *VALUES, *TYPES, *LAYERS)
