"""The loss of a translator: cross-entropy over the tokens before the end, with smoothed labels."""

import jax
import jax.numpy as jnp
import shims

PAD, END = 0, 1
SMOOTHING = 0.1


def token_mask(labels):
    """Return which tokens count: those up to the first END, and no PAD."""
    ended = shims.cumsum(jnp.equal(labels, END).astype(jnp.int32), axis=1, exclusive=True)
    return jnp.logical_and(jnp.equal(ended, 0), jnp.not_equal(labels, PAD))


def smoothed(labels, size):
    """Return the target distribution of each label."""
    return jax.nn.one_hot(labels, size) * (1.0 - SMOOTHING) + SMOOTHING / jnp.asarray(size).astype(jnp.float32)


@shims.function(
    input_signature=[
        shims.TensorSpec([None, None, None], jnp.float32),
        shims.TensorSpec([None, None], jnp.int32),
    ]
)
def sequence_loss(logits, labels):
    """Return the mean loss per token, and the share of tokens that are predicted."""
    mask = token_mask(labels)
    kept_logits = shims.boolean_mask(logits, mask)
    kept_labels = shims.boolean_mask(labels, mask)
    targets = smoothed(kept_labels, jnp.shape(logits)[2])
    losses = shims.nn.softmax_cross_entropy_with_logits(labels=targets, logits=kept_logits)
    right = shims.equal(shims.argmax(kept_logits, axis=1, output_type=jnp.int32), kept_labels)
    count = jnp.maximum(shims.size(kept_labels), 1).astype(jnp.float32)
    return shims.reduce_sum(losses) / count, shims.reduce_sum(shims.cast(right, jnp.float32)) / count
