"""Define the layers of `contrib.layers` and `slim` that have weights."""

from __future__ import annotations

import functools

import shims
from shims._src.v1.contrib.arg_scope import add_arg_scope
from shims._src.v1.contrib.output_collections import (
    collect_named_outputs,
    collect_variable,
    get_variable_collections,
)
from shims._src.v1.contrib.variables import model_variable
from shims._src.v1.contrib.xavier import xavier_initializer
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.deferred_operators import deferred, operation_of
from shims._src.v1.graph.standard_operators import bias_add
from shims._src.v1.layers import convolutional, core
from shims._src.v1.variables.initializers import zeros_initializer
from shims._src.v1.variables.variable_scope import variable_scope

_relu = deferred(shims.nn.relu, "nn.relu")
_NAMES = {
    "bias": "biases",
    "depthwise_kernel": "depthwise_weights",
    "kernel": "weights",
    "pointwise_kernel": "pointwise_weights",
}
_CONVOLUTIONS = {3: convolutional.Conv1D, 4: convolutional.Conv2D, 5: convolutional.Conv3D}
_ZEROS, _XAVIER = zeros_initializer(), xavier_initializer()


def renaming_getter(names=None):
    """Return a custom getter that renames variables as `contrib.layers` does.

    The variables are added to the collection of model variables.
    """
    names = _NAMES if names is None else names

    def getter(getter, *args, **kwargs):
        given = dict(zip(("name",), args, strict=False)) | kwargs
        *scope, last = given["name"].split("/")
        return model_variable(
            "/".join([*scope, names.get(last, last)]),
            shape=given["shape"],
            dtype=given["dtype"],
            initializer=given["initializer"],
            regularizer=given["regularizer"],
            collections=None,
            trainable=given["trainable"],
            partitioner=given["partitioner"],
            custom_getter=getter,
            use_resource=given["use_resource"],
        )

    return getter


def channel_order(data_format) -> str:
    """Convert a data format such as `NHWC` to `channels_first` or `channels_last`.

    Raises:
      ValueError: `data_format` is unknown.
    """
    if data_format in (None, "NHWC", "NWC", "NDHWC"):
        return "channels_last"
    if data_format in ("NCHW", "NCW", "NCDHW"):
        return "channels_first"
    raise ValueError(f"Invalid data_format: {data_format!r}")


def finish_layer(outputs, scope, normalizer_fn, normalizer_params, activation_fn, collections):
    """Apply normalizer and activation to the outputs of a layer, and add them to collections."""
    if normalizer_fn is not None:
        outputs = normalizer_fn(outputs, **(normalizer_params or {}))
    if activation_fn is not None:
        outputs = activation_fn(outputs)
    return collect_named_outputs(collections, scope.name, outputs)


@add_arg_scope
def convolution(
    inputs,
    num_outputs,
    kernel_size,
    stride=1,
    padding="SAME",
    data_format=None,
    rate=1,
    activation_fn=_relu,
    normalizer_fn=None,
    normalizer_params=None,
    weights_initializer=_XAVIER,
    weights_regularizer=None,
    biases_initializer=_ZEROS,
    biases_regularizer=None,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    scope=None,
):
    """Convolve the inputs over all axes except batch and channels.

    Args:
      inputs: tensor `[batch, ..., channels]`.
      num_outputs: the number of channels of the output.
      kernel_size: the size of the window.
      stride: the stride of the window.
      padding: `SAME` or `VALID`.
      data_format: `NHWC`, `NCHW` or the equivalent for the rank.
      rate: the dilation of the window.
      activation_fn: a function of the output, or `None`.
      normalizer_fn: a function applied before the activation, instead of a bias.
      normalizer_params: the keyword arguments of `normalizer_fn`.
      weights_initializer: the initializer of the kernel.
      weights_regularizer: a function that maps the kernel to a loss.
      biases_initializer: the initializer of the biases; `None` for none.
      biases_regularizer: a function that maps the biases to a loss.
      reuse: whether to reuse existing variables.
      variables_collections: collections of the variables, or a dictionary of collections by
        variable name.
      outputs_collections: collections of the output.
      trainable: whether optimizers update the variables.
      scope: the variable scope; `Conv` when `None`.
    """
    with variable_scope(
        scope, "Conv", [inputs], reuse=reuse, custom_getter=renaming_getter()
    ) as opened:
        inputs = convert_to_tensor(inputs)
        cls = _CONVOLUTIONS.get(inputs.shape.rank)
        if cls is None:
            raise ValueError(f"Convolution not supported for input with rank {inputs.shape.rank}")
        layer = cls(
            num_outputs,
            kernel_size,
            strides=stride,
            padding=padding,
            data_format=channel_order(data_format),
            dilation_rate=rate,
            use_bias=not normalizer_fn and bool(biases_initializer),
            kernel_initializer=weights_initializer,
            bias_initializer=biases_initializer,
            kernel_regularizer=weights_regularizer,
            bias_regularizer=biases_regularizer,
            trainable=trainable,
            name=opened.name,
            _scope=opened,
            _reuse=reuse,
        )
        outputs = layer(inputs)
        collect_variable(layer.kernel, variables_collections, "weights")
        collect_variable(layer.bias, variables_collections, "biases")
        return finish_layer(
            outputs, opened, normalizer_fn, normalizer_params, activation_fn, outputs_collections
        )


