"""Provide the TensorFlow 1 losses: weighted, then summed or averaged."""

from __future__ import annotations

import jax.numpy as jnp

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import broadcasting, describe, operand
from shims._src.array import casting, shapes
from shims._src.elementwise import elementwise, quotients
from shims._src.math import reduction as sums
from shims._src.nn import losses
from shims._src.nn.activations import relu
from shims._src.platform import jax_private
from shims._src.sizes.primitives import as_size
from shims._src.tracing.dispatch import operator

NONE, SUM, MEAN = "none", "weighted_sum", "weighted_mean"
BY_NONZERO, OVER_NONZERO = "weighted_sum_by_nonzero_weights", "weighted_sum_over_nonzero_weights"
OVER_BATCH = "weighted_sum_over_batch_size"
_REDUCTIONS = (SUM, OVER_BATCH, MEAN, NONE, OVER_NONZERO, BY_NONZERO)


@operator
def compute_weighted_loss(
    losses, weights=1.0, scope=None, loss_collection="losses", reduction=BY_NONZERO
):
    """Multiply losses by weights, and reduce them to a sum or a mean.

    Args:
      losses: array.
      weights: number, or array of the rank of `losses` that broadcasts to its shape.
      scope: ignored.
      loss_collection: ignored; there are no collections.
      reduction: `none`, `weighted_sum`, `weighted_mean` (divided by the sum of the weights),
        `weighted_sum_over_batch_size` (by the number of losses) or
        `weighted_sum_by_nonzero_weights` (by the number of losses whose weight is not 0).

    Returns:
      A scalar of the dtype of `losses`, or an array of its shape; 0 where the divisor is 0.

    Raises:
      ValueError: `reduction` is unknown, or the weights do not fit.

    Differs from TensorFlow:
      The loss is not added to a collection.

    Under jit:
      Sizes may be known only at run time; padding is ignored.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/losses/compute_weighted_loss
    """
    if reduction not in _REDUCTIONS:
        raise ValueError(f"Invalid Reduction Key {reduction}. Key should be one of {_REDUCTIONS}.")
    given = operand(losses)
    values, factors = _floats(given), _floats(weights)
    _check_weights(factors, values)
    weighted = _times(values, factors)
    if reduction == NONE:
        return casting.cast(weighted, given.dtype)
    total = _sum(weighted)
    if reduction == MEAN:
        total = quotients.divide_no_nan(total, _sum(_broadcast_weights(factors, values)))
    elif reduction == OVER_BATCH:
        total = quotients.divide_no_nan(total, _sum(_broadcast_weights(_floats(1.0), values)))
    elif reduction != SUM:
        total = quotients.divide_no_nan(
            total, _sum(_broadcast_weights(_nonzero_indicator(factors), values))
        )
    return casting.cast(total, given.dtype)


@operator
def absolute_difference(
    labels, predictions, weights=1.0, scope=None, loss_collection="losses", reduction=BY_NONZERO
):
    """Compute the weighted absolute difference of labels and predictions.

    Args:
      labels: array.
      predictions: array of the same shape.
      weights: see `compute_weighted_loss`.
      scope: ignored.
      loss_collection: ignored.
      reduction: how the losses are reduced.

    Returns:
      A float32 scalar, or an array with `reduction="none"`.

    Raises:
      ValueError: the shapes differ, or an argument is `None`.

    Differs from TensorFlow:
      The loss is not added to a collection.

    Under jit:
      As in `compute_weighted_loss`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/losses/absolute_difference
    """
    labels, predictions = _float_pair(labels=labels, predictions=predictions)
    distance = elementwise.abs(_minus(predictions, labels))
    return compute_weighted_loss(distance, weights, scope, loss_collection, reduction)


