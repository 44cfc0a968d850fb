"""Define the differences of TensorFlow 1: its own functions, renamed functions, other parameters."""

from __future__ import annotations

from tf2jax_port.table.row import Native, Row, Shim

# Version 1 and version 2 have two objects of these names, and equal arguments give equal results.
SAME_IN_VERSION_1 = (
    "argmax",
    "argmin",
    "assert_equal",
    "assert_greater",
    "assert_less",
    "assert_rank",
    "boolean_mask",
    "case",
    "cond",
    "constant",
    "convert_to_tensor",
    "debugging.assert_all_finite",
    "debugging.assert_equal",
    "debugging.assert_greater",
    "debugging.assert_greater_equal",
    "debugging.assert_integer",
    "debugging.assert_less",
    "debugging.assert_less_equal",
    "debugging.assert_near",
    "debugging.assert_negative",
    "debugging.assert_non_negative",
    "debugging.assert_non_positive",
    "debugging.assert_none_equal",
    "debugging.assert_positive",
    "debugging.assert_rank",
    "debugging.assert_rank_at_least",
    "debugging.assert_rank_in",
    "debugging.assert_scalar",
    "debugging.assert_shapes",
    "debugging.assert_type",
    "device",
    "expand_dims",
    "foldl",
    "foldr",
    "gather",
    "gather_nd",
    "gradients",
    "hessians",
    "image.crop_and_resize",
    "linalg.norm",
    "map_fn",
    "math.argmax",
    "math.argmin",
    "math.bincount",
    "math.confusion_matrix",
    "math.count_nonzero",
    "math.in_top_k",
    "math.log_softmax",
    "math.reduce_all",
    "math.reduce_any",
    "math.reduce_logsumexp",
    "math.reduce_max",
    "math.reduce_mean",
    "math.reduce_min",
    "math.reduce_prod",
    "math.reduce_sum",
    "math.scalar_mul",
    "math.softmax",
    "nn.avg_pool",
    "nn.avg_pool2d",
    "nn.batch_norm_with_global_normalization",
    "nn.conv1d",
    "nn.conv2d",
    "nn.conv2d_transpose",
    "nn.conv3d",
    "nn.conv3d_transpose",
    "nn.convolution",
    "nn.crelu",
    "nn.depth_to_space",
    "nn.depthwise_conv2d",
    "nn.embedding_lookup",
    "nn.in_top_k",
    "nn.log_softmax",
    "nn.max_pool",
    "nn.max_pool_with_argmax",
    "nn.moments",
    "nn.pool",
    "nn.separable_conv2d",
    "nn.sigmoid_cross_entropy_with_logits",
    "nn.softmax",
    "nn.space_to_batch",
    "nn.space_to_depth",
    "nn.sparse_softmax_cross_entropy_with_logits",
    "nn.sufficient_statistics",
    "nn.weighted_cross_entropy_with_logits",
    "nn.weighted_moments",
    "norm",
    "ones_like",
    "pad",
    "random.poisson",
    "reduce_all",
    "reduce_any",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "reverse_sequence",
    "scalar_mul",
    "scan",
    "shape",
    "size",
    "space_to_batch",
    "sparse.add",
    "sparse.concat",
    "sparse.reduce_max",
    "sparse.reduce_sum",
    "sparse.segment_mean",
    "sparse.segment_sqrt_n",
    "sparse.segment_sum",
    "squeeze",
    "transpose",
    "tuple",
    "while_loop",
    "zeros_like",
)

_VARIABLE = (
    "initial_value=None, trainable=None, collections=None, validate_shape=True, "
    "caching_device=None, name=None, variable_def=None, dtype=None, expected_shape=None, "
    "import_scope=None, constraint=None, use_resource=None, "
    "synchronization=tf.VariableSynchronization.AUTO, aggregation=tf.VariableAggregation.NONE, "
    "shape=None"
)
# Classes of both versions: `(name, parameters of version 1)`.
CLASSES = (("Variable", _VARIABLE),)

