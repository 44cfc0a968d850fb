"""The loss of a translator: cross-entropy over the tokens before the end, with smoothed labels."""

import jax
import jax.numpy as jnp

PAD, END = 0, 1
SMOOTHING = 0.1


def token_mask(labels):
    """Return which tokens count: those up to the first END, and no PAD."""
    is_end = labels == END
    ended = jnp.cumsum(is_end, axis=1) - is_end
    return (ended == 0) & (labels != PAD)


@jax.jit
def sequence_loss(logits, labels):
    """Return the mean loss per token, and the share of tokens that are predicted."""
    mask, size = token_mask(labels), logits.shape[2]
    targets = jax.nn.one_hot(labels, size) * (1.0 - SMOOTHING) + SMOOTHING / size
    losses = -jnp.sum(targets * jax.nn.log_softmax(logits), axis=2)
    right = jnp.argmax(logits, axis=2) == labels
    count = jnp.maximum(jnp.sum(mask), 1)
    return jnp.sum(losses, where=mask) / count, jnp.sum(right, where=mask) / count
