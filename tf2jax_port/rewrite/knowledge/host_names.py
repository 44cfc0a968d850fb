"""List the names of files, checkpoints, settings, strategies and pipelines that `shims` has under TensorFlow's name, and whole modules."""

from __future__ import annotations

_GFILE = (
    *("GFile", "copy", "exists", "get_registered_schemes", "glob", "isdir", "join", "listdir"),
    *("makedirs", "mkdir", "remove", "rename", "rmtree", "stat", "walk"),
)
_TRAIN = (
    *("Checkpoint", "CheckpointManager", "get_checkpoint_state", "latest_checkpoint"),
    *("list_variables", "load_checkpoint", "load_variable"),
)
_CONFIG = (
    *("LogicalDevice", "LogicalDeviceConfiguration", "PhysicalDevice", "functions_run_eagerly"),
    *("get_logical_device_configuration", "get_soft_device_placement", "get_visible_devices"),
    *("list_logical_devices", "list_physical_devices", "run_functions_eagerly"),
    *("set_logical_device_configuration", "set_soft_device_placement", "set_visible_devices"),
    *("experimental_functions_run_eagerly", "experimental_run_functions_eagerly"),
    *(
        f"experimental.{name}"
        for name in (
            *("VirtualDeviceConfiguration", "enable_op_determinism", "get_device_policy"),
            *("enable_tensor_float_32_execution", "tensor_float_32_execution_enabled"),
            *("get_memory_growth", "get_memory_info", "get_synchronous_execution"),
            *("get_virtual_device_configuration", "get_visible_devices", "list_logical_devices"),
            *("list_physical_devices", "set_device_policy", "set_memory_growth"),
            *("set_synchronous_execution", "set_virtual_device_configuration"),
            "set_visible_devices",
        )
    ),
    *("optimizer.get_experimental_options", "optimizer.get_jit"),
    *("optimizer.set_experimental_options", "optimizer.set_jit"),
    *("threading.get_inter_op_parallelism_threads", "threading.get_intra_op_parallelism_threads"),
    *("threading.set_inter_op_parallelism_threads", "threading.set_intra_op_parallelism_threads"),
)
# Texts, numbers and their types, which are Python's.
_COMPAT = (
    *("as_bytes", "as_str", "as_str_any", "as_text", "bytes_or_text_types", "complex_types"),
    *("integral_types", "path_to_str", "real_types"),
)
# Functions of TensorFlow 1 that `tf.io.gfile` has under another name, with parameters in the same order.
_OLD_GFILE = {
    "Copy": "copy",
    "DeleteRecursively": "rmtree",
    "Exists": "exists",
    "FastGFile": "GFile",
    "GFile": "GFile",
    "Glob": "glob",
    "IsDirectory": "isdir",
    "ListDirectory": "listdir",
    "MakeDirs": "makedirs",
    "MkDir": "mkdir",
    "Open": "GFile",
    "Remove": "remove",
    "Rename": "rename",
    "Stat": "stat",
}
OLD_FILES = {f"gfile.{old}": f"io.gfile.{new}" for old, new in _OLD_GFILE.items()}

