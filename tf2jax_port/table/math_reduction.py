"""Rows of `tf.math` that take elements together: reductions, running sums, orders, segments."""

from __future__ import annotations

from tf2jax_port.table.families import native, reduction, shim
from tf2jax_port.table.row import Row, Shim

_SMALL = "8- and 16-bit integers keep their dtype and wrap in TensorFlow; JAX widens them"
_EMPTY = "over nothing TensorFlow gives the end of the range, JAX raises"
_NAN_ORDER = "where NaN stands; JAX puts it last"
_RUNNING = "axis=0, exclusive=False, reverse=False, name=None"
_SEGMENT = "data, segment_ids, name=None"
_UNSORTED = "data, segment_ids, num_segments, name=None"

ROWS: tuple[Row, ...] = (
    reduction(
        "reduce_sum", "jnp.sum({input_tensor}, axis={axis}, keepdims={keepdims})", note=_SMALL
    ),
    reduction(
        "reduce_mean",
        "jnp.mean({input_tensor}, axis={axis}, keepdims={keepdims})",
        note="TensorFlow truncates the mean of integers to an integer",
    ),
    reduction(
        "reduce_max", "jnp.max({input_tensor}, axis={axis}, keepdims={keepdims})", note=_EMPTY
    ),
    reduction(
        "reduce_min", "jnp.min({input_tensor}, axis={axis}, keepdims={keepdims})", note=_EMPTY
    ),
    reduction(
        "reduce_prod", "jnp.prod({input_tensor}, axis={axis}, keepdims={keepdims})", note=_SMALL
    ),
    reduction("reduce_any", "jnp.any({input_tensor}, axis={axis}, keepdims={keepdims})"),
    reduction("reduce_all", "jnp.all({input_tensor}, axis={axis}, keepdims={keepdims})"),
    reduction(
        "reduce_logsumexp",
        "jax.nn.logsumexp({input_tensor}, axis={axis}, keepdims={keepdims})",
    ),
    reduction("math.reduce_variance", "jnp.var({input_tensor}, axis={axis}, keepdims={keepdims})"),
    reduction(
        "math.reduce_std",
        "jnp.std({input_tensor}, axis={axis}, keepdims={keepdims})",
        differs="where no gradient flows into a deviation of 0, TensorFlow lets none out; JAX gives NaN",
    ),
    reduction("math.reduce_euclidean_norm", Shim("shims.math.reduce_euclidean_norm")),
    native(
        "math.count_nonzero",
        "input, axis=None, keepdims=None, dtype=tf.int64, name=None",
        "jnp.count_nonzero({input}, axis={axis}, keepdims={keepdims})",
        own="reduction",
        optional=("axis", "keepdims"),
        tensors=("input",),
        renames=(
            ("keep_dims", "keepdims"),
            ("reduction_indices", "axis"),
            ("input_tensor", "input"),
        ),
    ),
    shim("math.zero_fraction", "value, name=None", "reduction", aliases=("nn.zero_fraction",)),
    native(
        "cumsum",
        f"x, {_RUNNING}",
        "jnp.cumsum({x}, axis={axis})",
        own="cumulative",
        tensors=("x",),
        aliases=("math.cumsum",),
        note=_SMALL,
    ),
    native(
        "math.cumprod",
        f"x, {_RUNNING}",
        "jnp.cumprod({x}, axis={axis})",
        own="cumulative",
        tensors=("x",),
        note=_SMALL,
    ),
    shim("math.cumulative_logsumexp", f"x, {_RUNNING}", "cumulative", tensors=("x",)),
    native(
        "argmax",
        "input, axis=None, output_type=tf.int64, name=None",
        "jnp.argmax({input}, axis={axis})",
        own="sorting",
        defaults=(("axis", "0"),),
        tensors=("input",),
        aliases=("math.argmax",),
        renames=(("dimension", "axis"),),
        note="NaN is never the largest in TensorFlow, always in JAX; int64 unless asked otherwise",
    ),
    native(
        "argmin",
        "input, axis=None, output_type=tf.int64, name=None",
        "jnp.argmin({input}, axis={axis})",
        own="sorting",
        defaults=(("axis", "0"),),
        tensors=("input",),
        aliases=("math.argmin",),
        renames=(("dimension", "axis"),),
        note="NaN is never the smallest in TensorFlow, always in JAX; int64 unless asked otherwise",
    ),
    native(
        "sort",
        "values, axis=-1, direction='ASCENDING', name=None",
        "jnp.sort({values}, axis={axis})",
        own="sorting",
        optional=("axis",),
        tensors=("values",),
        differs=_NAN_ORDER,
    ),
    native(
        "argsort",
        "values, axis=-1, direction='ASCENDING', stable=False, name=None",
        "jnp.argsort({values}, axis={axis})",
        own="sorting",
        optional=("axis",),
        tensors=("values",),
        differs=_NAN_ORDER,
    ),
    shim(
        "math.top_k",
        "input, k=1, sorted=True, index_type=tf.int32, name=None",
        "sorting",
        tensors=("input",),
        aliases=("nn.top_k",),
    ),
    native(
        "searchsorted",
        "sorted_sequence, values, side='left', out_type=tf.int32, name=None",
        "jnp.searchsorted({sorted_sequence}, {values}, side={side})",
        own="sorting",
        optional=("side",),
        tensors=("sorted_sequence", "values"),
        differs="JAX takes one sequence only, and has another place for NaN",
    ),
    shim(
        "math.in_top_k", "targets, predictions, k, name=None", "sorting", aliases=("nn.in_top_k",)
    ),
    shim("math.segment_sum", _SEGMENT, "segment", fresh=True),
    shim("math.segment_mean", _SEGMENT, "segment", fresh=True),
    shim("math.segment_max", _SEGMENT, "segment", fresh=True),
    shim("math.segment_min", _SEGMENT, "segment", fresh=True),
    shim("math.segment_prod", _SEGMENT, "segment", fresh=True),
    native(
        "math.unsorted_segment_sum",
        _UNSORTED,
        "jax.ops.segment_sum({data}, {segment_ids}, num_segments={num_segments})",
        own="segment",
        note="a segment number that is too large raises in TensorFlow; JAX takes vectors of them only",
    ),
    shim("math.unsorted_segment_mean", _UNSORTED, "segment"),
    shim("math.unsorted_segment_max", _UNSORTED, "segment"),
    shim("math.unsorted_segment_min", _UNSORTED, "segment"),
    shim("math.unsorted_segment_prod", _UNSORTED, "segment"),
    shim("math.unsorted_segment_sqrt_n", _UNSORTED, "segment"),
    shim(
        "math.bincount",
        "arr, weights=None, minlength=None, maxlength=None, dtype=tf.int32, name=None, axis=None, "
        "binary_output=False",
        "histogram",
        fresh=True,
    ),
    shim(
        "histogram_fixed_width",
        "values, value_range, nbins=100, dtype=tf.int32, name=None",
        "histogram",
    ),
    shim(
        "histogram_fixed_width_bins",
        "values, value_range, nbins=100, dtype=tf.int32, name=None",
        "histogram",
    ),
    shim(
        "math.confusion_matrix",
        "labels, predictions, num_classes=None, weights=None, dtype=tf.int32, name=None",
        "histogram",
        fresh=True,
    ),
)
