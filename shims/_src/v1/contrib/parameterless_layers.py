"""Define the layers of `contrib.layers` without a kernel, and functions that repeat layers."""

from __future__ import annotations

import jax.numpy as jnp

import shims
from shims._src.errors import errors
from shims._src.v1.contrib.arg_scope import add_arg_scope
from shims._src.v1.contrib.layers import channel_order, finish_layer, renaming_getter
from shims._src.v1.contrib.output_collections import collect_named_outputs, get_variable_collections
from shims._src.v1.contrib.variables import model_variable
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.deferred_operators import operation_of
from shims._src.v1.graph.scope_functions import name_scope
from shims._src.v1.layers import core, pooling
from shims._src.v1.variables.initializers import ones_initializer, zeros_initializer
from shims._src.v1.variables.variable_scope import variable_scope


@add_arg_scope
def max_pool2d(
    inputs,
    kernel_size,
    stride=2,
    padding="VALID",
    data_format="NHWC",
    outputs_collections=None,
    scope=None,
):
    """Compute the maximum of each window; see `convolution` for the arguments."""
    with name_scope(scope, "MaxPool2D", [inputs]) as opened:
        layer = pooling.MaxPooling2D(
            kernel_size, stride, padding, channel_order(data_format), _scope=opened
        )
        return collect_named_outputs(outputs_collections, opened, layer(inputs))


@add_arg_scope
def avg_pool2d(
    inputs,
    kernel_size,
    stride=2,
    padding="VALID",
    data_format="NHWC",
    outputs_collections=None,
    scope=None,
):
    """Compute the mean of each window; see `convolution` for the arguments."""
    with name_scope(scope, "AvgPool2D", [inputs]) as opened:
        layer = pooling.AveragePooling2D(
            kernel_size, stride, padding, channel_order(data_format), _scope=opened
        )
        return collect_named_outputs(outputs_collections, opened, layer(inputs))


@add_arg_scope
def dropout(
    inputs,
    keep_prob=0.5,
    noise_shape=None,
    is_training=True,
    outputs_collections=None,
    scope=None,
    seed=None,
):
    """Set random elements to 0 during training and scale up the others.

    Args:
      inputs: a tensor.
      keep_prob: the probability to keep an element.
      noise_shape: a shape whose axes of size 1 are kept or dropped as a whole.
      is_training: whether to apply dropout; it may be a tensor.
      outputs_collections: collections of the output.
      scope: the variable scope; `Dropout` when `None`.
      seed: the operation's seed.
    """
    with variable_scope(scope, "Dropout", [inputs], custom_getter=renaming_getter({})) as opened:
        layer = core.Dropout(1 - keep_prob, noise_shape, seed, name=opened.name, _scope=opened)
        outputs = layer(convert_to_tensor(inputs), training=is_training)
        return collect_named_outputs(outputs_collections, opened.name, outputs)


@add_arg_scope
def flatten(inputs, outputs_collections=None, scope=None):
    """Flatten all axes except the first.

    Args:
      inputs: a tensor.
      outputs_collections: collections of the output.
      scope: the name scope; `Flatten` when `None`.
    """
    with name_scope(scope, "Flatten", [inputs]) as opened:
        outputs = core.Flatten()(convert_to_tensor(inputs))
        return collect_named_outputs(outputs_collections, opened, outputs)


@add_arg_scope
def layer_norm(
    inputs,
    center=True,
    scale=True,
    activation_fn=None,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    begin_norm_axis=1,
    begin_params_axis=-1,
    scope=None,
):
    """Normalize each example to mean 0 and variance 1, then optionally scale and shift it.

    Args:
      inputs: a tensor.
      center: whether to add an offset.
      scale: whether to multiply by a scale.
      activation_fn: a function of the output, or `None`.
      reuse: whether to reuse existing variables.
      variables_collections: collections of the variables, or a dictionary of collections by
        variable name.
      outputs_collections: collections of the output.
      trainable: whether optimizers update the variables.
      begin_norm_axis: the first of the axes to normalize over.
      begin_params_axis: the first axis of scale and offset.
      scope: the variable scope; `LayerNorm` when `None`.

    Raises:
      ValueError: the axes are out of range, or a size is unknown.
    """
    with variable_scope(scope, "LayerNorm", [inputs], reuse=reuse) as opened:
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.rank
        if rank is None:
            raise ValueError(f"Inputs {inputs.name} has undefined rank.")
        begin = begin_norm_axis + rank if begin_norm_axis < 0 else begin_norm_axis
        if begin >= rank or begin_params_axis >= rank:
            raise ValueError(
                f"begin_params_axis ({begin_params_axis}) and begin_norm_axis ({begin}) must be < "
                f"rank(inputs) ({rank})"
            )
        shape = inputs.shape.as_list()[begin_params_axis:]
        if None in shape:
            raise ValueError(
                f"Inputs {inputs.name}: shape(inputs)[{begin_params_axis}:] is not fully defined: "
                f"{shape}"
            )

        def parameter(name, initializer):
            return model_variable(
                name,
                shape=shape,
                dtype=inputs.dtype,
                initializer=initializer,
                collections=get_variable_collections(variables_collections, name),
                trainable=trainable,
            )

        beta = parameter("beta", zeros_initializer()) if center else None
        gamma = parameter("gamma", ones_initializer()) if scale else None
        epsilon = 1e-3 if inputs.dtype.name == "float16" else 1e-12
        outputs = operation_of(
            _layer_normalized,
            (inputs, beta, gamma, tuple(range(begin, rank)), epsilon),
            {},
            public="nn.batch_normalization",
            name="batchnorm/add_1",
            type_="AddV2",
        )
        return finish_layer(outputs, opened, None, None, activation_fn, outputs_collections)


