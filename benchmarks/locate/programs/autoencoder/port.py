"""Compute the loss of a variational autoencoder from given noise: reconstruction and KL terms."""

import jax
import jax.numpy as jnp
import numpy as np


def encoder(p, x):
    h = jax.nn.softplus(x @ p["enc"] + p["enc_b"])
    mean = h @ p["mean"]
    log_variance = jnp.clip(h @ p["var"], -2.0, 2.0)
    return mean, log_variance


def decoder(p, z):
    h = jax.nn.selu(z @ p["dec"] + p["dec_b"])
    return h @ p["out"]


def run(p, x, noise):
    mean, log_variance = encoder(p, x)
    z = mean + jnp.exp(0.5 * log_variance) * noise
    logits = decoder(p, z)
    likelihood = x * jax.nn.log_sigmoid(logits) + (1.0 - x) * jax.nn.log_sigmoid(-logits)
    likelihood = jnp.sum(likelihood, axis=1)
    inner = 1.0 + log_variance - mean**2 - jnp.exp(log_variance)
    divergence = -0.5 * jnp.sum(inner, axis=1)
    prior = -0.5 * jnp.sum(z**2 + np.log(2.0 * np.pi), axis=1)
    pull = jnp.sum((jax.lax.stop_gradient(mean) - z) ** 2, axis=1)
    bound = jnp.mean(likelihood - 0.7 * divergence)
    spread = jnp.std(z, axis=0)
    best = jax.nn.logsumexp(likelihood + prior) - jnp.log(x.shape[0])
    penalty = jnp.mean(jnp.abs(p["out"]))
    return {"bound": bound - 0.01 * penalty + 0.1 * pull, "spread": spread, "best": best}
