"""List families of TensorFlow names outside of array computation, each with advice for the user."""

from __future__ import annotations

import dataclasses
import functools


@dataclasses.dataclass(frozen=True, slots=True)
class Family:
    """A family of TensorFlow names that share a diagnostic and advice.

    Attributes:
      code: the diagnostic that explains what to do.
      message: one line of advice for a finding.
      prefixes: patterns of names without `tf.`: a prefix with a final dot, a pattern with `*`, or a
        whole name.
      computing: whether functions with these names compute values, as opposed to reading files,
        logging or choosing devices.
      stays: whether these names stay TensorFlow's on purpose, because the code around them can work with JAX.
    """

    code: str
    message: str
    prefixes: tuple[str, ...]
    computing: bool = False
    stays: bool = False


FAMILIES: tuple[Family, ...] = (
    Family(
        "TJ520",
        "TensorFlow's writer accepts JAX arrays: call the writer outside of compiled code",
        ("summary.", "Summary*", "Event", "HistogramProto", "SessionLog", "LogMessage"),
        stays=True,
    ),
    Family(
        "TJ521",
        "the pipeline still uses TensorFlow: `as_numpy_iterator()` returns NumPy arrays; with `--data shims`, the "
        "pipeline is rewritten, too",
        ("data.", "contrib.data.", "compat.v1.data."),
        stays=True,
    ),
    Family(
        "TJ522",
        "records and images are still decoded by TensorFlow on the host: convert the results to arrays; with "
        "`--data shims`, this code is rewritten, too",
        (
            *("io.", "audio.decode_wav", "audio.encode_wav", "FixedLen*", "VarLenFeature"),
            *("SparseFeature", "TFRecordReader", "python_io.", "parse_*", "decode_*", "encode_*"),
            *("read_file", "write_file", "matching_files", "serialize_*", "deserialize_*"),
            *("train.Example*", "train.Feature*", "train.BytesList*", "train.FloatList*"),
            *("train.Int64List*", "train.SequenceExample*", "IdentityReader", "LMDBReader"),
            *("ReaderBase", "TextLineReader", "WholeFileReader", "FixedLengthRecordReader"),
            *("make_tensor_proto", "make_ndarray", "image.decode_*", "image.encode_*"),
            *("image.is_jpeg", "image.extract_jpeg_shape", "contrib.slim.tfexample_decoder."),
        ),
        stays=True,
    ),
    Family(
        "TJ323",
        "use Python's `open`, `pathlib` and `glob`, or `shims.io.gfile` for remote files",
        ("io.gfile.", "gfile.", "resource_loader.", "compat.path_to_str"),
    ),
    Family(
        "TJ323",
        "TensorFlow has removed its tutorials and the data of the tutorials: use `keras.datasets`, which also has "
        "MNIST",
        ("examples.tutorials.",),
    ),
    Family(
        "TJ324",
        "`docs/checkpoints.md` shows how to save and restore values; `shims.compat.v1` has the functions of TensorFlow 1",
        (
            *("train.Checkpoint*", "train.Saver*", "train.latest_checkpoint", "train.*checkpoint*"),
            *("train.list_variables", "train.load_variable", "train.NewCheckpointReader"),
            *("train.init_from_checkpoint", "train.warm_start", "train.get_checkpoint_state"),
            *("train.import_meta_graph", "train.export_meta_graph", "train.write_graph"),
            *("train.checkpoints_iterator", "train.load_checkpoint", "train.checkpoint_exists"),
            *("train.update_checkpoint_state", "train.generate_checkpoint_state_proto"),
            *("train.remove_checkpoint", "train.get_checkpoint_mtimes", "train.VocabInfo"),
            *("train.experimental.PythonState", "contrib.framework.load*", "train.TrackableView"),
            *("contrib.framework.list_variables", "contrib.framework.assign_from_*"),
            "contrib.framework.init_from_checkpoint",
        ),
    ),
    Family(
        "TJ525",
        "the code runs a loop around a graph and is not changed: for JAX, write a loop over a jitted step",
        (
            *("estimator.", "contrib.estimator.", "contrib.tpu.", "contrib.learn."),
            *(
                "contrib.training.",
                "tpu.CrossShardOptimizer",
                "train.*Session*",
                "train.*Hook",
                "train.CheckpointSaver*",
            ),
            *("train.Scaffold", "train.Supervisor", "train.SessionRun*", "train.Coordinator"),
            *("train.LooperThread", "train.QueueRunner*", "train.queue_runner.", "train.*batch*"),
            *("train.start_queue_runners", "train.add_queue_runner", "train.*_producer"),
            *("train.SecondOrStepTimer", "train.global_step", "train.basic_train_loop"),
            *("train.limit_epochs", "train.summary_iterator", "train.SyncReplicasOptimizer"),
            *("train.NanLossDuringTrainingError", "contrib.training.*", "contrib.tfprof."),
        ),
        stays=True,
    ),
    Family(
        "TJ326",
        "save at intervals with `shims.train.CheckpointManager`, or when the process receives SIGTERM",
        ("distribute.experimental.Preemption*", "distribute.experimental.TerminationConfig"),
    ),
    Family(
        "TJ326",
        "connect the processes with `jax.distributed.initialize`",
        (
            *("distribute.cluster_resolver.", "distribute.Server", "contrib.cluster_resolver."),
            *("train.ClusterSpec", "train.Server*", "train.ClusterDef", "train.JobDef"),
        ),
    ),
    Family(
        "TJ326",
        "JAX has no parameter servers: spread a large table over a `jax.sharding.Mesh`, and run the same program in every "
        "process",
        (
            *("distribute.ParameterServerStrategy", "distribute.coordinator."),
            *("distribute.experimental.ParameterServerStrategy", "train.replica_device_setter"),
            *("distribute.experimental.coordinator.", "distribute.experimental.partitioners."),
        ),
    ),
    Family(
        "TJ326",
        "arrange the devices in a `jax.sharding.Mesh`, or use "
        "`keras.distribution.DataParallel` for `fit` of Keras",
        (
            *("distribute.", "tpu.", "contrib.distribute.", "experimental.dtensor."),
            "DeviceSpec*",
        ),
    ),
    Family(
        "TJ327",
        "cast inside the loss; bfloat16 needs no scaling of the loss, and float16 needs a scale that the program "
        "stores",
        (
            *("mixed_precision.", "train.experimental.*LossScale*", "contrib.mixed_precision."),
            "train.experimental.*mixed_precision*",
        ),
        computing=True,
    ),
    Family(
        "TJ328",
        "TensorFlow 2 does not have this name: use a layer, a cell or a loss of Keras 3, or write your own",
        (
            *("contrib.", "slim.", "layers.", "nn.rnn_cell.", "nn.dynamic_rnn", "nn.static_*"),
            *(
                "nn.bidirectional_dynamic_rnn",
                "nn.raw_rnn",
                "losses.",
                "metrics.",
                "distributions.",
            ),
            *(
                "make_template",
                "get_local_variable",
                "create_partitioned_variables",
                "nn.quantized_*",
            ),
            *("*_partitioner", "no_regularizer", "nn.relu_layer", "sparse_merge", "sparse.merge"),
            *("nn.fused_batch_norm", "nn.ctc_loss", "nn.ctc_beam_search_decoder"),
        ),
        computing=True,
    ),
    Family(
        "TJ328",
        "use `tf.image.resize`, which computes with the positions of the pixel centers, or use the function of this "
        "name in `shims.compat.v1.image`",
        ("image.resize*",),
        computing=True,
    ),
    Family(
        "TJ309",
        "docs/optimizers.md shows an Optax optimizer that takes the same steps",
        (
            *("train.*Optimizer*", "train.*decay*", "train.piecewise_constant*", "train.sdca_*"),
            *("contrib.opt.", "contrib.layers.optimize_loss", "contrib.training.create_train_op"),
        ),
        computing=True,
    ),
    Family(
        "TJ309",
        "`shims` has no such function: write the computation with other functions",
        (
            *("Print", "batch_scatter_update", "clip_by_average_norm", "sparse_*"),
            *("convert_to_tensor_or_indexed_slices", "nn.conv*_backprop_*"),
            *("nn.ctc_loss_v2", "nn.depthwise_conv2d_native", "orthogonal_initializer"),
            *("initializers.orthogonal", "quantize_v2", "ragged.*", "sparse.*"),
            *("SparseTensorValue", "train.do_quantize_training_on_graphdef"),
        ),
        computing=True,
    ),
    Family(
        "TJ309", "use Python's exceptions; `shims.errors` has TensorFlow's classes", ("errors.",)
    ),
    Family(
        "TJ329",
        "this name belongs to absl-py, which TensorFlow uses: write `from absl import app, flags, logging`",
        ("app.", "flags.", "app", "flags", "logging.", "contrib.framework.python_op*"),
    ),
    Family(
        "TJ330",
        "write tests with `absltest` or `pytest` and `numpy.testing`",
        (
            "test.",
            "contrib.eager.run_test*",
            "python.framework.test_util.",
            "python.platform.test.",
        ),
    ),
    Family(
        "TJ531",
        "this name configures TensorFlow; configure JAX with `jax.config` and `XLA_FLAGS`",
        (
            *("config.", "ConfigProto*", "GPUOptions*", "GraphOptions*", "OptimizerOptions*"),
            *("RunOptions*", "RunMetadata*", "profiler.", "debugging.set_log_device_placement"),
            *(
                "sysconfig.",
                "version.",
                "__version__",
                "VERSION",
                "GIT_VERSION",
                "COMPILER_VERSION",
            ),
            *(
                "__git_version__",
                "__compiler_version__",
                "random.Algorithm*",
                "debugging.experimental.",
            ),
            *("debugging.get_log_device_placement", "debugging.*traceback_filtering", "xla.*"),
            *("test.is_gpu_available", "test.gpu_device_name", "contrib.memory_stats."),
        ),
        stays=True,
    ),
    Family(
        "TJ332",
        "run `tf2jax-port import-graph` on the stored model, which writes JAX code, or `tf2jax-port weights`, which "
        "writes its arrays",
        (
            *("saved_model.load*", "saved_model.loader*", "contrib.saved_model.load*"),
            *("import_graph_def", "graph_util.import_graph_def"),
        ),
    ),
    Family(
        "TJ332",
        "store a compiled function with `jax.export`; its result can be converted to other formats",
        (
            *("saved_model.", "lite.", "graph_util.", "import_graph_def", "MetaGraphDef*"),
            *(
                "NodeDef*",
                "AttrValue*",
                "TensorInfo*",
                "SaverDef*",
                "contrib.lite.",
            ),
            *(
                "experimental.tensorrt.",
                "wrap_function",
            ),
            *("contrib.tensorrt.", "contrib.quantize.", "quantization.experimental.", "mlir."),
            "contrib.saved_model.",
        ),
    ),
    Family(
        "TJ332",
        "the library contains TensorFlow operators: write the operators in JAX, or call the library through `jax.ffi`",
        ("load_op_library", "load_library", "load_file_system_library"),
    ),
    Family(
        "TJ333",
        "convert words to numbers on the host: use `shims.strings` or `shims.lookup`; text layers of Keras 3 need TensorFlow",
        (
            *("lookup.", "feature_column.", "strings.", "string_*", "substr", "reduce_join"),
            *("contrib.lookup.", "contrib.feature_column.", "regex_*", "ragged.*_ngrams"),
        ),
    ),
    Family(
        "TJ334",
        "the name is private to TensorFlow: use a public name instead",
        ("python.", "core.", "compiler.", "tools.", "tsl.", "user_ops.", "include."),
    ),
)