@operator
def cosine_distance(
    labels,
    predictions,
    axis=None,
    weights=1.0,
    scope=None,
    loss_collection="losses",
    reduction=BY_NONZERO,
    dim=None,
):
    """Compute the weighted cosine distance of labels and predictions of unit length.

    Args:
      labels: array.
      predictions: array of the same shape.
      axis: the axis along which both arrays have unit length.
      weights: see `compute_weighted_loss`.
      scope: ignored.
      loss_collection: ignored.
      reduction: how the losses are reduced.
      dim: alias of `axis`.

    Returns:
      A float32 scalar, or an array with `reduction="none"`.

    Raises:
      ValueError: the shapes differ, an argument is `None`, or `axis` is given twice or not at all.

    Differs from TensorFlow:
      The loss is not added to a collection.

    Under jit:
      As in `compute_weighted_loss`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/losses/cosine_distance
    """
    if axis is not None and dim is not None:
        raise ValueError("Cannot specify both 'axis' and 'dim'.")
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("You must specify argument `axis`.")
    labels, predictions = _float_pair(labels=labels, predictions=predictions)
    product = _sum(_times(predictions, labels), axis=axis, keepdims=True)
    return compute_weighted_loss(1 - product, weights, scope, loss_collection, reduction)


@operator
def hinge_loss(
    labels, logits, weights=1.0, scope=None, loss_collection="losses", reduction=BY_NONZERO
):
    """Compute the weighted hinge loss of logits, with labels of 0 and 1.

    Args:
      labels: array of zeros and ones.
      logits: array of the same shape.
      weights: see `compute_weighted_loss`.
      scope: ignored.
      loss_collection: ignored.
      reduction: how the losses are reduced.

    Returns:
      A float32 scalar, or an array with `reduction="none"`.

    Raises:
      ValueError: the shapes differ, or an argument is `None`.

    Differs from TensorFlow:
      The loss is not added to a collection.

    Under jit:
      As in `compute_weighted_loss`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/losses/hinge_loss
    """
    labels, logits = _float_pair(labels=labels, logits=logits)
    distance = relu(1 - _times(2 * labels - 1, logits))
    return compute_weighted_loss(distance, weights, scope, loss_collection, reduction)


@operator
def huber_loss(
    labels,
    predictions,
    weights=1.0,
    delta=1.0,
    scope=None,
    loss_collection="losses",
    reduction=BY_NONZERO,
):
    """Compute the weighted Huber loss: quadratic up to `delta`, linear beyond.

    Args:
      labels: array.
      predictions: array of the same shape.
      weights: see `compute_weighted_loss`.
      delta: the error at which the loss becomes linear.
      scope: ignored.
      loss_collection: ignored.
      reduction: how the losses are reduced.

    Returns:
      A float32 scalar, or an array with `reduction="none"`.

    Raises:
      ValueError: the shapes differ, or an argument is `None`.

    Differs from TensorFlow:
      The loss is not added to a collection.

    Under jit:
      As in `compute_weighted_loss`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/losses/huber_loss
    """
    labels, predictions = _float_pair(labels=labels, predictions=predictions)
    distance = elementwise.abs(_minus(predictions, labels))
    near = elementwise.minimum(distance, delta)
    loss = 0.5 * (near * near) + delta * (distance - near)
    return compute_weighted_loss(loss, weights, scope, loss_collection, reduction)


@operator
def log_loss(
    labels,
    predictions,
    weights=1.0,
    epsilon=1e-7,
    scope=None,
    loss_collection="losses",
    reduction=BY_NONZERO,
):
    """Compute the weighted cross-entropy of probabilities.

    Args:
      labels: array.
      predictions: array of probabilities, of the same shape.
      weights: see `compute_weighted_loss`.
      epsilon: added to `predictions` and to `1 - predictions` before the logarithm.
      scope: ignored.
      loss_collection: ignored.
      reduction: how the losses are reduced.

    Returns:
      A float32 scalar, or an array with `reduction="none"`.

    Raises:
      ValueError: the shapes differ, or an argument is `None`.

    Differs from TensorFlow:
      The loss is not added to a collection.

    Under jit:
      As in `compute_weighted_loss`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/losses/log_loss
    """
    labels, predictions = _float_pair(labels=labels, predictions=predictions)
    of_one = _times(labels, jnp.log(predictions + epsilon))
    of_zero = _times(1 - labels, jnp.log(1 - predictions + epsilon))
    return compute_weighted_loss(-of_one - of_zero, weights, scope, loss_collection, reduction)


