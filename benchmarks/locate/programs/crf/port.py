"""Compute a linear-chain CRF's likelihood over sequences of different lengths, and decode tags."""

import jax
import jax.numpy as jnp


def run(unary, lengths, transitions, tags):
    steps = unary.shape[1]
    mask = (jnp.arange(steps)[None] < lengths[:, None]).astype(unary.dtype)

    def forward(t, state):
        alpha, best = state
        scores = alpha[:, :, None] + transitions[None]
        new = jax.nn.logsumexp(scores, axis=1) + unary[:, t]
        path = jnp.max(best[:, :, None] + transitions[None], axis=1) + unary[:, t]
        live = (t < lengths)[:, None]
        return jnp.where(live, new, alpha), jnp.where(live, path, best)

    alpha, best = jax.lax.fori_loop(1, steps, forward, (unary[:, 0], unary[:, 0]))
    picked = jnp.take_along_axis(unary, tags[:, :, None], axis=2)[:, :, 0]
    emitted = jnp.sum(picked * mask, axis=1)
    moved = jnp.sum(transitions[tags[:, :-1], tags[:, 1:]] * mask[:, 1:], axis=1)
    partition = jax.nn.logsumexp(alpha, axis=1)
    loss = partition - emitted - moved
    margin = jnp.max(best, axis=1) - emitted - moved
    return {"loss": loss, "margin": margin, "mean": jnp.mean(loss / jnp.sum(mask, axis=1))}