# Names that compute nothing although the table has rows for them: types, structures, devices, text.
_OTHER = (
    *("nest.", "errors.", "dtypes.", "Tensor", "TensorShape*", "TensorSpec", "DType*", "TypeSpec*"),
    *("RaggedTensorSpec", "SparseTensorSpec", "IndexedSlicesSpec", "VariableSpec", "OptionalSpec"),
    *(
        "executing_eagerly*",
        "device",
        "version",
        "newaxis",
        "string",
        "bool",
        "resource",
        "variant",
    ),
    *("float*", "int*", "uint*", "bfloat16*", "complex64*", "complex128*", "half", "double"),
    *("qint*", "quint*", "autograph.", "compat.", "as_string", "strings.", "types.", "Dimension"),
    *("enable_*", "disable_*", "inside_function", "get_logger", "is_symbolic_tensor", "print"),
    *("type_spec_from_value", "is_tensor", "get_static_value", "experimental.ExtensionType*"),
    *("experimental.BatchableExtensionType", "experimental.Optional", "experimental.async_*"),
    *("debugging.enable_*", "debugging.disable_*", "control_flow_v2_enabled", "dimension_*"),
    *(
        "resource_variables_enabled",
        "experimental.register_filesystem_plugin",
        "contrib.framework.nest.",
    ),
)


