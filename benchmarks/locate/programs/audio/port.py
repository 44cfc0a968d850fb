"""Compute audio features: frames, a window, band power, decibels, deltas, moments."""

import jax.numpy as jnp
import numpy as np

SIZE = 8
STEP = 4


def window(dtype):
    n = jnp.arange(SIZE).astype(dtype)
    return 0.5 - 0.5 * jnp.cos(2.0 * np.pi * n / SIZE)


def framed(sound):
    count = 1 + (sound.shape[1] - SIZE) // STEP
    places = STEP * np.arange(count)[:, None] + np.arange(SIZE)[None]
    return sound[:, places]


def decibels(power):
    level = 10.0 * jnp.log10(jnp.maximum(power, 1e-10))
    return jnp.maximum(level, jnp.max(level, axis=(1, 2), keepdims=True) - 30.0)


def run(sound, bands, cosines, cosines2):
    sound = sound - 0.97 * jnp.pad(sound[:, :-1], [(0, 0), (1, 0)])
    frames = framed(sound)
    frames = frames * window(sound.dtype)
    real = frames @ cosines
    imaginary = frames @ cosines2
    power = (real**2 + imaginary**2) / SIZE
    mel = power @ bands
    level = decibels(mel)
    mean = jnp.mean(level, axis=1, keepdims=True)
    deviation = jnp.std(level, axis=1, keepdims=True)
    level = (level - mean) / (deviation + 1e-3)
    padded = jnp.pad(level, [(0, 0), (1, 1), (0, 0)], mode="reflect")
    delta = (padded[:, 2:] - padded[:, :-2]) / 2.0
    loudest = jnp.argmax(level, axis=-1).astype(jnp.int32)
    coarse = jnp.round(level * 4.0).astype(jnp.int32) // 2
    rolled = jnp.roll(level, 1, axis=1)
    return {
        "features": jnp.concatenate([level, delta], axis=-1),
        "loudest": loudest,
        "coarse": coarse,
        "change": jnp.max(level - rolled, axis=1),
    }
