"""Provide cross-entropies from logits, moments, and `bias_add`."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import axes_of, axis_of, is_known, is_known_shape
from shims._src.arguments.operands import (
    agreeing,
    broadcasting,
    check_alike,
    describe,
    matching,
    meeting,
    operand,
)
from shims._src.array.casting import cast
from shims._src.elementwise.elementwise import squared_distance
from shims._src.nn.activations import relu
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator


@operator(compiled=True)
def sigmoid_cross_entropy_with_logits(labels=None, logits=None, name=None):
    """Compute the sigmoid cross-entropy of independent labels, elementwise.

    Args:
      labels: array, probabilities.
      logits: array of the same dtype and shape.
      name: ignored.

    Returns:
      `max(z, 0) - z * labels + log(1 + exp(-|z|))`.

    Raises:
      InvalidArgumentError: dtypes or known shapes differ.
      ValueError: an argument is missing.

    Differs from TensorFlow:
      Nothing. The gradient at logit 0 is `0.5 - labels`.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    Example:
      >>> import shims
      >>> print(shims.nn.sigmoid_cross_entropy_with_logits(labels=[1.0, 0.0], logits=[0.0, 0.0]))
      [0.6931472 0.6931472]

    https://www.tensorflow.org/api_docs/python/tf/nn/sigmoid_cross_entropy_with_logits
    """
    function = "sigmoid_cross_entropy_with_logits"
    _check_given(function, labels=labels, logits=logits)
    z, t = matching(function, logits=logits, labels=labels)
    check_alike(function, logits=z, labels=t)
    z, t = broadcasting(function, z, t)  # an unknown size may turn out to be 1, as in TensorFlow
    positive = z >= 0
    relu = jnp.where(positive, z, 0)
    return relu - z * t + jnp.log1p(jnp.exp(jnp.where(positive, -z, z)))


def _check_given(function, **arguments):
    """Check that none of the arguments is `None`."""
    missing = [n for n, v in arguments.items() if v is None]
    if missing:
        raise ValueError(f"{function}: `{missing[0]}` must be given.")


@operator(compiled=True)
def weighted_cross_entropy_with_logits(labels, logits, pos_weight, name=None):
    """Compute the sigmoid cross-entropy with a weight on positive labels.

    Args:
      labels: array, probabilities.
      logits: array of the same dtype and shape.
      pos_weight: the weight of positive labels; broadcasts.
      name: ignored.

    Returns:
      The losses, element by element.

    Raises:
      InvalidArgumentError: dtypes or known shapes differ.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/nn/weighted_cross_entropy_with_logits
    """
    function = "weighted_cross_entropy_with_logits"
    found = matching(function, logits=logits, labels=labels, pos_weight=pos_weight)
    check_alike(function, logits=found[0], labels=found[1])
    z, t, weight = broadcasting(function, *found)
    factor = 1 + (weight - 1) * t
    # |z| with gradient 0 at 0, as `shims.abs` has it.
    distance = z * lax.stop_gradient(jnp.sign(z))
    return (1 - t) * z + factor * (jnp.log1p(jnp.exp(-distance)) + relu(-z))


@jax.custom_jvp
def _softmax_cross_entropy(labels, logits):
    # Subtract from 0, so that a probability of 1 has a loss of 0, not -0.
    """Compute the softmax cross-entropy, with TensorFlow's gradient."""
    return jnp.sum(labels * (0 - jax.nn.log_softmax(logits, axis=-1)), axis=-1)


@_softmax_cross_entropy.defjvp
def _softmax_cross_entropy_jvp(primals, tangents):
    (labels, logits), (d_labels, d_logits) = primals, tangents
    # TensorFlow's gradient is `softmax - labels` whatever the sum of the labels.
    of_logits = (jax.nn.softmax(logits, axis=-1) - labels) * d_logits
    of_labels = -jax.nn.log_softmax(logits, axis=-1) * d_labels
    return _softmax_cross_entropy(labels, logits), jnp.sum(of_logits + of_labels, axis=-1)