conv1d = conv2d = conv3d = convolution2d = convolution


@add_arg_scope
def convolution2d_transpose(
    inputs,
    num_outputs,
    kernel_size,
    stride=1,
    padding="SAME",
    data_format="NHWC",
    activation_fn=_relu,
    normalizer_fn=None,
    normalizer_params=None,
    weights_initializer=_XAVIER,
    weights_regularizer=None,
    biases_initializer=_ZEROS,
    biases_regularizer=None,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    scope=None,
):
    """Compute a transposed convolution over two axes; accepts the arguments of `convolution`."""
    with variable_scope(
        scope, "Conv2d_transpose", [inputs], reuse=reuse, custom_getter=renaming_getter()
    ) as opened:
        layer = convolutional.Conv2DTranspose(
            num_outputs,
            kernel_size,
            strides=stride,
            padding=padding,
            data_format=channel_order(data_format),
            use_bias=not normalizer_fn and bool(biases_initializer),
            kernel_initializer=weights_initializer,
            bias_initializer=biases_initializer,
            kernel_regularizer=weights_regularizer,
            bias_regularizer=biases_regularizer,
            trainable=trainable,
            name=opened.name,
            _scope=opened,
            _reuse=reuse,
        )
        outputs = layer(inputs)
        collect_variable(layer.kernel, variables_collections, "weights")
        collect_variable(layer.bias, variables_collections, "biases")
        return finish_layer(
            outputs, opened, normalizer_fn, normalizer_params, activation_fn, outputs_collections
        )


conv2d_transpose = convolution2d_transpose


@add_arg_scope
def fully_connected(
    inputs,
    num_outputs,
    activation_fn=_relu,
    normalizer_fn=None,
    normalizer_params=None,
    weights_initializer=_XAVIER,
    weights_regularizer=None,
    biases_initializer=_ZEROS,
    biases_regularizer=None,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    scope=None,
):
    """Apply a fully connected layer to the last axis; accepts the arguments of `convolution`."""
    with variable_scope(
        scope, "fully_connected", [inputs], reuse=reuse, custom_getter=renaming_getter()
    ) as opened:
        layer = core.Dense(
            num_outputs,
            use_bias=not normalizer_fn and bool(biases_initializer),
            kernel_initializer=weights_initializer,
            bias_initializer=biases_initializer,
            kernel_regularizer=weights_regularizer,
            bias_regularizer=biases_regularizer,
            trainable=trainable,
            name=opened.name,
            _scope=opened,
            _reuse=reuse,
        )
        outputs = layer(convert_to_tensor(inputs))
        collect_variable(layer.kernel, variables_collections, "weights")
        collect_variable(layer.bias, variables_collections, "biases")
        return finish_layer(
            outputs, opened, normalizer_fn, normalizer_params, activation_fn, outputs_collections
        )


linear = functools.partial(fully_connected, activation_fn=None)
relu = functools.partial(fully_connected, activation_fn=_relu)
relu6 = functools.partial(fully_connected, activation_fn=deferred(shims.nn.relu6, "nn.relu6"))
elu = functools.partial(fully_connected, activation_fn=deferred(shims.nn.elu, "nn.elu"))


