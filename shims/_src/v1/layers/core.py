"""Define fully connected layers, dropout and flattening."""

from __future__ import annotations

import shims
from shims._src.v1.graph.deferred_operators import operation_of
from shims._src.v1.graph.shapes import GraphShape, dimension_value
from shims._src.v1.graph.standard_operators import identity
from shims._src.v1.layers.base import Layer
from shims._src.v1.layers.options import activation_of, initializer_of, smart_cond
from shims._src.v1.ops.dropout import dropout


class Dense(Layer):
    """A fully connected layer: `activation(inputs @ kernel + bias)`.

    Args:
      units: the size of the last axis of the output.
      activation: a function, or its Keras name; `None` for none.
      use_bias: whether there is a bias.
      kernel_initializer: the initializer of the kernel; the initializer of the variable scope when
        `None`.
      bias_initializer: the initializer of the bias; zeros by default.
      kernel_regularizer: a function that maps the kernel to a loss.
      bias_regularizer: a function that maps the bias to a loss.
      activity_regularizer: a function that maps the output to a loss.
      kernel_constraint: a function that optimizers apply to the kernel after an update.
      bias_constraint: a function that optimizers apply to the bias after an update.
      trainable: whether optimizers update its variables.
      name: its name.

    Raises:
      ValueError: the size of the last axis of the input is unknown.

    Differs from TensorFlow:
      Nothing.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     layer = tf.layers.Dense(4)
      ...     print(layer(tf.ones([2, 3])).shape, layer.kernel.shape)
      (2, 4) (3, 4)

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/layers/Dense
    """

    __module__ = "shims.compat.v1.layers"

    def __init__(
        self,
        units,
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
        self.units = int(units)
        self.activation, self.use_bias = activation_of(activation), use_bias
        self.kernel_initializer = initializer_of(kernel_initializer)
        self.bias_initializer = initializer_of(bias_initializer)
        self.kernel_regularizer, self.bias_regularizer = kernel_regularizer, bias_regularizer
        self.kernel_constraint, self.bias_constraint = kernel_constraint, bias_constraint
        self.kernel = self.bias = None

    def build(self, input_shape) -> None:
        """Create the kernel and the bias."""
        if not self._dtype.is_floating and not self._dtype.is_complex:
            raise TypeError(
                "A Dense layer can only be built with a floating-point dtype. Received: "
                f"dtype=<dtype: '{self._dtype.name}'>"
            )
        size = dimension_value(input_shape[-1]) if input_shape.rank else None
        if size is None:
            raise ValueError(
                "The last dimension of the inputs to a Dense layer should be defined. Found None. "
                f"Full input shape received: {input_shape}"
            )
        self.kernel = self.add_weight(
            "kernel",
            [size, self.units],
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                [self.units],
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        self.built = True

    def check(self, inputs) -> None:
        """Raise `ValueError` unless the inputs have at least two axes."""
        self._check_rank(inputs, least=2)

    def call(self, inputs):
        """Compute `activation(inputs @ kernel + bias)`."""
        if inputs.shape.rank == 2:
            outputs = operation_of(
                shims.matmul, (inputs, self.kernel), {}, public="matmul", name="MatMul"
            )
        else:
            outputs = operation_of(
                shims.tensordot,
                (inputs, self.kernel, [[inputs.shape.rank - 1], [0]]),
                {},
                public="tensordot",
                name="Tensordot",
                type_="Reshape",
            )
        return add_bias_and_activate(outputs, self.bias, self.activation)

    def compute_output_shape(self, input_shape):
        """Return the shape of the inputs with `units` as the last size."""
        sizes = GraphShape(input_shape).with_rank_at_least(2).as_list()
        if sizes[-1] is None:
            raise ValueError(
                "The last dimension of the input shape of a Dense layer should be defined. Found "
                f"None. Received: input_shape={input_shape}"
            )
        return GraphShape([*sizes[:-1], self.units])


def add_bias_and_activate(outputs, bias, activation, data_format=None):
    """Add a bias and apply an activation; either may be `None`."""
    if bias is not None:
        outputs = operation_of(
            shims.nn.bias_add,
            (outputs, bias),
            {"data_format": data_format},
            public="nn.bias_add",
            name="BiasAdd",
            type_="BiasAdd",
        )
    return outputs if activation is None else activation(outputs)


class Dropout(Layer):
    """A layer that sets random elements to 0 during training.

    Args:
      rate: the fraction of elements to set to 0.
      noise_shape: a shape whose axes of size 1 are kept or dropped as a whole.
      seed: the operation's seed.
      name: its name.

    Raises:
      ValueError: `rate` is not between 0 and 1.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/layers/Dropout
    """

    __module__ = "shims.compat.v1.layers"

    def __init__(self, rate=0.5, noise_shape=None, seed=None, name=None, **kwargs):
        super().__init__(name=name, **kwargs)
        if isinstance(rate, (int, float)) and not 0 <= rate <= 1:
            raise ValueError(
                f"Invalid value {rate} received for `rate`, expected a value between 0 and 1."
            )
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def call(self, inputs, training=False):
        """Apply dropout if `training` is true; `training` may be a tensor."""
        return smart_cond(
            training,
            lambda: dropout(inputs, None, self.noise_shape, self.seed, rate=self.rate),
            lambda: identity(inputs, name="Identity"),
        )


class Flatten(Layer):
    """A layer that flattens all axes except the first.

    Args:
      data_format: `channels_last` or `channels_first`; with `channels_first`, the channels are
        first moved to the last axis.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/layers/Flatten
    """

    __module__ = "shims.compat.v1.layers"

    def __init__(self, data_format="channels_last", **kwargs):
        super().__init__(**kwargs)
        self.data_format = data_format

    def check(self, inputs) -> None:
        """Raise `ValueError` unless the inputs have at least one axis."""
        self._check_rank(inputs, least=1)

    def call(self, inputs):
        """Reshape the inputs to `[batch, size]`."""
        outputs = operation_of(
            _flatten,
            (inputs, self.data_format == "channels_first"),
            {},
            public="reshape",
            name="Reshape",
            type_="Reshape",
        )
        sizes = inputs.shape.as_list() if inputs.shape.rank is not None else None
        if sizes is not None and None not in sizes[1:]:
            outputs.set_shape(GraphShape([sizes[0], GraphShape(sizes[1:]).num_elements()]))
        return outputs


def _flatten(x, channels_first):
    if channels_first and x.ndim > 1:
        x = shims.transpose(x, [0, *range(2, x.ndim), 1])
    return shims.reshape(x, [x.shape[0], -1]) if x.ndim > 1 else shims.expand_dims(x, 1)
