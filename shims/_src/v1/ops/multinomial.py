"""Provide `multinomial` of TensorFlow 1."""

from __future__ import annotations

import shims


def multinomial(logits, num_samples, seed=None, name=None, output_dtype=None):
    """Draw class indices with the probabilities `softmax(logits)`.

    Args:
      logits: array `[batch, classes]`.
      num_samples: the number of samples per row.
      seed: an integer; see `tf.set_random_seed`.
      name: the name of the operation.
      output_dtype: int32 or int64; int64 by default.

    Returns:
      An array `[batch, num_samples]`.

    Differs from TensorFlow:
      Nothing on CPU.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/multinomial
    """
    return shims.random.categorical(logits, num_samples, output_dtype, seed)
