"""Suggest replacements for TensorFlow 1 names that are not supported."""

from __future__ import annotations

_RECORDS = "read the records with `tf.data.TFRecordDataset`, and parse them with `tf.parse_example`"
_PIPELINES = "use `tf.data.Dataset`, or feed NumPy arrays by `feed_dict`"
_GRAPH_FILES = (
    "`tf2jax-port import-graph` reads frozen graphs and SavedModels; `graph.to_function(...)` converts a graph to a "
    "JAX function, and `tf.train.Saver` saves variables"
)
_LOOPS = "write the loop with `tf.train.MonitoredTrainingSession` around the model function"
_CLUSTERS = (
    "there is only one process: remove the call, convert the graph with `graph.to_function(...)`, and shard the "
    "arrays with `jax.sharding`"
)
_PRECISION = (
    "remove the call: the program then computes in float32, as TensorFlow does without a GPU"
)

# The first entry that equals the name, or is a prefix of it up to a dot, applies.
_INSTEAD: tuple[tuple[tuple[str, ...], str], ...] = (
    (("contrib.seq2seq",), "pass a `BasicDecoder` with a helper to `dynamic_decode`"),
    (("contrib.rnn", "contrib.cudnn_rnn"), "use `tf.nn.rnn_cell`, or subclass its `RNNCell`"),
    (
        ("contrib.layers", "contrib.slim"),
        "use `tf.layers`, or the functions of `tf.contrib.layers` that `shims.compat.v1` has",
    ),
    (("contrib.lookup",), "look up words on the host"),
    (
        ("contrib.feature_column", "feature_column"),
        "use the columns of `tf.feature_column` that `shims.compat.v1` has, or look up ids on the host",
    ),
    (("contrib.data", "data"), "use the methods of `tf.data.Dataset`"),
    (("contrib.learn", "contrib.estimator", "contrib.training", "estimator"), _LOOPS),
    (
        ("contrib.tpu", "contrib.cluster_resolver", "contrib.distribute", "tpu", "distribute"),
        _CLUSTERS,
    ),
    (("contrib.opt",), "use `tf.train`, or subclass its `Optimizer`"),
    (("contrib.framework",), "use `tf.train`, `tf.get_collection` and `tf.nest`"),
    (("contrib.metrics", "contrib.losses"), "use `tf.metrics` and `tf.losses`"),
    (
        ("contrib",),
        "TensorFlow 2 removed the function: copy its source code, which calls only ordinary operators",
    ),
    (("GraphDef", "MetaGraphDef", "NodeDef", "import_graph_def", "graph_util"), _GRAPH_FILES),
    (("saved_model", "train.write_graph"), _GRAPH_FILES),
    (("parse_single_sequence_example",), _RECORDS),
    (("train.maybe_batch", "train.maybe_shuffle_batch", "LMDBReader"), _PIPELINES),
    (("train.SessionManager",), "use `tf.train.MonitoredTrainingSession`"),
    (("train.Checkpoint", "train.CheckpointManager"), "use `tf.train.Saver`"),
    (("train.replica_device_setter", "train.Server", "train.ClusterSpec"), _CLUSTERS),
    (("count_up_to",), "use `tf.assign_add`, and compare the result with the limit"),
    (
        ("recompute_grad",),
        "convert the graph with `graph.to_function(...)`, and use `jax.checkpoint`",
    ),
    (("mixed_precision", "train.experimental"), _PRECISION),
    (("config", "lite", "xla", "profiler"), "use JAX's own settings and tools"),
)


def instead_of(name: str) -> str:
    """Return the suggested replacement for an unsupported name; an empty string if there is none."""
    for names, text in _INSTEAD:
        if any(name == n or name.startswith(f"{n}.") for n in names):
            return text
    return ""