@operator(compiled=True)
def softmax_cross_entropy_with_logits(labels, logits, axis=-1, name=None):
    """Compute the softmax cross-entropy of mutually exclusive classes, given as probabilities.

    Args:
      labels: array of class probabilities, of any dtype.
      logits: floating-point array; broadcasts with `labels`.
      axis: the axis of the classes.
      name: ignored.

    Returns:
      The losses, without the axis of the classes. The gradient of the losses is `softmax - labels`
      even if the labels do not sum to 1.

    Raises:
      InvalidArgumentError: the shapes do not broadcast, or `logits` has neither rows nor classes.

    Differs from TensorFlow:
      Second derivatives include those with respect to the labels, which TensorFlow omits.

    Under jit:
      Sizes may be known only at run time; padding is ignored.

    Example:
      >>> import shims
      >>> print(shims.nn.softmax_cross_entropy_with_logits([[0.5, 0.5]], [[0.0, 0.0]]))
      [0.6931472]

    https://www.tensorflow.org/api_docs/python/tf/nn/softmax_cross_entropy_with_logits
    """
    function = "softmax_cross_entropy_with_logits"
    logits = operand(logits)
    labels = cast(labels, logits.dtype)
    axis = axis_of(function, axis, logits.ndim)
    if labels.ndim == logits.ndim:
        labels = jnp.moveaxis(labels, axis, -1)
    logits = jnp.moveaxis(logits, axis, -1)
    labels, logits = broadcasting(function, _match_rows(function, labels, logits), logits)
    _check_filled(function, logits)
    return _softmax_cross_entropy(*jnp.broadcast_arrays(labels, logits))


def _check_filled(function, logits) -> None:
    """Reject logits that have no rows and no classes, as TensorFlow does."""
    sizes = [d if is_known(d) else primitives.as_size(d) for d in logits.shape]
    checks.check_data(
        (sizes[-1] == 0) & (math.prod(sizes[:-1]) == 0),
        function,
        "`logits` has neither rows nor classes.",
        required="at least one row, or one class",
        received=describe(logits),
    )


def _match_rows(function, labels, logits):
    """Reshape labels so that they broadcast with the logits.

    The labels must have as many rows as the logits, or a single row.
    """
    if not (is_known_shape(labels) and is_known_shape(logits)) or labels.shape == logits.shape:
        return labels
    rows = math.prod(logits.shape[:-1])
    classes = labels.shape[-1:] if labels.ndim else (1,)
    have = math.prod(labels.shape[:-1])
    if have not in (1, rows) or len({*classes, logits.shape[-1]} - {1}) > 1:
        raise checks.invalid(
            function,
            "`logits` and `labels` must be broadcastable.",
            required="the same number of rows in `labels` as in `logits`, or one row",
            received=f"logits {describe(logits)}, labels {describe(labels)}",
        )
    return labels.reshape((*logits.shape[:-1], *classes) if have == rows else classes)


@jax.custom_jvp
def _label_cross_entropy(logits, labels):
    """Compute the cross-entropy of class indices, with TensorFlow's gradient."""
    costs = 0 - jax.nn.log_softmax(logits, axis=-1)
    return jnp.take_along_axis(costs, labels[..., None], axis=-1, mode="clip")[..., 0]


@_label_cross_entropy.defjvp
def _cost_of_label_jvp(primals, tangents):
    # One factor per class, as in TensorFlow, so that infinite tangents stay infinite.
    logits, labels = primals
    is_label = labels[..., None] == jnp.arange(logits.shape[-1], dtype=labels.dtype)
    slopes = jax.nn.softmax(logits, axis=-1) - is_label.astype(logits.dtype)
    return _label_cross_entropy(logits, labels), jnp.sum(slopes * tangents[0], axis=-1)