@operator
def mean_squared_error(
    labels, predictions, weights=1.0, scope=None, loss_collection="losses", reduction=BY_NONZERO
):
    """Compute the weighted squared error.

    Args:
      labels: array.
      predictions: array of the same shape.
      weights: see `compute_weighted_loss`.
      scope: ignored.
      loss_collection: ignored.
      reduction: how the losses are reduced.

    Returns:
      A float32 scalar, or an array with `reduction="none"`.

    Raises:
      ValueError: the shapes differ, or an argument is `None`.

    Differs from TensorFlow:
      The loss is not added to a collection.

    Under jit:
      As in `compute_weighted_loss`.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     print(session.run(tf.losses.mean_squared_error([1.0, 2.0], [1.0, 4.0])))
      2.0

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/losses/mean_squared_error
    """
    labels, predictions = _float_pair(labels=labels, predictions=predictions)
    loss = elementwise.squared_difference(predictions, labels)
    return compute_weighted_loss(loss, weights, scope, loss_collection, reduction)


@operator
def sigmoid_cross_entropy(
    multi_class_labels,
    logits,
    weights=1.0,
    label_smoothing=0,
    scope=None,
    loss_collection="losses",
    reduction=BY_NONZERO,
):
    """Compute the weighted sigmoid cross-entropy of independent labels.

    Args:
      multi_class_labels: array of zeros and ones.
      logits: array of the same shape.
      weights: see `compute_weighted_loss`.
      label_smoothing: the weight of 0.5 in the smoothed labels.
      scope: ignored.
      loss_collection: ignored.
      reduction: how the losses are reduced.

    Returns:
      A scalar of the dtype of `logits`, or an array with `reduction="none"`.

    Raises:
      ValueError: the shapes differ, or an argument is `None`.

    Differs from TensorFlow:
      The loss is not added to a collection.

    Under jit:
      As in `compute_weighted_loss`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/losses/sigmoid_cross_entropy
    """
    labels, logits = _cast_labels(multi_class_labels=multi_class_labels, logits=logits)
    if label_smoothing > 0:
        labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
    loss = losses.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
    return compute_weighted_loss(loss, weights, scope, loss_collection, reduction)


@operator
def softmax_cross_entropy(
    onehot_labels,
    logits,
    weights=1.0,
    label_smoothing=0,
    scope=None,
    loss_collection="losses",
    reduction=BY_NONZERO,
):
    """Compute the weighted softmax cross-entropy of one-hot labels.

    Args:
      onehot_labels: array `[..., classes]`; it has no gradient.
      logits: array of the same shape.
      weights: see `compute_weighted_loss`; the weights are broadcast to the shape `[...]` of the
        losses.
      label_smoothing: the weight of `1 / classes` in the smoothed labels.
      scope: ignored.
      loss_collection: ignored.
      reduction: how the losses are reduced.

    Returns:
      A scalar of the dtype of `logits`, or an array with `reduction="none"`.

    Raises:
      ValueError: the shapes differ, or an argument is `None`.

    Differs from TensorFlow:
      The loss is not added to a collection.

    Under jit:
      As in `compute_weighted_loss`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/losses/softmax_cross_entropy
    """
    labels, logits = _cast_labels(onehot_labels=onehot_labels, logits=logits)
    if label_smoothing > 0:
        classes = casting.cast(shapes.shape(labels)[-1], logits.dtype)
        labels = labels * (1.0 - label_smoothing) + label_smoothing / classes
    loss = losses.softmax_cross_entropy_with_logits(
        labels=casting.stop_gradient(labels), logits=logits
    )
    return compute_weighted_loss(loss, weights, scope, loss_collection, reduction)


