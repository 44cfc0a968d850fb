"""Raise errors for TensorFlow names that `shims` does not provide, with a suggested replacement."""

from __future__ import annotations

from collections.abc import Callable

_HOST = "keep using TensorFlow on the host, and pass its results to JAX as arrays"
_SAMPLES = (
    "TensorFlow's samples cannot be reproduced: draw the classes with `jax.random`, and pass the classes and their "
    "expected counts as `sampled_values`"
)
_SCIPY = "call `scipy.special` in `shims.numpy_function`, which has no gradient"
_WRAPPERS = "write a cell that calls the wrapped cell, or use `shims.keras.layers`"
_QUANTIZED = (
    "JAX has no quantized dtypes: use `quantization.quantize_and_dequantize_v2`, or scale and cast"
)
_PROCESSES = "shard arrays with `jax.sharding`; see `docs/devices.md`"
_THREADS = (
    "use `threading` and `queue` of Python; graph programs have `shims.compat.v1.train.Coordinator`"
)
_QUEUES = "use Python's `queue.Queue` outside of compiled functions; graph programs have the queues of `shims.compat.v1`"
_SAVED = (
    "delete it: `train.Checkpoint` and `train.CheckpointManager` save objects without such options"
)
_TOOLS = "use the settings and tools of JAX"

# The first matching prefix applies; a prefix that ends in `$` must equal the whole name.
_INSTEAD: tuple[tuple[tuple[str, ...], str], ...] = (
    (("math.special.bessel_", "math.bessel_"), _SCIPY),
    (
        ("signal.fftnd", "fftnd"),
        "write `jnp.fft.fftn(x, axes=axes)`; TensorFlow has this function only on GPU",
    ),
    (("signal.ifftnd", "ifftnd"), "write `jnp.fft.ifftn(x, axes=axes)`"),
    (("signal.rfftnd", "rfftnd"), "write `jnp.fft.rfftn(x, axes=axes)`"),
    (("signal.irfftnd", "irfftnd"), "write `jnp.fft.irfftn(x, axes=axes)`"),
    (("math.approx_min_k", "nn.approx_min_k"), "write `-nn.approx_max_k(-x, k)[0]`"),
    (
        ("nn.all_cand", "nn.fixed_unigram", "nn.learned_unigram", "random.all_cand"),
        _SAMPLES,
    ),
    (("random.fixed_unigram", "random.learned_unigram"), _SAMPLES),
    (
        ("random.stateless_parameterized_truncated_normal",),
        "scale the result of `random.stateless_truncated_normal`, or use `jax.random.truncated_normal`",
    ),
    (
        ("nn.fractional_",),
        "TensorFlow's random pooling regions cannot be reproduced: resize the input, or use `nn.avg_pool`",
    ),
    (("nn.RNNCell",), _WRAPPERS),
    (
        ("nn.isotonic_regression",),
        "call `scipy.optimize.isotonic_regression` on the host, in `shims.numpy_function`",
    ),
    (("nn.with_space_to_batch",), "pass `dilations` to the convolution or pooling operator"),
    (("quantization.", "qint", "quint", "dtypes.q", "dtypes.Q"), _QUANTIZED),
    (
        ("ragged.cross",),
        "convert the features to integers, and hash their combinations with `ragged.cross_hashed`",
    ),
    (("linalg.experimental",), "write `jax.scipy.sparse.linalg.cg`"),
    (("io.", "data.", "image.decode_webp", "image.decode_jxl"), _HOST),
    (
        ("image.generate_bounding_box",),
        "combine `image.non_max_suppression` and `math.top_k`",
    ),
    (("queue",), _QUEUES),
    (("feature_column", "make_", "fingerprint", "estimator"), _HOST),
    (("test.",), "write the test with `pytest` or `unittest`, and `numpy.testing`"),
    (("lookup.experimental",), _HOST),
    (
        ("summary.graph",),
        "delete it: JAX programs have no graph; use `jax.make_jaxpr` to look at a program",
    ),
    (
        ("summary.experimental.",),
        "write the tensor with `summary.write`, or keep using TensorFlow on the host for this tensor",
    ),
    (("summary.",), "keep using TensorFlow on the host, between the training steps"),
    (
        ("resource", "variant", "dtypes.resource", "dtypes.variant"),
        "delete it: no JAX array has this dtype",
    ),
    (("types", "dtypes.experimental"), "write `jax.typing.ArrayLike` or `jax.Array`"),
    (("lite", "mlir"), "export the JAX function with `jax.export`"),
    (("load_op_library", "load_library"), "write the operator in JAX, or call it with `jax.ffi`"),
    (
        ("register_tensor_conversion_function",),
        "convert values to arrays before you pass them to operators",
    ),
    (("guarantee_const", "check_pinned", "nondifferentiable_batch_function"), "remove this name"),
    (("CriticalSection",), "delete it: operations run in the order of the program"),
    (
        ("autograph.experimental.Feature", "autograph.trace"),
        "delete it: `shims.function` reports which statements it converts",
    ),
    (("approx_top_k",), "write `nn.approx_max_k`"),
    (("conv2d_backprop_",), "use `jax.vjp` of `nn.conv2d`"),
    (("conv$",), "write `nn.convolution`"),
    (("ragged_fill_empty_rows",), "write `sparse.fill_empty_rows(rows.to_sparse(), value)`"),
    (
        ("train.CheckpointOptions", "train.CheckpointView", "train.Trackable", "train.checkpoints"),
        _SAVED,
    ),
    (("train.Coordinator",), _THREADS),
    (("train.Cluster", "train.JobDef", "train.ServerDef"), _PROCESSES),
    (("train.experimental",), _HOST),
    (
        ("IndexedSlicesSpec", "TensorArraySpec", "OptionalSpec", "NoneTensorSpec"),
        "remove this name",
    ),
    (("saved_model.",), "use `saved_model.save` and `saved_model.load` without this object"),
    (
        ("import_graph_def", "graph_util"),
        "convert the graph to a JAX program with `tf2jax-port import-graph`",
    ),
    (
        ("experimental.DynamicRagged", "experimental.RowPartition"),
        "use `RaggedTensor.from_row_lengths` or a similar constructor, and `x.row_lengths()`",
    ),
    (("experimental.numpy.",), "use a function of `jax.numpy`"),
    (
        ("experimental.", "dtensor"),
        "use `jax.sharding` for `dtensor`, and registered dataclasses for `ExtensionType`",
    ),
    (("distribute.", "tpu", "DeviceSpec"), _PROCESSES),
    (
        ("config.", "profiler.", "xla", "sysconfig", "version.", "mixed_precision", "debugging."),
        _TOOLS,
    ),
)


def of(module: str) -> Callable[[str], object]:
    """Return the `__getattr__` of a module, which raises an error with a suggested replacement."""

    def missing(name: str):
        raise AttributeError(message(module, name))

    return missing


def message(module: str, name: str) -> str:
    """Return the error message for a name that a module does not have."""
    said = f"module {module!r} has no attribute {name!r}"
    full = f"{module}.{name}".removeprefix("shims.")
    for beginnings, instead in () if name.startswith("_") else _INSTEAD:
        if full.startswith(beginnings) or f"{full}$" in beginnings:
            return f"{said}.\n  Do:       {instead}"
    return said