def _matches(path: str, pattern: str) -> bool:
    """Return whether a name matches a pattern with `*`, a prefix with a final dot, or a whole name."""
    if "*" in pattern:
        first, *rest = pattern.split("*")
        if not path.startswith(first):
            return False
        place = len(first)
        for part in rest:
            found = path.find(part, place)
            if found < 0:
                return False
            place = found + len(part)
        return not rest[-1] or path.endswith(rest[-1])
    return path == pattern or (pattern.endswith(".") and f"{path}.".startswith(pattern))


def _specificity(pattern: str) -> int:
    """Return the number of literal characters of a pattern; of several matches, the longest applies."""
    return len(pattern.replace("*", "")) + ("*" not in pattern and not pattern.endswith("."))


@functools.cache
def find_family(path: str) -> Family | None:
    """Return the family that contains a TensorFlow 1 or 2 name, `None` if there is none."""
    found = [
        (_specificity(pattern), family)
        for family in FAMILIES
        for pattern in family.prefixes
        if _matches(path, pattern)
    ]
    return max(found, key=lambda pair: pair[0])[1] if found else None


@functools.cache
def is_computing(symbol: str) -> bool:
    """Return whether a symbol computes, as opposed to reading files, logging, placement or types.

    Args:
      symbol: as in findings: `tf.reduce_sum`, `tf.compat.v1.summary.scalar`, `Tensor.numpy`. For methods of tensors,
        which are counted separately, the result is `False`.
    """
    if not symbol.startswith("tf."):
        return False
    path = symbol.removeprefix("tf.").removeprefix("compat.v1.").removeprefix("compat.v2.")
    family = find_family(path)
    if family is not None:
        return family.computing
    return not any(_matches(path, pattern) for pattern in _OTHER)