_SAMPLED = "logits, num_samples, seed=None, name=None, output_dtype=None"
_PATCHES = "images, ksizes=None, strides=None, rates=None, padding=None, name=None, sizes=None"
_COUNT = (
    "input_tensor=None, axis=None, keepdims=None, dtype=dtypes.int64, name=None, "
    "reduction_indices=None, keep_dims=None, input=None"
)
_MOVED_BLOCKS = "input, block_size, name=None, data_format='NHWC'"
_ASSERTIONS = (
    *("greater_equal", "integer", "less_equal", "near", "negative", "non_negative"),
    *("non_positive", "none_equal", "positive", "rank_at_least", "rank_in", "scalar", "type"),
)
# Names that only version 1 has, or that have no parameters: `(name, name in version 2, parameters of
# version 1)`; `None` where they are those that version 1 has under the name of version 2.
MOVED: tuple[tuple[str, str, str | None], ...] = (
    *((f"assert_{n}", f"debugging.assert_{n}", None) for n in _ASSERTIONS),
    ("arg_max", "argmax", "input, dimension, output_type=dtypes.int64, name=None"),
    ("arg_min", "argmin", "input, dimension, output_type=dtypes.int64, name=None"),
    ("batch_to_space_nd", "batch_to_space", "input, block_shape, crops, name=None"),
    ("bincount", "math.bincount", None),
    ("confusion_matrix", "math.confusion_matrix", None),
    ("count_nonzero", "math.count_nonzero", _COUNT),
    ("depth_to_space", "nn.depth_to_space", _MOVED_BLOCKS),
    ("executing_eagerly", "executing_eagerly", ""),
    ("extract_image_patches", "image.extract_patches", _PATCHES),
    ("image.extract_image_patches", "image.extract_patches", _PATCHES),
    ("manip.batch_to_space_nd", "batch_to_space", "input, block_shape, crops, name=None"),
    ("multinomial", "random.categorical", _SAMPLED),
    (
        "nn.softmax_cross_entropy_with_logits_v2",
        "nn.softmax_cross_entropy_with_logits",
        "labels, logits, axis=None, name=None, dim=None",
    ),
    ("random.multinomial", "random.categorical", _SAMPLED),
    ("manip.gather_nd", "gather_nd", None),
    (
        "random.stateless_multinomial",
        "random.stateless_categorical",
        "logits, num_samples, seed, output_dtype=dtypes.int64, name=None",
    ),
    ("random.set_random_seed", "random.set_seed", "seed"),
    ("random_poisson", "random.poisson", None),
    ("set_random_seed", "random.set_seed", "seed"),
    ("space_to_depth", "nn.space_to_depth", _MOVED_BLOCKS),
    ("sparse_add", "sparse.add", None),
    ("sparse_concat", "sparse.concat", None),
    ("sparse_reduce_max", "sparse.reduce_max", None),
    ("sparse_reduce_sum", "sparse.reduce_sum", None),
    ("sparse_segment_mean", "sparse.segment_mean", None),
    ("sparse_segment_sqrt_n", "sparse.segment_sqrt_n", None),
    ("sparse_segment_sum", "sparse.segment_sum", None),
    (
        "verify_tensor_all_finite",
        "debugging.assert_all_finite",
        None,
    ),
)

# Parameters of version 1 that version 2 renamed, by the function's name in version 2.
RENAMED: dict[str, tuple[tuple[str, str], ...]] = {
    "argmax": (("dimension", "axis"),),
    "argmin": (("dimension", "axis"),),
    "cond": (("fn1", "true_fn"), ("fn2", "false_fn")),
    "debugging.assert_all_finite": (("t", "x"), ("msg", "message")),
    "device": (("device_name_or_function", "device_name"),),
    "image.crop_and_resize": (("box_ind", "box_indices"),),
    "image.extract_patches": (("ksizes", "sizes"),),
    "math.count_nonzero": (
        ("input_tensor", "input"),
        ("reduction_indices", "axis"),
        ("keep_dims", "keepdims"),
    ),
    "nn.max_pool_with_argmax": (("Targmax", "output_dtype"),),
    "nn.moments": (("keep_dims", "keepdims"),),
    "nn.softmax_cross_entropy_with_logits": (("dim", "axis"),),
    "nn.weighted_cross_entropy_with_logits": (("targets", "labels"),),
    "norm": (("keep_dims", "keepdims"),),
    "linalg.norm": (("keep_dims", "keepdims"),),
    "ones_like": (("tensor", "input"),),
    "random.categorical": (("output_dtype", "dtype"),),
    "random.stateless_categorical": (("output_dtype", "dtype"),),
    "reverse_sequence": (("seq_dim", "seq_axis"), ("batch_dim", "batch_axis")),
    "sparse.add": (("thresh", "threshold"),),
    "sparse.concat": (("concat_dim", "axis"), ("expand_nonconcat_dim", "expand_nonconcat_dims")),
    "sparse.reduce_max": (("reduction_axes", "axis"), ("keep_dims", "keepdims")),
    "sparse.reduce_sum": (("reduction_axes", "axis"), ("keep_dims", "keepdims")),
    "zeros_like": (("tensor", "input"),),
}

