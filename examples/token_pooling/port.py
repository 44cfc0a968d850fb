"""Turn sentences of different lengths into vectors: ragged tokens, pooled by mean, maximum and attention."""

import jax.numpy as jnp
import shims


def attention(rows, scores):
    """Return the mean of each row's tokens, weighted by a softmax over the row."""
    weights = shims.exp(scores - shims.reduce_max(scores, axis=1)[:, None])
    weights = weights / shims.reduce_sum(weights, axis=1)[:, None]
    return shims.reduce_sum(rows * shims.expand_dims(weights, 2), axis=1)


@shims.function(
    input_signature=[
        shims.TensorSpec([None, None], jnp.float32),
        shims.TensorSpec([None], jnp.int32),
        shims.TensorSpec([None], jnp.float32),
    ]
)
def pool(tokens, lengths, query):
    """Return one vector per sentence, of length 1.

    Args:
      tokens: the tokens of all sentences, one after the other.
      lengths: how many of them each sentence has.
      query: what the attention looks for.
    """
    rows = shims.RaggedTensor.from_row_lengths(tokens, lengths)
    scores = shims.RaggedTensor.from_row_lengths(shims.linalg.matvec(tokens, query), lengths)
    mean = shims.reduce_mean(rows, axis=1)
    largest = shims.reduce_max(rows, axis=1)
    pooled = jnp.concatenate([mean, largest, attention(rows, scores)], axis=1)
    return shims.nn.l2_normalize(pooled, axis=1)
