"""Compute a focal loss over anchors, some of which are ignored."""

import jax
import jax.numpy as jnp


def run(logits, labels, alpha):
    keep = (labels != -1).astype(logits.dtype)
    target = jax.nn.one_hot(jnp.maximum(labels, 0), logits.shape[1], dtype=logits.dtype)
    ce = jnp.where(logits >= 0, logits, 0) - logits * target + jnp.log1p(jnp.exp(-jnp.abs(logits)))
    p = jax.nn.sigmoid(logits)
    pt = target * p + (1.0 - target) * (1.0 - p)
    weight = (target * alpha + (1.0 - target) * (1.0 - alpha)) * (1.0 - pt) ** 2
    loss = jnp.sum(weight * ce, axis=1) * keep
    count = jnp.maximum(jnp.sum(keep), 1.0)
    return jnp.sum(loss) / count, loss