BOUND_SCOPE = "v1.name_scope, bound"
# Parameters of version 1 that control placement or execution in a graph and change no value.
WITHOUT_MEANING: dict[str, tuple[str, ...]] = {
    "gradients": ("colocate_gradients_with_ops",),
    "hessians": ("colocate_gradients_with_ops",),
    "nn.embedding_lookup": ("partition_strategy", "validate_indices"),
    "Variable": ("use_resource",),
    "v1.name_scope": ("values",),
    BOUND_SCOPE: ("values",),
    "v1.colocate_with": ("op", "ignore_existing"),
    "v1.container": ("container_name",),
    "v1.enable_eager_execution": ("config", "device_policy", "execution_mode"),
    "v1.initializers.variables": ("var_list",),
    "v1.initialize_variables": ("var_list",),
    "v1.variables_initializer": ("var_list",),
}
# The argument that an assertion of version 1 prints with its message.
PRINTED = ("data",)

_PARTS = (
    "if `params` is a list of partitions, TensorFlow 1 assigns rows to the partitions in turn, unless "
    "`partition_strategy` says otherwise"
)
_SEEDS = "in a TensorFlow 1 graph, each operation has its own seed, so TensorFlow 1 draws different numbers"
_SINGLE = "if a branch returns a list of one value, TensorFlow 1 returns the value itself"
_ONE_VARIABLE = "for a list of one loop variable, TensorFlow 1 returns the variable itself"
_LOG = (
    "the messages are sent to Python's logger `shims`; call `logging.basicConfig()` to see "
    "messages below the level of a warning"
)
# How the results of version 1 differ, in one line.
DIFFERS = {
    **{f"v1.logging.{old}": _LOG for old in ("debug", "error", "fatal", "info", "warn", "warning")},
    "v1.logging.log": _LOG,
    "case": _SINGLE,
    "cond": _SINGLE,
    "nn.embedding_lookup": _PARTS,
    "random.set_seed": _SEEDS,
    "while_loop": _ONE_VARIABLE,
}

_INITIALIZED = (
    "variables get their initial values when they are created: there is nothing to run, and "
    "calling it again does not reset the variables to their initial values"
)
_AT_ONCE = "the new code assigns at once, while TensorFlow 1 returns an operation to run later"
_INITIALIZERS = (
    *(("global_variables_initializer", ""), ("initialize_all_tables", "name='init_all_tables'")),
    *(("initialize_all_variables", ""), ("initialize_local_variables", "")),
    *(("initialize_variables", "var_list, name='init'"), ("initializers.global_variables", "")),
    *(("initializers.local_variables", ""), ("initializers.tables_initializer", "name='init'")),
    *(("initializers.variables", "var_list, name='init'"), ("local_variables_initializer", "")),
    *(("tables_initializer", "name='init'"), ("variables_initializer", "var_list, name='init'")),
)
_SCATTERED = ("add", "div", "max", "min", "mul", "sub", "update")


def _assignment(verb: str, middle: str = "") -> Row:
    """Build the table row of an assignment function, such as `tf.assign(ref, value)`."""
    parameters = f"ref, value, {middle}use_locking=None, name=None"
    return Row(f"v1.{verb}", parameters, Native(f"{{ref}}.{verb}({{value}})"), differs=_AT_ONCE)


def _scatter_update(verb: str) -> Row:
    """Build the table row of a scatter update, such as `tf.scatter_add(ref, indices, updates)`."""
    return Row(
        f"v1.scatter_{verb}",
        "ref, indices, updates, use_locking=False, name=None",
        Native(f"{{ref}}.scatter_{verb}(shims.IndexedSlices({{updates}}, {{indices}}))"),
        differs=_AT_ONCE,
    )


def _scatter_nd_update(verb: str) -> Row:
    """Build the table row of a scatter update such as `tf.scatter_nd_add(ref, indices, updates)`."""
    return Row(
        f"v1.scatter_nd_{verb}",
        "ref, indices, updates, use_locking=False, name=None",
        Native(f"{{ref}}.scatter_nd_{verb}({{indices}}, {{updates}})"),
        differs=_AT_ONCE,
    )