# They do the same work whether or not the rest of a program is TensorFlow.
ALWAYS = frozenset(
    (
        *(f"io.gfile.{name}" for name in _GFILE),
        *(f"train.{name}" for name in _TRAIN),
        *(f"config.{name}" for name in _CONFIG),
        *(f"compat.{name}" for name in _COMPAT),
        *(f"profiler.experimental.{name}" for name in ("Profile", "Trace", "start", "stop")),
        *("autograph.experimental.set_loop_options", "autograph.to_code", "autograph.to_graph"),
    )
)
# Texts, whose methods a program may call.
TEXTS = ("__version__", "version.VERSION")
# What writes for TensorBoard, with the writer of the same library.
OF_SUMMARIES = frozenset(
    f"summary.{name}"
    for name in (
        *("SummaryWriter", "audio", "create_file_writer", "create_noop_writer"),
        *("experimental.get_step", "experimental.set_step", "experimental.summary_scope", "flush"),
        *("histogram", "image", "record_if", "scalar", "should_record_summaries", "text"),
        *("trace_export", "trace_off", "trace_on", "write"),
    )
)
# What distributes a program over devices; the object that `scope` returns belongs to the same library.
OF_STRATEGIES = frozenset(
    f"distribute.{name}"
    for name in (
        *("CrossDeviceOps", "DistributedDataset", "DistributedIterator", "DistributedValues"),
        *("HierarchicalCopyAllReduce", "InputContext", "InputOptions", "MirroredStrategy"),
        *("MultiWorkerMirroredStrategy", "NcclAllReduce", "OneDeviceStrategy", "ReduceOp"),
        *("ReductionToOneDevice", "ReplicaContext", "RunOptions", "Strategy", "TPUStrategy"),
        *("experimental.MultiWorkerMirroredStrategy", "experimental.TPUStrategy"),
        *("experimental.ValueContext", "experimental_set_strategy", "get_replica_context"),
        *("get_strategy", "has_strategy", "in_cross_replica_context"),
    )
)
# A module of which `shims` has every name: it is `jax.numpy` with TensorFlow's dtypes.
NUMPY = "experimental.numpy."

_DATA = (
    *("AUTOTUNE", "Dataset", "DatasetSpec", "FixedLengthRecordDataset", "INFINITE_CARDINALITY"),
    *("Iterator", "Options", "TFRecordDataset", "TextLineDataset", "ThreadingOptions"),
    "UNKNOWN_CARDINALITY",
)
_DATASET = (
    *("choose_from_datasets", "counter", "from_generator", "from_tensor_slices", "from_tensors"),
    *("list_files", "load", "random", "range", "sample_from_datasets", "zip"),
)
_EXPERIMENTAL = (
    *("AUTOTUNE", "AutoShardPolicy", "AutotuneOptions", "Counter", "CsvDataset"),
    *("DistributeOptions", "ExternalStatePolicy", "OptimizationOptions", "Optional"),
    *("RandomDataset", "ThreadingOptions", "assert_cardinality", "bucket_by_sequence_length"),
    *("cardinality", "choose_from_datasets", "copy_to_device", "dense_to_ragged_batch"),
    *("enumerate_dataset", "get_next_as_optional", "get_single_element", "get_structure"),
    *("group_by_window", "ignore_errors", "load", "make_csv_dataset", "map_and_batch"),
    "parallel_interleave",
    *("prefetch_to_device", "sample_from_datasets", "save", "scan", "shuffle_and_repeat"),
    *("snapshot", "take_while", "unbatch", "unique"),
)
_IO = (
    *("FixedLenFeature", "FixedLenSequenceFeature", "RaggedFeature", "SparseFeature"),
    *("TFRecordOptions", "TFRecordWriter", "VarLenFeature", "decode_and_crop_jpeg", "decode_bmp"),
    *("decode_csv", "decode_gif", "decode_image", "decode_jpeg", "decode_png", "decode_raw"),
    *("encode_jpeg", "encode_png", "extract_jpeg_shape", "is_jpeg", "matching_files"),
    *("parse_example", "parse_single_example", "parse_tensor", "read_file", "serialize_tensor"),
    "write_file",
)
_EXAMPLES = (
    *("BytesList", "Example", "Feature", "FeatureList", "FeatureLists", "Features", "FloatList"),
    *("Int64List", "SequenceExample"),
)

# They make or read values of a pipeline, whose parts must all come from the same library.
OF_PIPELINES = frozenset(
    (
        *(f"data.{name}" for name in _DATA),
        *(f"data.Dataset.{name}" for name in _DATASET),
        *(f"data.experimental.{name}" for name in _EXPERIMENTAL),
        *(f"io.{name}" for name in _IO),
        *(f"train.{name}" for name in _EXAMPLES),
        *("string", "dtypes.string"),
    )
)
