"""Define the functions of `tf.layers`, which create a layer and call it.

With `name` and `reuse`, a call shares the variables of an earlier layer.
"""

from __future__ import annotations

from collections.abc import Callable

from shims._src.v1.layers import convolutional, core, normalization, pooling

_END = (
    "activation use_bias kernel_initializer bias_initializer kernel_regularizer bias_regularizer "
    "activity_regularizer kernel_constraint bias_constraint trainable name reuse"
)
_WINDOW = "filters kernel_size strides padding data_format"
_CONVOLUTION = f"{_WINDOW} dilation_rate {_END}"
_TRANSPOSED = f"{_WINDOW} {_END}"
_SEPARABLE = (
    f"{_WINDOW} dilation_rate depth_multiplier activation use_bias depthwise_initializer "
    "pointwise_initializer bias_initializer depthwise_regularizer pointwise_regularizer "
    "bias_regularizer activity_regularizer depthwise_constraint pointwise_constraint "
    "bias_constraint trainable name reuse"
)
_POOLING = "pool_size strides padding data_format name"
_NORMALIZATION = (
    "axis momentum epsilon center scale beta_initializer gamma_initializer "
    "moving_mean_initializer moving_variance_initializer beta_regularizer gamma_regularizer "
    "beta_constraint gamma_constraint training trainable name reuse renorm renorm_clipping "
    "renorm_momentum fused virtual_batch_size adjustment"
)


def _make_function(cls: type, name: str, order: str, call: str, shape: str) -> Callable:
    """Return a function that creates a layer of a class and calls it.

    Args:
      cls: the class of the layer.
      name: the name of the function.
      order: the names of the parameters after `inputs`, separated by spaces; `training` is passed
        to the call of the layer, the others to its constructor.
      call: the arguments of the docstring's example.
      shape: the shape of its result.
    """
    parameters = ("inputs", *order.split())

    def function(*args, **kwargs):
        if len(args) > len(parameters):
            raise TypeError(f"{name}() takes {len(parameters)} arguments, got {len(args)}")
        given = dict(zip(parameters, args, strict=False))
        for key, value in kwargs.items():
            if key in given:
                raise TypeError(f"{name}() got multiple values for argument '{key}'")
            if key not in parameters:
                raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
            given[key] = value
        if "inputs" not in given:
            raise TypeError(f"{name}() missing 1 required positional argument: 'inputs'")
        inputs = given.pop("inputs")
        of_call = {"training": given.pop("training")} if "training" in given else {}
        reuse = given.pop("reuse", None)
        layer = cls(_scope=given.get("name"), _reuse=reuse, **given)
        return layer(inputs, **of_call)

    function.__name__ = function.__qualname__ = name
    function.__module__ = "shims.compat.v1.layers"
    own = {
        "inputs": "a tensor.",
        "training": "whether to run in training mode.",
        "reuse": "whether to reuse the variables of the layer with this `name`.",
    }
    listed = "\n".join(f"  {p}: {own[p]}" for p in parameters if p in own)
    function.__doc__ = (
        f"Create the layer `{cls.__name__}`, and call the layer with `inputs`.\n\nThe parameters that are not "
        f"described here are those of `tf.layers.{cls.__name__}`.\n\nArgs:\n{listed}\n\nReturns:\n  The output of "
        "the layer, a tensor.\n\nExample:\n  >>> import shims.compat.v1 as tf\n  >>> with tf.Graph().as_default():\n "
        f" ...     print(tf.layers.{name}({call}).shape)\n  {shape}\n\n"
        f"https://www.tensorflow.org/api_docs/python/tf/compat/v1/layers/{name}\n"
    )
    return function


average_pooling1d = _make_function(
    pooling.AveragePooling1D,
    "average_pooling1d",
    _POOLING,
    "tf.ones([2, 6, 3]), 2, 2",
    "(2, 3, 3)",
)
average_pooling2d = _make_function(
    pooling.AveragePooling2D,
    "average_pooling2d",
    _POOLING,
    "tf.ones([2, 6, 6, 3]), 2, 2",
    "(2, 3, 3, 3)",
)
average_pooling3d = _make_function(
    pooling.AveragePooling3D,
    "average_pooling3d",
    _POOLING,
    "tf.ones([2, 6, 6, 6, 3]), 2, 2",
    "(2, 3, 3, 3, 3)",
)
batch_normalization = _make_function(
    normalization.BatchNormalization,
    "batch_normalization",
    _NORMALIZATION,
    "tf.ones([2, 3]), training=True",
    "(2, 3)",
)
conv1d = _make_function(
    convolutional.Conv1D,
    "conv1d",
    _CONVOLUTION,
    "tf.ones([2, 6, 3]), 4, 3",
    "(2, 4, 4)",
)
conv2d = _make_function(
    convolutional.Conv2D,
    "conv2d",
    _CONVOLUTION,
    "tf.ones([2, 6, 6, 3]), 4, 3",
    "(2, 4, 4, 4)",
)
conv2d_transpose = _make_function(
    convolutional.Conv2DTranspose,
    "conv2d_transpose",
    _TRANSPOSED,
    "tf.ones([2, 6, 6, 3]), 4, 3, strides=2",
    "(2, 13, 13, 4)",
)
conv3d = _make_function(
    convolutional.Conv3D,
    "conv3d",
    _CONVOLUTION,
    "tf.ones([2, 6, 6, 6, 3]), 4, 3",
    "(2, 4, 4, 4, 4)",
)
conv3d_transpose = _make_function(
    convolutional.Conv3DTranspose,
    "conv3d_transpose",
    _TRANSPOSED,
    "tf.ones([2, 3, 3, 3, 3]), 4, 3",
    "(2, 5, 5, 5, 4)",
)
dense = _make_function(
    core.Dense,
    "dense",
    f"units {_END}",
    "tf.ones([2, 3]), 4",
    "(2, 4)",
)
dropout = _make_function(
    core.Dropout,
    "dropout",
    "rate noise_shape seed training name",
    "tf.ones([2, 3]), rate=0.5, training=True",
    "(2, 3)",
)
flatten = _make_function(
    core.Flatten,
    "flatten",
    "name data_format",
    "tf.ones([2, 3, 4])",
    "(2, 12)",
)
max_pooling1d = _make_function(
    pooling.MaxPooling1D,
    "max_pooling1d",
    _POOLING,
    "tf.ones([2, 6, 3]), 2, 2",
    "(2, 3, 3)",
)
max_pooling2d = _make_function(
    pooling.MaxPooling2D,
    "max_pooling2d",
    _POOLING,
    "tf.ones([2, 6, 6, 3]), 2, 2",
    "(2, 3, 3, 3)",
)
max_pooling3d = _make_function(
    pooling.MaxPooling3D,
    "max_pooling3d",
    _POOLING,
    "tf.ones([2, 6, 6, 6, 3]), 2, 2",
    "(2, 3, 3, 3, 3)",
)
separable_conv1d = _make_function(
    convolutional.SeparableConv1D,
    "separable_conv1d",
    _SEPARABLE,
    "tf.ones([2, 6, 3]), 4, 3",
    "(2, 4, 4)",
)
separable_conv2d = _make_function(
    convolutional.SeparableConv2D,
    "separable_conv2d",
    _SEPARABLE,
    "tf.ones([2, 6, 6, 3]), 4, 3",
    "(2, 4, 4, 4)",
)