_LOGGED = (
    *(("debug", "debug"), ("error", "error"), ("fatal", "fatal"), ("info", "info")),
    *(("warn", "warning"), ("warning", "warning")),
)
# Replacement of a statement that enables behavior which JAX has anyway.
NOTHING = "None"
_ENABLED = (
    ("enable_v2_behavior", ""),
    ("v1.enable_control_flow_v2", ""),
    ("v1.enable_eager_execution", "config=None, device_policy=None, execution_mode=None"),
    ("v1.enable_resource_variables", ""),
    ("v1.enable_tensor_equality", ""),
    ("v1.enable_v2_tensorshape", ""),
)
_DROPOUT = "x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None"
_ENTROPY = "labels=None, logits=None, dim=-1, name=None, axis=None"
_STOPPED = (
    "shims.nn.softmax_cross_entropy_with_logits(jax.lax.stop_gradient(jnp.asarray({labels})), "
)

ROWS: tuple[Row, ...] = (
    *(
        Row(f"v1.{name}", parameters, Native("shims.no_op()"), differs=_INITIALIZED)
        for name, parameters in _INITIALIZERS
    ),
    _assignment("assign", "validate_shape=None, "),
    _assignment("assign_add"),
    _assignment("assign_sub"),
    *map(_scatter_update, _SCATTERED),
    *map(_scatter_nd_update, ("add", "sub", "update")),
    Row("v1.name_scope", "name, default_name=None, values=None", Native("jax.named_scope({name})")),
    Row(
        "v1.nn.dropout",
        _DROPOUT,
        Native(
            "shims.nn.dropout({x}, rate={rate}, noise_shape={noise_shape}, seed={seed})",
            ("noise_shape", "seed"),
            needs=("rate",),
        ),
    ),
    Row(
        "v1.nn.softmax_cross_entropy_with_logits",
        _ENTROPY,
        Native(_STOPPED + "{logits})", needs=("labels", "logits")),
    ),
    Row(
        "v1.nn.xw_plus_b",
        "x, weights, biases, name=None",
        Native("jnp.matmul({x}, {weights}) + {biases}"),
    ),
    *(
        Row(f"v1.logging.{old}", "msg, *args, **kwargs", Shim(f"shims.get_logger().{new}"))
        for old, new in _LOGGED
    ),
    Row("v1.logging.log", "level, msg, *args, **kwargs", Shim("shims.get_logger().log")),
    Row("v1.logging.set_verbosity", "v", Native("shims.get_logger().setLevel({v})"), differs=_LOG),
    Row("v1.logging.get_verbosity", "", Native("shims.get_logger().getEffectiveLevel()")),
    *(
        Row(f"v1.logging.{level}", None, Native(f"logging.{level}"))
        for level in ("DEBUG", "ERROR", "FATAL", "INFO")
    ),
    Row("v1.logging.WARN", None, Native("logging.WARNING")),
    *(Row(name, params, Native(NOTHING)) for name, params in _ENABLED),
    Row("v1.colocate_with", "op, ignore_existing=False", Native("shims.device(None)")),
    Row("v1.container", "container_name", Native("shims.device(None)")),
    Row(
        "v1.convert_to_tensor_or_sparse_tensor",
        "value, dtype=None, name=None",
        Native(
            "{value} if isinstance({value}, shims.SparseTensor) else "
            "shims.convert_to_tensor({value}, {dtype})"
        ),
    ),
    *(
        Row(name, "dimension", Native("{dimension}"))
        for name in ("compat.dimension_value", "v1.dimension_value")
    ),
    *(
        Row(name, "shape, index", Native("{shape}[{index}]"))
        for name in ("compat.dimension_at_index", "v1.dimension_at_index")
    ),
)

SCOPE = "{default_name} if {name} is None else {name}"
# Alternative expressions for a row: the first whose `needs` the call has wins, else the row's own.
FORMS: dict[str, tuple[Native, ...]] = {
    "v1.name_scope": (Native(f"jax.named_scope({SCOPE})", needs=("name", "default_name")),),
    "v1.nn.dropout": (
        Native(
            "shims.nn.dropout({x}, rate=1 - {keep_prob}, noise_shape={noise_shape}, seed={seed})",
            ("noise_shape", "seed"),
            needs=("keep_prob",),
        ),
    ),
    "v1.nn.softmax_cross_entropy_with_logits": (
        Native(_STOPPED + "{logits}, axis={dim})", needs=("labels", "logits", "dim")),
        Native(_STOPPED + "{logits}, axis={axis})", needs=("labels", "logits", "axis")),
    ),
}

# Rows whose calls do not return a tensor.
NO_TENSORS = frozenset(
    {*(f"v1.{name}" for name, _ in _INITIALIZERS), "name_scope", "v1.name_scope"}
    | {row.name for row in ROWS if "dimension" in row.name}
)
