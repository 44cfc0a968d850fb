"""List the layers, cells and regularizers of TensorFlow 1, and their replacements in Keras 3 and Flax NNX."""

from __future__ import annotations

import re
from typing import NamedTuple


class Replacement(NamedTuple):
    """The replacement of a layer.

    Attributes:
      keras: the name in Keras 3 or JAX.
      flax: the name in Flax NNX; empty if there is none.
      slim: what else differs for the layer of `tf.contrib.layers` and slim.
      core: what else differs for the layer of `tf.layers` or `tf.nn`.
    """

    keras: str
    flax: str = ""
    slim: str = ""
    core: str = ""


_RELU = "the old default activation is ReLU, and the old default initializer is Xavier's"
_SAME = f"{_RELU}; the old default padding is SAME"
_NORM = "the old defaults are `decay=0.999`, no scale, and training mode"
_POOL = "the old default stride is 2"
_KEPT = "the old argument is the probability of keeping an element, and the old layer is active by default"
_FORGET = "the old cell adds `forget_bias=1.0` to a gate in each step, and the order of the gates is i, j, f, o"
_OFF = "the old layer is inactive without `training=True`"

_LAYERS: dict[str, Replacement] = {
    "arg_scope": Replacement("functools.partial"),
    "average_pooling1d": Replacement("keras.layers.AveragePooling1D", "avg_pool"),
    "average_pooling2d": Replacement("keras.layers.AveragePooling2D", "avg_pool"),
    "avg_pool2d": Replacement("keras.layers.AveragePooling2D", "avg_pool", _POOL),
    "batch_norm": Replacement("keras.layers.BatchNormalization", "BatchNorm", _NORM),
    "batch_normalization": Replacement("keras.layers.BatchNormalization", "BatchNorm", core=_OFF),
    "conv1d": Replacement("keras.layers.Conv1D", "Conv", _SAME),
    "conv2d": Replacement("keras.layers.Conv2D", "Conv", _SAME),
    "conv2d_transpose": Replacement("keras.layers.Conv2DTranspose", "ConvTranspose", _SAME),
    "conv3d": Replacement("keras.layers.Conv3D", "Conv", _SAME),
    "convolution": Replacement("keras.layers.Conv2D", "Conv", _SAME),
    "convolution2d": Replacement("keras.layers.Conv2D", "Conv", _SAME),
    "convolution2d_transpose": Replacement("keras.layers.Conv2DTranspose", "ConvTranspose", _SAME),
    "dense": Replacement("keras.layers.Dense", "Linear"),
    "dropout": Replacement("keras.layers.Dropout", "Dropout", _KEPT, _OFF),
    "embed_sequence": Replacement("keras.layers.Embedding", "Embed"),
    "flatten": Replacement("keras.layers.Flatten"),
    "fully_connected": Replacement("keras.layers.Dense", "Linear", _RELU),
    "group_norm": Replacement("keras.layers.GroupNormalization", "GroupNorm"),
    "l1_regularizer": Replacement("keras.regularizers.L1"),
    "l2_regularizer": Replacement(
        "keras.regularizers.L2",
        slim="the old regularizer computes half of the sum of squares, so pass `scale / 2`",
    ),
    "layer_norm": Replacement(
        "keras.layers.LayerNormalization",
        "LayerNorm",
        "the old layer normalizes over all axes except the first",
    ),
    "linear": Replacement(
        "keras.layers.Dense", "Linear", "the old default initializer is Xavier's"
    ),
    "max_pool2d": Replacement("keras.layers.MaxPooling2D", "max_pool", _POOL),
    "max_pooling1d": Replacement("keras.layers.MaxPooling1D", "max_pool"),
    "max_pooling2d": Replacement("keras.layers.MaxPooling2D", "max_pool"),
    "max_pooling3d": Replacement("keras.layers.MaxPooling3D", "max_pool"),
    "one_hot_encoding": Replacement("jax.nn.one_hot"),
    "separable_conv2d": Replacement("keras.layers.SeparableConv2D", slim=_SAME),
    "softmax": Replacement("jax.nn.softmax"),
    "variance_scaling_initializer": Replacement("keras.initializers.HeNormal"),
    "xavier_initializer": Replacement("keras.initializers.GlorotUniform"),
    "xavier_initializer_conv2d": Replacement("keras.initializers.GlorotUniform"),
}
_CELLS: dict[str, Replacement] = {
    "BasicLSTMCell": Replacement("keras.layers.LSTMCell", "LSTMCell", _FORGET, _FORGET),
    "BasicRNNCell": Replacement("keras.layers.SimpleRNNCell", "SimpleCell"),
    "GRUCell": Replacement("keras.layers.GRUCell", "GRUCell"),
    "LSTMCell": Replacement("keras.layers.LSTMCell", "LSTMCell", _FORGET, _FORGET),
    "MultiRNNCell": Replacement("keras.layers.StackedRNNCells"),
    "bidirectional_dynamic_rnn": Replacement("keras.layers.Bidirectional", "Bidirectional"),
    "dynamic_rnn": Replacement("keras.layers.RNN", "RNN"),
    "static_bidirectional_rnn": Replacement("keras.layers.Bidirectional", "Bidirectional"),
    "static_rnn": Replacement("keras.layers.RNN", "RNN"),
}
_SLIM = re.compile(r"(?:contrib\.(?:slim|layers)|slim)\.(?:python\.[\w.]+\.)?(\w+)$")
_CORE = re.compile(r"layers\.(\w+)$")
_RECURRENT = re.compile(r"(?:contrib\.rnn|nn\.rnn_cell|nn)\.(\w+)$")


def layer_advice(path: str) -> str:
    """Return what to write in place of a layer of TensorFlow 1, `""` for other names.

    Args:
      path: the name without `tf.`: `contrib.slim.conv2d`, `layers.dense`, `nn.rnn_cell.GRUCell`.
    """
    for pattern, names, is_slim in (
        (_SLIM, _LAYERS, True),
        (_CORE, _LAYERS, False),
        (_RECURRENT, _CELLS, False),
    ):
        found = pattern.match(path)
        if found is not None and found[1] in names:
            return _advice(names[found[1]], is_slim)
    return ""


def _advice(new: Replacement, is_slim: bool) -> str:
    other = f", or `nnx.{new.flax}` of Flax" if new.flax else ""
    differs = new.slim if is_slim else new.core
    return f"write `{new.keras}`{other}" + (f"; {differs}" if differs else "")
