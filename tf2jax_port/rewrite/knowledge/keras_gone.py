"""List names of Keras 1 and 2 that Keras 3 lacks, with advice on replacements.

An entry applies to the name and to all names below it; the longest matching entry applies.
"""

from __future__ import annotations

_GRAPH = "Keras 3 has no graphs and no sessions: call the function or the model"
_PHASE = (
    "Keras 3 has no global learning phase: pass `training=True` or `training=False` to the call"
)
_EXPERIMENTAL = "in Keras 3, the layer is in `keras.layers`, without `experimental.preprocessing`"
_LEGACY = (
    "Keras 3 does not have the optimizers of Keras 2: use the optimizer of this name in `keras.optimizers`, which "
    "has no `decay=` and has different slots"
)
_IMAGES = (
    "Keras 3 does not have the generators of Keras 2: read images with `keras.utils.image_dataset_from_directory`, "
    "and augment them with layers such as `keras.layers.RandomFlip`"
)
_TEXT = "Keras 3 does not have the tokenizers of Keras 2: use `keras.layers.TextVectorization`"
_SEQUENCE = "use `keras.utils.timeseries_dataset_from_array`, or write the code with NumPy"
_CHOICE = "write a conditional expression that tests the argument `training` of the call"
_OWN_LAYER = "Keras 3 does not have the layer: write the computation of the layer with `keras.ops`"
_EVALUATOR = "evaluate in a separate process with `model.evaluate`"
_NEVER_USED = "nothing in Keras 3 uses this name: delete this code"
_DTENSOR = "write `keras.distribution`, which distributes models over devices"
_OLD_MODELS = (
    "Keras 3 does not have the model: build it from layers, or use another model of "
    "`keras.applications`"
)
_SYNCHRONIZED = (
    "write `keras.layers.BatchNormalization`: in a program that JAX compiles for a sharded batch, "
    "the moments of this layer are those of the whole batch"
)
_ESTIMATOR = "Keras 3 has no estimators: train the model with `fit`"
_SIZES = (*("002", "004", "006", "008", "016", "032", "040", "064", "080", "120", "160", "320"),)
_DEPTHS = (50, 101, 152, 200, 270, 350, 420)

