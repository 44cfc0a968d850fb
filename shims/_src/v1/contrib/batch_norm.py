"""Define `batch_norm` of `contrib.layers`."""

from __future__ import annotations

import shims
from shims._src.errors import errors
from shims._src.v1.contrib.arg_scope import add_arg_scope
from shims._src.v1.contrib.layers import channel_order, renaming_getter
from shims._src.v1.contrib.output_collections import collect_named_outputs, collect_variable
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.deferred_operators import deferred
from shims._src.v1.graph.standard_operators import identity
from shims._src.v1.layers.normalization import BatchNormalization
from shims._src.v1.variables.initializers import ones_initializer, zeros_initializer
from shims._src.v1.variables.variable_scope import variable_scope
from shims._src.v1.variables.variables import GraphKeys

_reshape = deferred(shims.reshape, "reshape")


class _BetaFirst(BatchNormalization):
    """A batch normalization layer that creates its offset before its scale, as `contrib.layers` does."""

    _parameters = ("beta", "gamma")


@add_arg_scope
def batch_norm(
    inputs,
    decay=0.999,
    center=True,
    scale=False,
    epsilon=0.001,
    activation_fn=None,
    param_initializers=None,
    param_regularizers=None,
    updates_collections=GraphKeys.UPDATE_OPS,
    is_training=True,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    batch_weights=None,
    fused=None,
    data_format="NHWC",
    zero_debias_moving_mean=False,
    scope=None,
    renorm=False,
    renorm_clipping=None,
    renorm_decay=0.99,
    adjustment=None,
):
    """Normalize channels to mean 0 and variance 1, then optionally scale and shift them.

    Args:
      inputs: tensor `[batch, ..., channels]`.
      decay: the decay rate of the moving averages.
      center: whether to add an offset.
      scale: whether to multiply by a scale.
      epsilon: added to the variance.
      activation_fn: a function of the output, or `None`.
      param_initializers: initializers of `beta`, `gamma`, `moving_mean`, `moving_variance`.
      param_regularizers: regularizers of `beta` and `gamma`.
      updates_collections: the collection of the updates; `None` runs them with the output.
      is_training: whether to normalize by the statistics of the batch; it may be a tensor.
      reuse: whether to reuse existing variables.
      variables_collections: collections of the variables, or a dictionary of collections by
        variable name.
      outputs_collections: collections of the output.
      trainable: whether optimizers update scale and offset.
      batch_weights: must be `None`.
      fused: whether to match TensorFlow's fused kernel, whose moving variance is unbiased.
      data_format: `NHWC` or `NCHW`.
      scope: the variable scope; `BatchNorm` when `None`.
      zero_debias_moving_mean: must be false.
      renorm: must be false.
      renorm_clipping: ignored.
      renorm_decay: ignored.
      adjustment: must be `None`.

    Raises:
      UnimplementedError: an argument that must be false or `None` is given.
    """
    del renorm_clipping, renorm_decay
    _refuse_unsupported(
        batch_weights=batch_weights is not None,
        zero_debias_moving_mean=zero_debias_moving_mean,
        renorm=renorm,
        adjustment=adjustment is not None,
    )
    initial, losses = param_initializers or {}, param_regularizers or {}
    with variable_scope(
        scope, "BatchNorm", [inputs], reuse=reuse, custom_getter=renaming_getter({})
    ) as opened:
        inputs = convert_to_tensor(inputs)
        rank, fuses = inputs.shape.rank, fused is not False
        own = updates_collections != GraphKeys.UPDATE_OPS or (fuses and rank == 2)
        layer = (_BetaFirst if own else BatchNormalization)(
            axis=1 if channel_order(data_format) == "channels_first" else -1,
            momentum=decay,
            epsilon=epsilon,
            center=center,
            scale=scale,
            beta_initializer=initial.get("beta", zeros_initializer()),
            gamma_initializer=initial.get("gamma", ones_initializer()),
            moving_mean_initializer=initial.get("moving_mean", zeros_initializer()),
            moving_variance_initializer=initial.get("moving_variance", ones_initializer()),
            beta_regularizer=losses.get("beta"),
            gamma_regularizer=losses.get("gamma"),
            fused=None if fuses else False,
            trainable=trainable,
            name=opened.name,
            _scope=opened,
            _reuse=reuse,
        )
        layer.updates_collection = updates_collections
        as_images = fuses and rank == 2
        given = _as_images(inputs, data_format) if as_images else inputs
        outputs = layer(given, training=is_training)
        if updates_collections is None and layer.updates:
            with get_default_graph().control_dependencies(layer.updates):
                outputs = identity(outputs, name="Identity")
        if as_images:
            sizes = inputs.shape.as_list()
            outputs = _reshape(outputs, [-1, sizes[1]])
            outputs.set_shape(sizes)
        for name in ("beta", "gamma", "moving_mean", "moving_variance"):
            collect_variable(getattr(layer, name), variables_collections, name)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, opened.name, outputs)


def _refuse_unsupported(**asked) -> None:
    """Raise `UnimplementedError` if any of the unsupported arguments is given."""
    for what, is_asked in asked.items():
        if is_asked:
            raise errors.UnimplementedError(
                errors.message(
                    "batch_norm", f"`{what}` is not supported.", do=f"remove the argument `{what}`"
                )
            )


def _as_images(inputs, data_format):
    """Reshape a matrix to images of one pixel, because the fused kernel requires images."""
    count = inputs.shape.as_list()[1]
    if count is None:
        raise ValueError("`C` dimension must be known but is None")
    last = channel_order(data_format) == "channels_last"
    return _reshape(inputs, [-1, 1, 1, count] if last else [-1, count, 1, 1])
