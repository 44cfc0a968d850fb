"""`nn.dropout` of TensorFlow 1, which is told what to keep."""

from __future__ import annotations

import numbers

from shims._src.random import dropout as version_2
from shims._src.random.global_seed import pair
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.deferred_operators import operation_of
from shims._src.v1.graph.modes import executing_eagerly


def dropout(x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None):
    """Sets elements to 0 at random, and scales the others up.

    Args:
      x: floating-point array.
      keep_prob: the probability that an element stays, a number or a scalar.
      noise_shape: sizes of the random numbers, which broadcast; that of `x` when `None`.
      seed: an integer; see `set_random_seed`.
      name: name of the operation.
      rate: the probability that an element is dropped, instead of `keep_prob`.

    Returns:
      The array; `x` itself where `keep_prob` is the number 1.

    Raises:
      ValueError: neither or both of `keep_prob` and `rate` are given, or it is no probability, or
        `x` is not floating-point.

    Differs from TensorFlow:
      Nothing: the elements are those that TensorFlow drops on CPU.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/dropout
    """
    rate = _rate(keep_prob, rate)
    if executing_eagerly():
        return version_2.dropout(x, rate, noise_shape, seed)
    graph = get_default_graph()
    with graph.name_scope(name or "dropout"):
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_floating:
            raise ValueError(
                "`x.dtype` must be a floating point tensor as `x` will be scaled. "
                f"Received: x_dtype=<dtype: '{x.dtype.name}'>"
            )
        if isinstance(rate, numbers.Real) and rate == 0:
            # Nothing is drawn, but later operators get the seeds that they would have got.
            pair(seed, graph.seed, graph.next_seed)
            return x
        given = {"noise_shape": noise_shape, "seed": seed}
        return operation_of(version_2.dropout, (x, rate), given, public="SelectV2")


def _rate(keep_prob, rate):
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
