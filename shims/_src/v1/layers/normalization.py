"""Define batch normalization; its moving averages are updated by the operations in `UPDATE_OPS`."""

from __future__ import annotations

import numpy as np

import shims
from shims._src.errors import errors
from shims._src.v1.graph.deferred_operators import operation_of
from shims._src.v1.graph.shapes import dimension_value
from shims._src.v1.layers.base import Layer
from shims._src.v1.layers.options import initializer_of, is_known, smart_cond
from shims._src.v1.ops.fused_batch_norm import fused_batch_norm

_FORMATS = {(4, 1): "NCHW", (4, 3): "NHWC", (5, 1): "NCDHW", (5, 4): "NDHWC"}


class BatchNormalization(Layer):
    """A layer that normalizes each channel to mean 0 and variance 1, then scales and shifts it.

    Args:
      axis: the axis of the channels.
      momentum: the decay rate of the moving averages.
      epsilon: added to the variance.
      center: whether to add an offset.
      scale: whether to multiply by a scale.
      beta_initializer: the initializer of the offset.
      gamma_initializer: the initializer of the scale.
      moving_mean_initializer: the initializer of the moving average of the mean.
      moving_variance_initializer: the initializer of the moving average of the variance.
      beta_regularizer, gamma_regularizer: functions that map offset and scale to a loss.
      beta_constraint, gamma_constraint: functions that optimizers apply after an update.
      renorm: must be false.
      renorm_clipping, renorm_momentum: ignored.
      fused: whether to match TensorFlow's fused kernel, whose moving variance is unbiased; if
        `None`, the fused kernel is matched for all inputs that the kernel supports.
      trainable: whether optimizers update scale and offset.
      virtual_batch_size, adjustment: must be `None`.
      name: its name.

    Raises:
      UnimplementedError: `renorm`, `virtual_batch_size`, `adjustment` or several axes are given.

    Differs from TensorFlow:
      The arguments named under Raises are not supported.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/layers/BatchNormalization
    """

    __module__ = "shims.compat.v1.layers"
    _parameters = ("gamma", "beta")

    def __init__(
        self,
        axis=-1,
        momentum=0.99,
        epsilon=1e-3,
        center=True,
        scale=True,
        beta_initializer="zeros",
        gamma_initializer="ones",
        moving_mean_initializer="zeros",
        moving_variance_initializer="ones",
        beta_regularizer=None,
        gamma_regularizer=None,
        beta_constraint=None,
        gamma_constraint=None,
        renorm=False,
        renorm_clipping=None,
        renorm_momentum=0.99,
        fused=None,
        trainable=True,
        virtual_batch_size=None,
        adjustment=None,
        name=None,
        **kwargs,
    ):
        del renorm_clipping, renorm_momentum
        super().__init__(trainable, name, **kwargs)
        axes = [axis] if isinstance(axis, (int, np.integer)) else list(axis)
        refused = {
            "`renorm`": renorm,
            "`virtual_batch_size`": virtual_batch_size is not None,
            "`adjustment`": adjustment is not None,
            "an `axis` with several axes": len(axes) != 1,
        }
        for what, is_asked in refused.items():
            if is_asked:
                raise errors.UnimplementedError(
                    errors.message(
                        "layers.batch_normalization",
                        f"{what} is not supported.",
                        do="use `tf.nn.moments` and `tf.nn.batch_normalization`",
                    )
                )
        self.axis, self.momentum, self.epsilon = axes[0], momentum, epsilon
        self.center, self.scale, self.fused = center, scale, fused
        self.beta_initializer = initializer_of(beta_initializer)
        self.gamma_initializer = initializer_of(gamma_initializer)
        self.moving_mean_initializer = initializer_of(moving_mean_initializer)
        self.moving_variance_initializer = initializer_of(moving_variance_initializer)
        self.beta_regularizer, self.gamma_regularizer = beta_regularizer, gamma_regularizer
        self.beta_constraint, self.gamma_constraint = beta_constraint, gamma_constraint
        self.gamma = self.beta = None

    def build(self, input_shape) -> None:
        """Create scale, offset and moving averages."""
        rank = input_shape.rank
        if rank is None:
            raise ValueError(f"Input has undefined rank: {input_shape}")
        self.axis = self.axis + rank if self.axis < 0 else self.axis
        if not 0 <= self.axis < rank:
            raise ValueError(f"Invalid axis. Expected values are in [0, {rank}). Got {self.axis}")
        size = dimension_value(input_shape[self.axis])
        if size is None:
            raise ValueError(
                "Input has undefined `axis` dimension. Received input with shape "
                f"{input_shape} and axis {self.axis}."
            )
        self._data_format = _FORMATS.get((rank, self.axis))
        if self.fused and self._data_format is None:
            raise ValueError(
                "Batch normalization layers with `fused=True` only support 4D or 5D input tensors "
                f"with the channels in axis 1 or at the end. Received tensor with shape: {input_shape}"
            )
        wide = self._dtype.name == "float64"
        self.fused = self.fused is not False and self._data_format is not None and not wide
        half = self._dtype.name in ("float16", "bfloat16")
        kind = "float32" if half else self._dtype
        wanted = {"gamma": self.scale, "beta": self.center}
        for name in self._parameters:
            if wanted[name]:
                made = self.add_weight(
                    name,
                    [size],
                    kind,
                    getattr(self, f"{name}_initializer"),
                    getattr(self, f"{name}_regularizer"),
                    constraint=getattr(self, f"{name}_constraint"),
                )
                setattr(self, name, made)
        self.moving_mean = self.add_weight(
            "moving_mean", [size], kind, self.moving_mean_initializer, trainable=False
        )
        self.moving_variance = self.add_weight(
            "moving_variance", [size], kind, self.moving_variance_initializer, trainable=False
        )
        self.built = True

    def call(self, inputs, training=False):
        """Normalize by the batch statistics if `training` is true, otherwise by the moving averages."""
        training = False if training is None else training
        outputs, mean, variance = (
            self._normalize_fused if self.fused else self._normalize_by_moments
        )(inputs, training)
        if is_known(training) is not False:
            self._update_average(self.moving_mean, mean, training)
            self._update_average(self.moving_variance, variance, training)
        return outputs

    def _normalize_fused(self, inputs, training):
        """Normalize with the fused operator; return the outputs and the statistics that were used."""
        size = self.moving_mean.shape[0]
        scale = np.ones(int(size), np.float32) if self.gamma is None else self.gamma
        offset = np.zeros(int(size), np.float32) if self.beta is None else self.beta

        def normalized(is_training):
            return operation_of(
                fused_batch_norm,
                (inputs, scale, offset, self.moving_mean, self.moving_variance),
                {
                    "epsilon": self.epsilon,
                    "data_format": self._data_format,
                    "is_training": is_training,
                },
                public="nn.fused_batch_norm",
                name="FusedBatchNormV3",
                type_="FusedBatchNormV3",
            )

        return smart_cond(training, lambda: normalized(True), lambda: normalized(False))

    def _normalize_by_moments(self, inputs, training):
        """Normalize by mean and variance, without the fused operator.

        Returns the outputs and the statistics that were used.
        """
        axes = [i for i in range(inputs.shape.rank) if i != self.axis]

        def of_batch():
            return operation_of(
                shims.nn.moments,
                (inputs, axes),
                {},
                public="nn.moments",
                name="moments/Squeeze",
                type_="Squeeze",
            )

        mean, variance = smart_cond(
            training, of_batch, lambda: (self.moving_mean.value(), self.moving_variance.value())
        )
        outputs = operation_of(
            _normalize,
            (inputs, mean, variance, self.beta, self.gamma, self.axis, self.epsilon),
            {},
            public="nn.batch_normalization",
            name="batchnorm/add_1",
            type_="AddV2",
        )
        return outputs, mean, variance

    def _update_average(self, variable, value, training) -> None:
        """Create the update of a moving average, which has an effect only during training.

        training: a bool, or a bool tensor that is evaluated at run time.
        """
        momentum = (
            smart_cond(
                training,
                lambda: np.float32(self.momentum),
                lambda: np.float32(1.0),
                name="momentum",
            )
            if is_known(training) is None
            else np.float32(self.momentum)
        )
        kinds = [variable.dtype, variable.dtype]
        op = variable.update(
            "AssignSub", "AssignMovingAvg", _move_average, value, momentum, dtypes=kinds
        )
        self.add_update(op)


def _move_average(average, value, momentum):
    return average - (average - value) * (1 - momentum)


def _normalize(x, mean, variance, offset, scale, axis, epsilon):
    shape = [-1 if i == axis else 1 for i in range(x.ndim)]
    parts = [None if p is None else p.reshape(shape) for p in (mean, variance, offset, scale)]
    return shims.nn.batch_normalization(x, *parts, epsilon)
