"""Define the convolution layers: plain, transposed and separable."""

from __future__ import annotations

import shims
from shims._src.errors import errors
from shims._src.v1.graph.deferred_operators import operation_of
from shims._src.v1.graph.shapes import dimension_value
from shims._src.v1.layers.base import Layer
from shims._src.v1.layers.core import add_bias_and_activate
from shims._src.v1.layers.options import (
    activation_of,
    initializer_of,
    layout_of,
    padding_of,
    sizes_of,
)


class _Convolution(Layer):
    """The base class of convolution layers; subclasses set the number of spatial axes."""

    __module__ = "shims.compat.v1.layers"
    _rank = 2

    def __init__(
        self,
        filters,
        kernel_size,
        strides=1,
        padding="valid",
        data_format="channels_last",
        dilation_rate=1,
        activation=None,
        use_bias=True,
        kernel_initializer=None,
        bias_initializer="zeros",
        kernel_regularizer=None,
        bias_regularizer=None,
        activity_regularizer=None,
        kernel_constraint=None,
        bias_constraint=None,
        trainable=True,
        name=None,
        **kwargs,
    ):
        super().__init__(trainable, name, activity_regularizer=activity_regularizer, **kwargs)
        self.rank, self.filters = self._rank, filters
        self.kernel_size = sizes_of(kernel_size, self._rank, "kernel_size")
        self.strides = sizes_of(strides, self._rank, "strides")
        self.padding, self.data_format = padding.lower(), data_format
        padding_of(padding)
        self._layout = layout_of(data_format, self._rank)
        self.dilation_rate = sizes_of(dilation_rate, self._rank, "dilation_rate")
        self.activation, self.use_bias = activation_of(activation), use_bias
        self.kernel_initializer = initializer_of(kernel_initializer)
        self.bias_initializer = initializer_of(bias_initializer)
        self.kernel_regularizer, self.bias_regularizer = kernel_regularizer, bias_regularizer
        self.kernel_constraint, self.bias_constraint = kernel_constraint, bias_constraint
        self.kernel = self.bias = None

    @property
    def _channel_axis(self) -> int:
        return 1 if self.data_format == "channels_first" else -1

    def check(self, inputs) -> None:
        """Raise `ValueError` unless the inputs have batch, spatial and channel axes."""
        self._check_rank(inputs, least=self._rank + 2)

    def _channel_count(self, input_shape) -> int:
        axis = self._channel_axis
        size = dimension_value(input_shape[axis]) if input_shape.rank else None
        if size is None:
            raise ValueError(
                "The channel dimension of the inputs should be defined. The input_shape received "
                f"is {input_shape}, where axis {axis} (0-based) is the channel dimension, which "
                "found to be `None`."
            )
        return size

    def _kernel_shape(self, channels: int) -> list[int]:
        return [*self.kernel_size, channels, self.filters]

    def build(self, input_shape) -> None:
        """Create the kernel and the bias."""
        self.kernel = self.add_weight(
            "kernel",
            self._kernel_shape(self._channel_count(input_shape)),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        self._build_bias()

    def _build_bias(self) -> None:
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                [self.filters],
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        self.built = True

    def call(self, inputs):
        """Compute the convolution, add the bias and apply the activation."""
        options = {
            "strides": list(self.strides),
            "padding": padding_of(self.padding),
            "data_format": self._layout,
            "dilations": list(self.dilation_rate),
        }
        dilated = any(d > 1 for d in self.dilation_rate)
        name = f"Conv{self._rank}D"
        last = "/BatchToSpaceND" if dilated else "/Squeeze" if self._rank == 1 else ""
        outputs = operation_of(
            shims.nn.convolution,
            (inputs, self.kernel),
            options,
            public="nn.convolution",
            name=name + last,
            type_=name,
        )
        return self._add_bias_and_activate(outputs)

    def _add_bias_and_activate(self, outputs):
        data_format = "N..C" if self._channel_axis == -1 else "NC.."
        return add_bias_and_activate(outputs, self.bias, self.activation, data_format)


class Conv1D(_Convolution):
    """A convolution layer over one spatial axis.

    Args:
      filters: the number of channels of the output.
      kernel_size: the size of the window.
      strides: the stride of the window.
      padding: `valid` or `same`.
      data_format: `channels_last` or `channels_first`.
      dilation_rate: the dilation of the window.
      activation, use_bias, kernel_initializer, bias_initializer, kernel_regularizer,
        bias_regularizer, activity_regularizer, kernel_constraint, bias_constraint, trainable, name:
        as for `Dense`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/layers/Conv1D
    """

    __module__ = "shims.compat.v1.layers"
    _rank = 1


class Conv2D(_Convolution):
    """A convolution layer over two axes; accepts the arguments of `Conv1D`, with one size per axis.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/layers/Conv2D
    """

    __module__ = "shims.compat.v1.layers"
    _rank = 2


class Conv3D(_Convolution):
    """A convolution layer over three axes; accepts the arguments of `Conv1D`, with one size per axis.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/layers/Conv3D
    """

    __module__ = "shims.compat.v1.layers"
    _rank = 3


class _Transposed(_Convolution):
    """The base class of transposed convolution layers, which have no dilation."""

    def __init__(
        self,
        filters,
        kernel_size,
        strides=1,
        padding="valid",
        data_format="channels_last",
        activation=None,
        use_bias=True,
        kernel_initializer=None,
        bias_initializer="zeros",
        **kwargs,
    ):
        super().__init__(
            filters,
            kernel_size,
            strides,
            padding,
            data_format,
            1,
            activation,
            use_bias,
            kernel_initializer,
            bias_initializer,
            **kwargs,
        )

    def _kernel_shape(self, channels: int) -> list[int]:
        return [*self.kernel_size, self.filters, channels]

    def check(self, inputs) -> None:
        """Raise `ValueError` unless the inputs have exactly batch, spatial and channel axes."""
        self._check_rank(inputs, exact=self._rank + 2)

    def call(self, inputs):
        """Compute the transposed convolution, add the bias and apply the activation."""
        name = f"conv{self._rank}d_transpose"
        outputs = operation_of(
            _convolve_transposed,
            (inputs, self.kernel, self._rank, self.kernel_size, self.strides),
            {"padding": padding_of(self.padding), "data_format": self._layout},
            public=f"nn.{name}",
            name=name,
            type_=f"Conv{self._rank}DBackpropInput",
        )
        return self._add_bias_and_activate(outputs)


def _convolve_transposed(x, kernel, rank, window, strides, padding, data_format):
    """Compute a transposed convolution, with the largest output size that the strides allow."""
    first = data_format.startswith("NC")
    sizes = x.shape[2:] if first else x.shape[1:-1]
    made = [
        d * s + (max(k - s, 0) if padding == "VALID" else 0)
        for d, s, k in zip(sizes, strides, window, strict=True)
    ]
    channels = kernel.shape[-2]
    shape = [x.shape[0], channels, *made] if first else [x.shape[0], *made, channels]
    f = shims.nn.conv2d_transpose if rank == 2 else shims.nn.conv3d_transpose
    return f(x, kernel, shape, list(strides), padding, data_format)


class Conv2DTranspose(_Transposed):
    """A transposed convolution layer over two spatial axes; accepts the arguments of `Conv2D`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/layers/Conv2DTranspose
    """

    __module__ = "shims.compat.v1.layers"
    _rank = 2


class Conv3DTranspose(_Transposed):
    """A transposed convolution layer over three spatial axes; accepts the arguments of `Conv3D`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/layers/Conv3DTranspose
    """

    __module__ = "shims.compat.v1.layers"
    _rank = 3


class _Separable(_Convolution):
    """The base class of depthwise separable convolution layers."""

    def __init__(
        self,
        filters,
        kernel_size,
        strides=1,
        padding="valid",
        data_format="channels_last",
        dilation_rate=1,
        depth_multiplier=1,
        activation=None,
        use_bias=True,
        depthwise_initializer=None,
        pointwise_initializer=None,
        bias_initializer="zeros",
        depthwise_regularizer=None,
        pointwise_regularizer=None,
        bias_regularizer=None,
        activity_regularizer=None,
        depthwise_constraint=None,
        pointwise_constraint=None,
        **kwargs,
    ):
        super().__init__(
            filters,
            kernel_size,
            strides,
            padding,
            data_format,
            dilation_rate,
            activation,
            use_bias,
            bias_initializer=bias_initializer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            **kwargs,
        )
        self.depth_multiplier = depth_multiplier
        self.depthwise_initializer = initializer_of(depthwise_initializer)
        self.pointwise_initializer = initializer_of(pointwise_initializer)
        self.depthwise_regularizer = depthwise_regularizer
        self.pointwise_regularizer = pointwise_regularizer
        self.depthwise_constraint = depthwise_constraint
        self.pointwise_constraint = pointwise_constraint
        if len(set(self.strides)) > 1:
            raise errors.UnimplementedError(
                errors.message(
                    "separable_conv2d",
                    "all strides must be equal, because TensorFlow's kernel requires equal strides.",
                    received=f"strides={self.strides}",
                    do="use one number",
                )
            )

    def build(self, input_shape) -> None:
        """Create the depthwise kernel, the pointwise kernel and the bias."""
        channels, inner = self._channel_count(input_shape), self.depth_multiplier
        self.depthwise_kernel = self.add_weight(
            "depthwise_kernel",
            [*self.kernel_size, channels, inner],
            initializer=self.depthwise_initializer,
            regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint,
        )
        self.pointwise_kernel = self.add_weight(
            "pointwise_kernel",
            [*[1] * self._rank, channels * inner, self.filters],
            initializer=self.pointwise_initializer,
            regularizer=self.pointwise_regularizer,
            constraint=self.pointwise_constraint,
        )
        self._build_bias()

    def call(self, inputs):
        """Compute a depthwise convolution, then a pointwise one."""
        given = (inputs, self.depthwise_kernel, self.pointwise_kernel, self.strides)
        outputs = operation_of(
            _convolve_separable,
            given,
            {
                "padding": padding_of(self.padding),
                "data_format": self._layout,
                "dilations": self.dilation_rate,
            },
            public="nn.separable_conv2d",
            name="separable_conv2d",
            type_="Conv2D",
        )
        return self._add_bias_and_activate(outputs)


def _convolve_separable(x, depthwise, pointwise, strides, padding, data_format, dilations):
    if depthwise.ndim == 4:
        step = [1, *strides, 1] if data_format == "NHWC" else [1, 1, *strides]
        return shims.nn.separable_conv2d(
            x, depthwise, pointwise, step, padding, data_format, list(dilations)
        )
    # One spatial axis is computed as two, of which the first has size 1.
    first = data_format.startswith("NC")
    axis = 2 if first else 1
    wide = shims.nn.separable_conv2d(
        shims.expand_dims(x, axis),
        shims.expand_dims(depthwise, 0),
        shims.expand_dims(pointwise, 0),
        [1, 1, strides[0], strides[0]] if first else [1, strides[0], strides[0], 1],
        padding,
        "NCHW" if first else "NHWC",
        [1, *dilations],
    )
    return shims.squeeze(wide, [axis])


class SeparableConv1D(_Separable):
    """A depthwise separable convolution layer over one spatial axis.

    Args:
      filters, kernel_size, strides, padding, data_format, dilation_rate: as for `Conv1D`.
      depth_multiplier: the number of depthwise output channels per input channel.
      depthwise_initializer, pointwise_initializer: the initializers of the kernels.
      depthwise_regularizer, pointwise_regularizer: functions that map the kernels to a loss.
      depthwise_constraint, pointwise_constraint: functions that optimizers apply
        to the kernels after an update.
      activation, use_bias, bias_initializer, bias_regularizer, activity_regularizer,
        bias_constraint, trainable, name: as for `Dense`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/layers/SeparableConv1D
    """

    __module__ = "shims.compat.v1.layers"
    _rank = 1


class SeparableConv2D(_Separable):
    """A depthwise separable convolution over two axes; accepts the arguments of `SeparableConv1D`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/layers/SeparableConv2D
    """

    __module__ = "shims.compat.v1.layers"
    _rank = 2
