"""Provide `nn.dropout` of TensorFlow 1, whose parameter is the probability of keeping an element."""

from __future__ import annotations

import numbers

from shims._src.random import dropout as eager_dropout
from shims._src.random.global_seed import pair
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.deferred_operators import operation_of
from shims._src.v1.graph.modes import executing_eagerly


def dropout(x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None):
    """Set random elements to 0, and scale up the others.

    Args:
      x: floating-point array.
      keep_prob: the probability to keep an element, a number or a scalar.
      noise_shape: shape of the random mask, which is broadcast; the shape of `x` when `None`.
      seed: an integer; see `set_random_seed`.
      name: name of the operation.
      rate: the probability to drop an element, instead of `keep_prob`.

    Returns:
      The array; `x` itself if `keep_prob` is the number 1.

    Raises:
      ValueError: neither or both of `keep_prob` and `rate` are given, the value is not a
        probability, or `x` is not floating-point.

    Differs from TensorFlow:
      Nothing. The dropped elements are those that TensorFlow drops on CPU.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/dropout
    """
    rate = _drop_rate(keep_prob, rate)
    if executing_eagerly():
        return eager_dropout.dropout(x, rate, noise_shape, seed)
    graph = get_default_graph()
    with graph.name_scope(name or "dropout"):
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_floating:
            raise ValueError(
                "`x.dtype` must be a floating point tensor as `x` will be scaled. "
                f"Received: x_dtype=<dtype: '{x.dtype.name}'>"
            )
        if isinstance(rate, numbers.Real) and rate == 0:
            # Nothing is drawn, but a seed is consumed so that later operators get TensorFlow's seeds.
            pair(seed, graph.seed, graph.next_seed)
            return x
        given = {"noise_shape": noise_shape, "seed": seed}
        return operation_of(eager_dropout.dropout, (x, rate), given, public="SelectV2")


def _drop_rate(keep_prob, rate):
    if keep_prob is None:
        if rate is None:
            raise ValueError(f"`rate` must be provided. Received: rate={rate}")
        return rate
    if rate is not None:
        raise ValueError("Cannot specify both 'keep_prob' and 'rate'.")
    try:
        return 1.0 - keep_prob
    except TypeError:
        raise ValueError(
            "`keep_prob` must be a floating point number or Tensor. "
            f"Received: keep_prob={keep_prob}"
        ) from None