@add_arg_scope
def separable_convolution2d(
    inputs,
    num_outputs,
    kernel_size,
    depth_multiplier=1,
    stride=1,
    padding="SAME",
    data_format="NHWC",
    rate=1,
    activation_fn=_relu,
    normalizer_fn=None,
    normalizer_params=None,
    weights_initializer=_XAVIER,
    pointwise_initializer=None,
    weights_regularizer=None,
    biases_initializer=_ZEROS,
    biases_regularizer=None,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    scope=None,
):
    """Compute a depthwise convolution, then a pointwise convolution.

    Args:
      inputs: tensor `[batch, ..., channels]`.
      num_outputs: the number of channels of the output; `None` omits the pointwise convolution.
      kernel_size: the size of the window.
      depth_multiplier: the number of depthwise output channels per input channel.
      stride: the stride of the window.
      padding: `SAME` or `VALID`.
      data_format: `NHWC`, `NCHW` or the equivalent for the rank.
      rate: the dilation of the window.
      activation_fn: a function of the output, or `None`.
      normalizer_fn: a function applied before the activation, instead of a bias.
      normalizer_params: the keyword arguments of `normalizer_fn`.
      weights_initializer: the initializer of the kernels.
      pointwise_initializer: the initializer of the pointwise kernel; `weights_initializer` when
        `None`.
      weights_regularizer: a function that maps a kernel to a loss.
      biases_initializer: the initializer of the biases; `None` for none.
      biases_regularizer: a function that maps the biases to a loss.
      reuse: whether to reuse existing variables.
      variables_collections: collections of the variables, or a dictionary of collections by
        variable name.
      outputs_collections: collections of the output.
      trainable: whether optimizers update the variables.
      scope: the variable scope; `SeparableConv2d` when `None`.
    """
    with variable_scope(
        scope, "SeparableConv2d", [inputs], reuse=reuse, custom_getter=renaming_getter()
    ) as opened:
        inputs = convert_to_tensor(inputs)
        use_bias = not normalizer_fn and bool(biases_initializer)
        if num_outputs is None:
            outputs = _convolve_depthwise(
                inputs,
                convolutional.sizes_of(kernel_size, 2, "kernel_size"),
                depth_multiplier,
                convolutional.sizes_of(stride, 2, "stride"),
                padding,
                data_format,
                convolutional.sizes_of(rate, 2, "rate"),
                weights_initializer,
                weights_regularizer,
                (biases_initializer, biases_regularizer) if use_bias else None,
                variables_collections,
                trainable,
            )
        else:
            layer = convolutional.SeparableConv2D(
                num_outputs,
                kernel_size,
                strides=stride,
                padding=padding,
                data_format=channel_order(data_format),
                dilation_rate=rate,
                depth_multiplier=depth_multiplier,
                use_bias=use_bias,
                depthwise_initializer=weights_initializer,
                pointwise_initializer=pointwise_initializer or weights_initializer,
                bias_initializer=biases_initializer,
                depthwise_regularizer=weights_regularizer,
                pointwise_regularizer=weights_regularizer,
                bias_regularizer=biases_regularizer,
                trainable=trainable,
                name=opened.name,
                _scope=opened,
                _reuse=reuse,
            )
            outputs = layer(inputs)
            collect_variable(layer.depthwise_kernel, variables_collections, "weights")
            collect_variable(layer.pointwise_kernel, variables_collections, "weights")
            collect_variable(layer.bias, variables_collections, "biases")
        return finish_layer(
            outputs, opened, normalizer_fn, normalizer_params, activation_fn, outputs_collections
        )


separable_conv2d = separable_convolution2d


def _convolve_depthwise(
    inputs,
    size,
    multiplier,
    strides,
    padding,
    data_format,
    rate,
    initializer,
    regularizer,
    biases,
    collections,
    trainable,
):
    """Create the variables of a depthwise convolution and compute it, with an optional bias."""
    first = channel_order(data_format) == "channels_first"
    channels = inputs.shape.as_list()[1 if first else -1]
    weights = model_variable(
        "depthwise_weights",
        shape=[*size, channels, multiplier],
        dtype=inputs.dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=get_variable_collections(collections, "weights"),
    )
    outputs = operation_of(
        shims.nn.depthwise_conv2d,
        (inputs, weights, [1, 1, *strides] if first else [1, *strides, 1], padding),
        {"data_format": data_format, "dilations": list(rate)},
        public="nn.depthwise_conv2d",
        name="depthwise",
        type_="DepthwiseConv2dNative",
    )
    if biases is None:
        return outputs
    bias = model_variable(
        "biases",
        shape=[channels * multiplier],
        dtype=inputs.dtype,
        initializer=biases[0],
        regularizer=biases[1],
        trainable=trainable,
        collections=get_variable_collections(collections, "biases"),
    )
    return bias_add(outputs, bias, data_format=data_format)
