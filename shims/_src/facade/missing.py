"""Report names of TensorFlow that shims does not provide, with their replacement."""

from __future__ import annotations

from collections.abc import Callable

_HOST = "it may stay TensorFlow, on the host: JAX gets the arrays"
_SAMPLES = (
    "TensorFlow's samples cannot be repeated: sample with `jax.random`, and pass the classes and "
    "their expected counts as `sampled_values`"
)
_SCIPY = "call `scipy.special` through `shims.numpy_function`; it has no gradient there"
_WRAPPERS = "write a cell that calls the other one, or use `shims.keras.layers`"
_QUANTIZED = "JAX has no such dtypes: `quantization.quantize_and_dequantize_v2`, or scale and cast"
_PROCESSES = "there is one process: shard arrays with `jax.sharding`"
_SAVED = (
    "save arrays with Orbax or `numpy.savez`; `compat.v1.train.Saver` reads and writes TensorFlow's "
    "own files"
)
_TOOLS = "use JAX's own settings and tools"

# The first matching prefix applies; a prefix that ends in `$` must equal the whole name.
_INSTEAD: tuple[tuple[tuple[str, ...], str], ...] = (
    (("math.special.bessel_", "math.bessel_"), _SCIPY),
    (
        ("signal.fftnd", "fftnd"),
        "write `jnp.fft.fftn(x, axes=axes)`; TensorFlow has it on GPU only",
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
        "write `random.stateless_truncated_normal` and scale it, or `jax.random.truncated_normal`",
    ),
    (("nn.fractional_",), "TensorFlow's regions are random: resize, or use `nn.avg_pool`"),
    (("nn.RNNCell",), _WRAPPERS),
    (
        ("nn.isotonic_regression",),
        "compute it on the host, `scipy.optimize.isotonic_regression` in `shims.numpy_function`",
    ),
    (("nn.with_space_to_batch",), "pass `dilations` to the convolution or the pool"),
    (("quantization.", "qint", "quint", "dtypes.q", "dtypes.Q"), _QUANTIZED),
    (
        ("ragged.cross",),
        "number the features, and hash the combinations: `ragged.cross_hashed`",
    ),
    (("linalg.experimental",), "write `jax.scipy.sparse.linalg.cg`"),
    (("image.decode", "image.encode", "image.extract_jpeg", "io", "data"), _HOST),
    (
        ("image.generate_bounding_box",),
        "write it with `image.non_max_suppression` and `math.top_k`",
    ),
    (("audio", "feature_column", "make_", "fingerprint", "estimator", "test", "queue"), _HOST),
    (("lookup.TextFileIndex", "lookup.experimental"), _HOST),
    (("summary", "timestamp"), "it may stay TensorFlow, on the host: call it between the steps"),
    (
        ("resource", "variant", "dtypes.resource", "dtypes.variant"),
        "leave it out: nothing has that dtype here",
    ),
    (("types", "dtypes.experimental"), "write `jax.typing.ArrayLike`, or `jax.Array`"),
    (("lite", "mlir"), "export what JAX computes: `jax.export`"),
    (("load_op_library", "load_library"), "write the operator in JAX, or call it by `jax.ffi`"),
    (("register_tensor_conversion_function",), "convert values before they are passed"),
    (("guarantee_const", "check_pinned", "nondifferentiable_batch_function"), "leave it out"),
    (("CriticalSection",), "leave it out: a program here runs in one order"),
    (
        ("autograph.experimental.Feature", "autograph.set_verbosity", "autograph.trace"),
        "leave it out: `shims.function` says itself what it converts",
    ),
    (("approx_top_k",), "write `nn.approx_max_k`"),
    (("conv2d_backprop_",), "write `nn.conv2d`, and take `jax.vjp` of it"),
    (("conv$",), "write `nn.convolution`"),
    (("ragged_fill_empty_rows",), "write `sparse.fill_empty_rows(rows.to_sparse(), value)`"),
    (("initializers", "losses", "metrics", "optimizers"), "write `keras.` before it"),
    (("train.Checkpoint", "train.Trackable", "train.checkpoints", "train.get_"), _SAVED),
    (("train.latest", "train.list_", "train.load_"), _SAVED),
    (("train.Cluster", "train.Coordinator", "train.JobDef", "train.ServerDef"), _PROCESSES),
    (
        ("train.BytesList", "train.Example", "train.Feature", "train.FloatList", "train.Int64List"),
        _HOST,
    ),
    (("train.SequenceExample", "train.experimental"), _HOST),
    (("IndexedSlicesSpec", "TensorArraySpec", "OptionalSpec", "NoneTensorSpec"), "leave it out"),
    (
        ("import_graph_def", "graph_util", "saved_model"),
        "`tf2jax-port import-graph` makes a program",
    ),
    (
        ("experimental", "dtensor"),
        "of `tf.experimental` nothing is here: `jax.numpy` stands for its "
        "`numpy`, `jax.sharding` for `dtensor`, registered dataclasses for `ExtensionType`",
    ),
    (("distribute", "tpu", "DeviceSpec"), _PROCESSES),
    (
        ("config", "profiler", "xla", "sysconfig", "version", "mixed_precision", "debugging."),
        _TOOLS,
    ),
)


def of(module: str) -> Callable[[str], object]:
    """Return the `__getattr__` of a module, which raises an error that names the replacement."""

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