@operator
def sparse_softmax_cross_entropy(
    labels, logits, weights=1.0, scope=None, loss_collection="losses", reduction=BY_NONZERO
):
    """Compute the weighted softmax cross-entropy of class indices.

    Args:
      labels: integer array `[...]`, or `[..., 1]`.
      logits: array `[..., classes]`.
      weights: see `compute_weighted_loss`; the shape is `[...]` or `[..., 1]`.
      scope: ignored.
      loss_collection: ignored.
      reduction: how the losses are reduced.

    Returns:
      A scalar of the dtype of `logits`, or an array with `reduction="none"`.

    Raises:
      ValueError: the shapes differ, or an argument is `None`.

    Differs from TensorFlow:
      The loss is not added to a collection.

    Under jit:
      As in `compute_weighted_loss`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/losses/sparse_softmax_cross_entropy
    """
    labels, logits = _require_arrays(labels=labels, logits=logits)
    rank = labels.ndim
    if rank == logits.ndim:
        labels = shapes.squeeze(labels, axis=-1)
    weights = operand(weights)
    if weights.ndim == labels.ndim + 1:
        weights = shapes.squeeze(weights, axis=-1)
    loss = losses.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    return compute_weighted_loss(loss, weights, scope, loss_collection, reduction)


def _require_arrays(**arguments):
    """Convert arguments to arrays; reject `None`."""
    for name, value in arguments.items():
        if value is None:
            raise ValueError(f"Argument `{name}` must not be None.")
    return [operand(value) for value in arguments.values()]


def _float_pair(**arguments):
    """Convert two arrays of equal shapes to float32."""
    arrays = [_floats(x) for x in _require_arrays(**arguments)]
    _check_shapes(list(arguments), arrays)
    return arrays


def _cast_labels(**arguments):
    """Check that labels and logits have equal shapes; cast the labels to the dtype of the logits."""
    labels, logits = _require_arrays(**arguments)
    _check_shapes(list(arguments), [labels, logits])
    return casting.cast(labels, logits.dtype), logits


def _check_shapes(names, arrays):
    first, second = arrays
    sizes = zip(first.shape, second.shape, strict=False)
    if first.ndim != second.ndim or any(_differ(d, e) for d, e in sizes):
        raise ValueError(
            f"`{names[0]}` and `{names[1]}` must have the same shape: "
            f"{describe(first)} and {describe(second)}."
        )


def _check_weights(weights, values):
    sizes = list(zip(weights.shape, values.shape, strict=False))
    fits = weights.ndim == values.ndim and not any(
        _differ(d, e) and _differ(d, 1) for d, e in sizes
    )
    if weights.ndim and not fits:
        raise ValueError(
            "weights can not be broadcast to values: "
            f"weights {describe(weights)}, values {describe(values)}."
        )
    for d, e in sizes if weights.ndim else ():
        if not (is_known(d) and is_known(e)) and d is not e:
            given, wanted = as_size(d), as_size(e)
            checks.check_data(
                (given != wanted) & (given != 1),
                "losses",
                "weights can not be broadcast to values.",
                required="the sizes of the values, or size 1",
                received=f"weights {describe(weights)}, values {describe(values)}",
            )


def _differ(d, e) -> bool:
    known = not (jax_private.is_symbolic(d) or jax_private.is_symbolic(e))
    return known and d != e


def _floats(x):
    return casting.cast(x, jnp.float32)


def _sum(x, **options):
    return sums.reduce_sum(x, **options)


@operator(compiled=True)
def _times(x, y):
    x, y = broadcasting("losses", operand(x), operand(y))
    return x * y


@operator(compiled=True)
def _minus(x, y):
    x, y = broadcasting("losses", operand(x), operand(y))
    return x - y


@operator(compiled=True)
def _nonzero_indicator(weights):
    """Return 1 for each nonzero weight, else 0."""
    weights = operand(weights)
    return jnp.where(weights == 0, jnp.zeros_like(weights), jnp.ones_like(weights))


@operator(compiled=True)
def _broadcast_weights(weights, values):
    """Broadcast weights to the shape of the values."""
    weights, values = broadcasting("losses", operand(weights), operand(values))
    return jnp.ones_like(values) * weights