@operator(compiled=True)
def sparse_softmax_cross_entropy_with_logits(labels, logits, name=None):
    """Compute the softmax cross-entropy of mutually exclusive classes, given as indices.

    Args:
      labels: integers `[...]`.
      logits: floating-point array `[..., classes]`.
      name: ignored.

    Returns:
      The losses `[...]`.

    Raises:
      InvalidArgumentError: a label is out of range, or the shapes are incompatible.

    Differs from TensorFlow:
      On a GPU, TensorFlow returns NaN for a label out of range, instead of raising an error.

    Under jit:
      Inside `shims.function` a label out of range raises an error after the call; in an enclosing
      trace its loss is NaN, as in TensorFlow's XLA.

    Example:
      >>> import shims
      >>> print(shims.nn.sparse_softmax_cross_entropy_with_logits([1, 0], [[0.0, 0.0], [9.0, 0.0]]))
      [6.931472e-01 1.233740e-04]

    https://www.tensorflow.org/api_docs/python/tf/nn/sparse_softmax_cross_entropy_with_logits
    """
    function = "sparse_softmax_cross_entropy_with_logits"
    labels, logits = operand(labels), operand(logits)
    if labels.ndim != logits.ndim - 1:
        raise checks.invalid(
            function,
            "`logits` must have one more axis than `labels`.",
            required="labels [...], logits [..., classes]",
            received=f"labels {describe(labels)}, logits {describe(logits)}",
        )
    count = logits.shape[-1]
    checks.check_data(
        (count if is_known(count) else primitives.as_size(count)) == 0,
        function,
        "there are no classes.",
        required="at least one logit for each label",
        received=describe(logits),
    )
    checks.check_positions(function, "labels", labels, count)
    labels, logits = agreeing(function, [labels, logits], range(labels.ndim))
    loss = _label_cross_entropy(logits, labels)
    if not jp.is_tracer(labels):
        return loss
    classes = primitives.as_size(logits.shape[-1])
    return jnp.where((labels >= 0) & (labels < classes), loss, jnp.nan)


@operator(compiled=True)
def moments(x, axes, shift=None, keepdims=False, name=None):
    """Compute mean and variance over axes.

    Args:
      x: floating-point array.
      axes: the axes to reduce.
      shift: ignored.
      keepdims: whether to keep the reduced axes with size 1.
      name: ignored.

    Returns:
      `(mean, variance)`, in the shape of `x` without the reduced axes (which `keepdims` keeps with
      size 1); the variance is divided by the number of elements.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time; padding is not counted.

    Example:
      >>> import shims
      >>> x = shims.constant([[1.0, 2.0], [3.0, 6.0]])
      >>> mean, variance = shims.nn.moments(x, axes=[0])
      >>> print(mean, variance)
      [2. 4.] [1. 4.]

    https://www.tensorflow.org/api_docs/python/tf/nn/moments
    """
    x = operand(x)
    axes = axes_of("moments", axes, x.ndim, name="axes")
    # TensorFlow accumulates half precision in float32, too.
    wide = x.astype(jnp.float32) if x.dtype.itemsize < 4 else x
    mean = jnp.mean(wide, axis=axes, keepdims=True)
    spread = squared_distance(wide - lax.stop_gradient(mean))
    variance = jnp.mean(spread, axis=axes, keepdims=keepdims)
    mean = mean if keepdims else lax.squeeze(mean, axes)
    return mean.astype(x.dtype), variance.astype(x.dtype)


@operator(compiled=True)
def bias_add(value, bias, data_format=None, name=None):
    """Add a vector along the axis of the channels.

    Args:
      value: array of numbers.
      bias: vector of the same dtype.
      data_format: `N...C` (channels last, the default) or `NC...` (channels in axis 1).
      name: ignored.

    Returns:
      An array of the shape of `value`.

    Raises:
      InvalidArgumentError: the dtypes differ, `value` has fewer than two axes, or the size of
        `bias` is not the number of channels.
      ValueError: `data_format` is unknown.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    Example:
      >>> import shims
      >>> print(shims.nn.bias_add([[1.0, 2.0], [3.0, 4.0]], [10.0, 20.0]))
      [[11. 22.]
       [13. 24.]]

    https://www.tensorflow.org/api_docs/python/tf/nn/bias_add
    """
    if data_format is not None and not data_format.startswith("N"):
        raise ValueError(
            f"`data_format` must be of the form `N...C` or `NC...`. Received: {data_format!r}"
        )
    value, bias = matching("bias_add", value=value, bias=bias)
    if value.ndim < 2:
        raise checks.invalid(
            "bias_add",
            "`value` has too few axes.",
            required="at least two axes",
            received=f"rank {value.ndim}",
        )
    checks.check_vector("bias_add", "bias", bias)
    channels = 1 if data_format is not None and data_format.startswith("NC") else value.ndim - 1
    value, bias = meeting("bias_add", value, channels, bias, 0)
    if is_known(bias.shape[0]) and bias.shape[0] != value.shape[channels]:
        raise checks.invalid(
            "bias_add",
            "`bias` must contain one number for each channel.",
            required=f"{value.shape[channels]} numbers",
            received=f"{bias.shape[0]}",
        )
    behind = range(1, value.ndim - channels)
    return value + lax.expand_dims(bias, tuple(behind))
