"""Provide `contrib.layers.bias_add`, a layer whose only weights are a bias."""

from __future__ import annotations

from shims._src.v1.contrib.arg_scope import add_arg_scope
from shims._src.v1.contrib.output_collections import collect_named_outputs, get_variable_collections
from shims._src.v1.contrib.variables import model_variable
from shims._src.v1.graph import standard_operators
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.variables.initializers import zeros_initializer
from shims._src.v1.variables.variable_scope import variable_scope

_ZEROS = zeros_initializer()


@add_arg_scope
def bias_add(
    inputs,
    activation_fn=None,
    initializer=_ZEROS,
    regularizer=None,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    data_format="NHWC",
    scope=None,
):
    """Add a variable `biases` of the size of the channels to the inputs.

    Args:
      inputs: a tensor of at least two axes.
      activation_fn: a function of the result.
      initializer: the initializer of the bias.
      regularizer: the regularizer of the bias.
      reuse: whether the variable already exists; if so, `scope` is required.
      variables_collections: collections of the variable.
      outputs_collections: collections of the output.
      trainable: whether the variable is trained.
      data_format: `NHWC` or `NCHW`.
      scope: the variable scope; `BiasAdd` when `None`.

    Raises:
      ValueError: the format or the number of channels is unknown.
    """
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    with variable_scope(scope, "BiasAdd", [inputs], reuse=reuse) as opened:
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.rank
        if rank is None:
            raise ValueError("Dims of shape must be known but is None")
        if rank != 4 and data_format == "NCHW":
            raise ValueError("Data format NCHW only supports 4D Tensor")
        channels = inputs.shape.as_list()[1 if data_format == "NCHW" else -1]
        if channels is None:
            raise ValueError("`C` dimension must be known but is None")
        biases = model_variable(
            "biases",
            shape=[channels],
            dtype=inputs.dtype,
            initializer=initializer,
            regularizer=regularizer,
            collections=get_variable_collections(variables_collections, "biases"),
            trainable=trainable,
        )
        outputs = standard_operators.bias_add(inputs, biases, data_format=data_format)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, opened.name, outputs)