REASONS: tuple[tuple[str, str], ...] = (
    ("backend.function", _GRAPH),
    ("backend.get_session", _GRAPH),
    ("backend.set_session", _GRAPH),
    ("backend.placeholder", "write `keras.Input`"),
    ("backend.is_placeholder", "Keras 3 has no placeholders: use `keras.utils.is_keras_tensor`"),
    ("backend.manual_variable_initialization", _GRAPH),
    ("backend.gradients", "write `jax.grad` of a function of the weights"),
    ("backend.learning_phase", _PHASE),
    ("backend.learning_phase_scope", _PHASE),
    ("backend.set_learning_phase", _PHASE),
    ("backend.symbolic_learning_phase", _PHASE),
    ("backend.reset_uids", "write `keras.utils.clear_session()`"),
    ("backend.print_tensor", "write `jax.debug.print`"),
    (
        "backend.experimental",
        "write `keras.random.SeedGenerator`, which every layer of Keras 3 uses",
    ),
    ("backend.in_test_phase", _CHOICE),
    ("backend.in_train_phase", _CHOICE),
    ("backend.local_conv1d", _OWN_LAYER),
    ("backend.local_conv2d", _OWN_LAYER),
    ("backend.normalize_batch_in_training", "write `keras.layers.BatchNormalization`"),
    ("backend.random_binomial", "write `keras.random.binomial`, which draws different numbers"),
    ("backend.tf", "Keras 3 does not re-export the TensorFlow module: import JAX"),
    ("backend.tensorflow_backend", "Keras 3 computes with JAX"),
    *((f"applications.RegNet{letter}{size}", _OLD_MODELS) for letter in "XY" for size in _SIZES),
    ("applications.regnet", _OLD_MODELS),
    *((f"applications.ResNetRS{depth}", _OLD_MODELS) for depth in _DEPTHS),
    ("applications.resnet_rs", _OLD_MODELS),
    ("callbacks.BaseLogger", _NEVER_USED),
    ("callbacks.SidecarEvaluatorModelExport", "write `keras.callbacks.ModelCheckpoint`"),
    ("callbacks.experimental.UpdateEmbeddingCallback", _NEVER_USED),
    ("callbacks.experimental", "write `keras.callbacks.BackupAndRestore`"),
    ("constraints.RadialConstraint", "derive the constraint from `keras.constraints.Constraint`"),
    ("constraints.radial_constraint", "derive the constraint from `keras.constraints.Constraint`"),
    ("dtensor", _DTENSOR),
    ("estimator", _ESTIMATOR),
    ("experimental.LinearModel", "write `keras.Sequential` with one `Dense`"),
    ("experimental.WideDeepModel", "add the outputs of two models"),
    ("experimental.CosineDecay", "write `keras.optimizers.schedules.CosineDecay`"),
    (
        "experimental.CosineDecayRestarts",
        "write `keras.optimizers.schedules.CosineDecayRestarts`",
    ),
    ("experimental.SequenceFeatures", "write `keras.utils.FeatureSpace`"),
    ("experimental.SidecarEvaluator", _EVALUATOR),
    ("experimental", "Keras 3 has no `experimental`"),
    ("initializers.experimental", "Keras 3 has no `experimental`"),
    ("layers.AbstractRNNCell", "derive the cell from `keras.layers.Layer`"),
    ("layers.AlphaDropout", "write `keras.layers.AlphaDropout`, which draws different numbers"),
    ("layers.CuDNNGRU", "write `keras.layers.GRU`, whose default of `reset_after` differs"),
    ("layers.CuDNNLSTM", "write `keras.layers.LSTM`"),
    ("layers.DenseFeatures", "write `keras.utils.FeatureSpace`"),
    ("layers.SequenceFeatures", "write `keras.utils.FeatureSpace`"),
    ("layers.LocallyConnected1D", _OWN_LAYER),
    ("layers.LocallyConnected2D", _OWN_LAYER),
    ("layers.RandomHeight", "Keras 3 does not have the layer: write `keras.layers.RandomZoom`"),
    ("layers.RandomWidth", "Keras 3 does not have the layer: write `keras.layers.RandomZoom`"),
    ("layers.SyncBatchNormalization", _SYNCHRONIZED),
    ("layers.ThresholdedReLU", "write `keras.layers.ReLU(threshold=...)`"),
    (
        "layers.experimental.DynamicEmbedding",
        "write `keras.layers.Embedding` with a vocabulary of fixed size",
    ),
    ("layers.experimental.DynamicLookup", "write `keras.layers.StringLookup`"),
    ("layers.experimental.EinsumDense", "write `keras.layers.EinsumDense`"),
    ("layers.experimental.RandomFourierFeatures", _OWN_LAYER),
    ("layers.experimental.SyncBatchNormalization", _SYNCHRONIZED),
    ("layers.experimental", _EXPERIMENTAL),
    ("losses.Reduction.AUTO", "write the reduction, `'sum_over_batch_size'`"),
    ("losses.Reduction", "the reduction is a string: `'none'`, `'sum'`, `'sum_over_batch_size'`"),
    ("metrics.MeanRelativeError", "derive the metric from `keras.metrics.Mean`"),
    ("metrics.MeanTensor", "derive the metric from `keras.metrics.Metric`"),
    (
        "metrics.experimental",
        "derive the metric from `keras.metrics.Metric`, which adds NumPy arrays, too",
    ),
    ("mixed_precision.experimental", "write `keras.mixed_precision.set_global_policy`"),
    (
        "models.experimental",
        "add the outputs of two models, and write a training loop with an optimizer for each model",
    ),
    ("models.model_from_config", "write `keras.Model.from_config`"),
    ("models.model_from_yaml", "write `keras.models.model_from_json`"),
    ("optimizers.legacy", _LEGACY),
    ("optimizers.experimental", "the optimizer moved to `keras.optimizers`"),
    ("premade", "Keras 3 has no ready-made models of this kind"),
    ("premade_models", "Keras 3 has no ready-made models of this kind"),
    ("preprocessing.image", _IMAGES),
    ("preprocessing.sequence", _SEQUENCE),
    ("preprocessing.text", _TEXT),
    (
        "saving.hdf5_format",
        "write `model.save_weights`; the file name extension determines the format",
    ),
    ("utils.GeneratorEnqueuer", "write `keras.utils.PyDataset`"),
    ("utils.OrderedEnqueuer", "write `keras.utils.PyDataset`"),
    ("utils.SequenceEnqueuer", "write `keras.utils.PyDataset`"),
    ("utils.SidecarEvaluator", _EVALUATOR),
    ("utils.StepsPerExecutionTuner", "pass `steps_per_execution='auto'` to `model.compile`"),
    ("utils.TimedThread", "write `threading.Thread` or `threading.Timer`"),
    ("utils.convert_all_kernels_in_model", "kernels need no conversion"),
    ("utils.experimental.DatasetCreator", "pass the dataset itself to `model.fit`"),
    ("utils.experimental", "Keras 3 has no `experimental`"),
    ("utils.generic_utils", "the names of this module are private in Keras 3"),
    ("utils.multi_gpu_model", "write `keras.distribution.DataParallel`"),
    (
        "utils.to_ordinal",
        "write `keras.ops.cast(keras.ops.arange(n - 1) < labels[:, None], 'float32')`",
    ),
    ("utils.warmstart_embedding_matrix", "copy the rows of the known words with NumPy"),
    ("wrappers.scikit_learn", "write `keras.wrappers.SKLearnClassifier` or `SKLearnRegressor`"),
)

# Keywords of Keras 1 and 2 that a call of Keras 3 rejects, and their replacements.
KEYWORDS: dict[str, str] = {
    "batch_input_shape": "write `batch_shape=` of a `keras.Input`",
    "decay": "write a schedule as `learning_rate=`: `keras.optimizers.schedules.InverseTimeDecay`",
    "fused": "leave `fused` out",
    "init": "write `kernel_initializer=`",
    "input": "write `inputs=`",
    "output": "write `outputs=`",
    "period": "write `save_freq=`",
    "renorm": "Keras 3 has no batch renormalization",
    "save_format": "the file name extension determines the format",
    "time_major": "swap the first two axes of the input",
    "virtual_batch_size": "Keras 3 has no virtual batches",
    "weights": "write `layer.set_weights(...)`",
}

# Arguments that Keras 3 has, and for which it raises an error on JAX: `(class, argument)` and the advice.
RAISING: dict[tuple[str, str], str] = {
    ("layers.BatchNormalization", "synchronized"): (
        "leave `synchronized` out: in a program that JAX compiles for a sharded batch, the moments are those of "
        "the whole batch"
    ),
    **dict.fromkeys(
        (("Input", "ragged"), ("layers.Input", "ragged"), ("layers.InputLayer", "ragged")),
        "pad the rows, and mask the padding with `Embedding(mask_zero=True)` or `Masking`",
    ),
}


def why_gone(name: str) -> str:
    """Return the advice for a removed Keras name (without `keras.`), `""` if it is not listed."""
    fitting = [
        (prefix, reason)
        for prefix, reason in REASONS
        if name == prefix or name.startswith(f"{prefix}.")
    ]
    return max(fitting)[1] if fitting else ""