def _layer_normalized(x, offset, scale, axes, epsilon):
    mean, variance = shims.nn.moments(x, list(axes), keepdims=True)
    return shims.nn.batch_normalization(x, mean, variance, offset, scale, epsilon)


@add_arg_scope
def softmax(logits, scope=None):
    """Compute the softmax over the last axis.

    Args:
      logits: a tensor.
      scope: the name scope; `softmax` when `None`.
    """
    with name_scope(scope, "softmax", [logits]):
        return operation_of(
            shims.nn.softmax, (logits,), {}, public="nn.softmax", name="Reshape_1", type_="Reshape"
        )


@add_arg_scope
def one_hot_encoding(
    labels, num_classes, on_value=1.0, off_value=0.0, outputs_collections=None, scope=None
):
    """Encode labels as one-hot vectors.

    Args:
      labels: integers.
      num_classes: the number of classes.
      on_value: the value at the position of the label.
      off_value: the value at the other positions.
      outputs_collections: collections of the output.
      scope: the name scope; `OneHotEncoding` when `None`.
    """
    with name_scope(scope, "OneHotEncoding", [labels, num_classes]) as opened:
        outputs = operation_of(
            _one_hot, (labels, num_classes, on_value, off_value), {}, public="one_hot"
        )
        return collect_named_outputs(outputs_collections, opened, outputs)


def _one_hot(labels, count, on, off):
    return shims.one_hot(jnp.asarray(labels, jnp.int64), count, on, off)


def repeat(inputs, repetitions, layer, *args, **kwargs):
    """Apply a layer repeatedly, each time to the previous output.

    Args:
      inputs: a tensor.
      repetitions: how many times.
      layer: a function of `inputs`, `*args` and `**kwargs`.
      *args: further positional arguments.
      **kwargs: further keyword arguments; `scope` is the scope around all calls.
    """
    scope = kwargs.pop("scope", None)
    with variable_scope(scope, "Repeat", [inputs]):
        name = scope or getattr(layer, "__name__", None) or layer.func.__name__
        for number in range(repetitions):
            inputs = layer(inputs, *args, **kwargs, scope=f"{name}_{number + 1}")
        return inputs


def stack(inputs, layer, stack_args, **kwargs):
    """Apply a layer once per entry of `stack_args`, each time to the previous output.

    Args:
      inputs: a tensor.
      layer: a function of `inputs` and arguments.
      stack_args: the arguments of each call.
      **kwargs: further keyword arguments; `scope` is the scope around all calls.
    """
    scope = kwargs.pop("scope", None)
    if not isinstance(stack_args, (list, tuple)):
        raise TypeError("stack_args need to be a list or tuple")
    with variable_scope(scope, "Stack", [inputs]):
        name = scope or getattr(layer, "__name__", None) or layer.func.__name__
        for number, given in enumerate(stack_args):
            given = given if isinstance(given, (list, tuple)) else [given]
            inputs = layer(inputs, *given, **kwargs, scope=f"{name}_{number + 1}")
        return inputs


def embed_sequence(
    ids,
    vocab_size=None,
    embed_dim=None,
    unique=False,
    initializer=None,
    regularizer=None,
    trainable=True,
    scope=None,
    reuse=None,
):
    """Map symbols to embedding vectors.

    Args:
      ids: integers `[batch, length]`.
      vocab_size: the number of symbols.
      embed_dim: the size of an embedding vector.
      unique: must be false.
      initializer: the initializer of the embedding matrix.
      regularizer: a function that maps the matrix to a loss.
      trainable: whether optimizers update the matrix.
      scope: the variable scope; `EmbedSequence` when `None`.
      reuse: whether to reuse an existing matrix.

    Raises:
      ValueError: `vocab_size` or `embed_dim` is missing and the matrix is not reused.
      UnimplementedError: `unique` is true.
    """
    if unique:
        raise errors.UnimplementedError(
            errors.message("embed_sequence", "`unique` is not supported.", do="leave `unique` out")
        )
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError(
            f"Must specify vocab size and embedding dimension when not reusing. Got vocab_size="
            f"{vocab_size} and embed_dim={embed_dim}"
        )
    with variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        shape = [vocab_size, embed_dim] if vocab_size and embed_dim else None
        rows = model_variable(
            "embeddings",
            shape=shape,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
        )
        return operation_of(
            shims.nn.embedding_lookup, (rows, ids), {}, public="nn.embedding_lookup"
        )
