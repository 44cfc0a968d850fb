"""Define max pooling and average pooling layers."""

from __future__ import annotations

import shims
from shims._src.v1.graph.deferred_operators import operation_of
from shims._src.v1.layers.base import Layer
from shims._src.v1.layers.options import layout_of, padding_of, sizes_of

_FUNCTIONS = {
    ("Max", 1): shims.nn.max_pool1d,
    ("Max", 2): shims.nn.max_pool2d,
    ("Max", 3): shims.nn.max_pool3d,
    ("Avg", 1): shims.nn.avg_pool1d,
    ("Avg", 2): shims.nn.avg_pool2d,
    ("Avg", 3): shims.nn.avg_pool3d,
}


class _Pooling(Layer):
    """The base class of pooling layers; subclasses set the pooling type and number of spatial axes."""

    _kind, _rank = "Max", 2

    def __init__(
        self,
        pool_size,
        strides,
        padding="valid",
        data_format="channels_last",
        name=None,
        **kwargs,
    ):
        super().__init__(name=name, **kwargs)
        self.pool_size = sizes_of(pool_size, self._rank, "pool_size")
        self.strides = sizes_of(pool_size if strides is None else strides, self._rank, "strides")
        self.padding, self.data_format = padding.lower(), data_format
        padding_of(padding)
        self._layout = layout_of(data_format, self._rank)

    def check(self, inputs) -> None:
        """Raise `ValueError` unless the inputs have exactly batch, spatial and channel axes."""
        self._check_rank(inputs, exact=self._rank + 2)

    def call(self, inputs):
        """Compute the maximum or the mean of each window of the inputs."""
        kind = f"{self._kind}Pool{'3D' if self._rank == 3 else ''}"
        # TensorFlow computes 1-D pooling by 2-D pooling and a squeeze, which names the operation.
        name = "Squeeze" if self._rank == 1 else kind
        return operation_of(
            _FUNCTIONS[self._kind, self._rank],
            (inputs, list(self.pool_size), list(self.strides), padding_of(self.padding)),
            {"data_format": self._layout},
            public=f"nn.{self._kind.lower()}_pool{self._rank}d",
            name=name,
            type_=kind,
        )


class MaxPooling1D(_Pooling):
    """A max pooling layer over one spatial axis.

    Args:
      pool_size: the size of the window.
      strides: its stride.
      padding: `valid` or `same`.
      data_format: `channels_last` or `channels_first`.
      name: its name.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/layers/MaxPooling1D
    """

    __module__ = "shims.compat.v1.layers"
    _rank = 1


class MaxPooling2D(_Pooling):
    """A max pooling layer over two spatial axes; accepts the arguments of `MaxPooling1D`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/layers/MaxPooling2D
    """

    __module__ = "shims.compat.v1.layers"
    _rank = 2


class MaxPooling3D(_Pooling):
    """A max pooling layer over three spatial axes; accepts the arguments of `MaxPooling1D`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/layers/MaxPooling3D
    """

    __module__ = "shims.compat.v1.layers"
    _rank = 3


class AveragePooling1D(_Pooling):
    """An average pooling layer over one spatial axis; accepts the arguments of `MaxPooling1D`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/layers/AveragePooling1D
    """

    __module__ = "shims.compat.v1.layers"
    _kind, _rank = "Avg", 1


class AveragePooling2D(_Pooling):
    """An average pooling layer over two spatial axes; accepts the arguments of `MaxPooling1D`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/layers/AveragePooling2D
    """

    __module__ = "shims.compat.v1.layers"
    _kind, _rank = "Avg", 2


class AveragePooling3D(_Pooling):
    """An average pooling layer over three spatial axes; accepts the arguments of `MaxPooling1D`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/layers/AveragePooling3D
    """

    __module__ = "shims.compat.v1.layers"
    _kind, _rank = "Avg", 3
